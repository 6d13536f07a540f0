from pathlib import Path

import pytest

from faults.__main__ import main
from faults.access import Access, HarnessError
from faults.process import program
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


def test_a_perturbation_that_never_struck_is_a_failure() -> None:
    assert row("create", "409", [trial(struck=False)], trial()).verdict == "NO"
    assert row("create", "kill", [trial(), trial(struck=False)], trial()).verdict == "yes"


def test_nothing_to_strike_at_is_neither() -> None:
    assert Row("delete", "409", runs=0).verdict == "-"
    assert "1 rows failed" in total([Row("a", "b"), Row("a", "c", problems=("p",))])
