from pathlib import Path

import pytest

from faults.__main__ import main
from faults.access import Access, HarnessError
from faults.ground import namespace_of
from faults.perturbations import PERTURBATIONS
from faults.previous import ROOT, previous
from faults.process import program
from faults.scenarios import SCENARIOS
from faults.score import Row, line, row, total
from faults.trial import Trial

KUBECONFIG = """
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://127.0.0.1:1/"}}]
users: [{name: u, user: {token: t}}]
"""


def kubeconfig(folder: Path, text: str = KUBECONFIG) -> Path:
    path = folder / "kubeconfig"
    path.write_text(text)
    return path


def trial(*problems: str, writes: int = 3, struck: bool = True) -> Trial:
    return Trial({}, problems, writes, 1.5, struck=struck)


def test_a_kubeconfig_gives_server_and_token(tmp_path: Path) -> None:
    found = Access.read(kubeconfig(tmp_path))
    assert (found.server, found.headers) == (
        "https://127.0.0.1:1",
        {"Authorization": "Bearer t"},
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [", "malformed"),
        ("{}", "malformed"),
        (KUBECONFIG.replace("name: k,", "name: other,"), "malformed"),
        (KUBECONFIG.replace("token: t", ""), "neither a token nor a client certificate"),
    ],
)
def test_a_kubeconfig_that_is_no_use_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(HarnessError, match=told):
        Access.read(kubeconfig(tmp_path, text))


def test_an_unknown_operator_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--operator-command", "no-such-operator run"]) == 2
    assert "no-such-operator is not a program" in capsys.readouterr().err
    with pytest.raises(HarnessError, match="empty"):
        program("  ")


def test_a_cluster_without_an_api_server_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--kubeconfig", str(kubeconfig(tmp_path))]) == 2
    assert "no API server at https://127.0.0.1:1" in capsys.readouterr().err
    assert main(["--kubeconfig", str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_an_unknown_scenario_is_told_with_those_that_are_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--scenario", "nothing"]) == 2
    assert "known are: create" in capsys.readouterr().err


def test_a_row_is_the_worst_of_its_runs() -> None:
    found = row("create", "kill", [trial(), trial("x: 1 became 2", writes=5)], trial())
    assert (found.verdict, found.extra_writes, found.runs) == ("NO", 2, 2)
    assert "x: 1 became 2" in line(found)


def test_nothing_to_strike_at_is_neither() -> None:
    assert Row("delete", "409", runs=0).verdict == "-"
    assert "1 rows failed" in total([Row("a", "b"), Row("a", "c", problems=("p",))])


@pytest.mark.parametrize("jobs", ["0", "-1", "three", "1.5", "99", ""])
def test_a_number_of_jobs_that_is_none_is_told(
    jobs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--jobs", jobs])
    assert ended.value.code == 2
    assert "is not a whole number from 1 to 16" in capsys.readouterr().err


def test_a_given_cluster_bears_one_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--kubeconfig", str(kubeconfig(tmp_path)), "--jobs", "2"]) == 2
    assert "--jobs above 1 needs control planes of our own" in capsys.readouterr().err


def test_an_unknown_perturbation_is_told_with_those_that_are_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--perturbation", "nothing"]) == 2
    assert "kill at each write" in capsys.readouterr().err


def test_a_command_that_is_no_shell_text_is_told() -> None:
    with pytest.raises(HarnessError, match="No closing quotation"):
        program("'run")


def test_a_copy_without_the_history_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="fetch the whole history"):
        previous(tmp_path / "to", root=tmp_path)
    with pytest.raises(HarnessError, match="commit 0000000"):
        previous(tmp_path / "to", "0000000")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no history here")
def test_the_version_before_is_run_from_its_own_files(tmp_path: Path) -> None:
    found = previous(tmp_path, "HEAD")
    assert found.environment["PYTHONPATH"] == str(tmp_path / "operator")
    assert (tmp_path / "operator" / "semantic_router_operator" / "__main__.py").is_file()


def test_every_scenario_and_perturbation_has_a_name_of_its_own() -> None:
    names = [one.name for one in SCENARIOS]
    spaces = {namespace_of(one) for one in SCENARIOS}
    assert len(set(names)) == len(spaces) == len(names)
    known = {one.name for one in PERTURBATIONS}
    assert len(known) == len(PERTURBATIONS)
    assert all(one.only <= set(names) for one in PERTURBATIONS)
    assert all(one.perturbations <= known for one in SCENARIOS)
