"""With nodes in the machine's own Docker: nobody else's cluster is touched, and ours does end."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from kind.__main__ import main

DOCKER = """\
#!/bin/sh
echo "$*" >>{folder}/calls
[ -e {folder}/silent ] && {{ echo "Cannot connect to the Docker daemon" >&2; exit 1; }}
case "$1" in
  ps) cat {folder}/containers ;;
  rm) [ -e {folder}/stuck ] && {{ echo "could not kill" >&2; exit 1; }}
      : >{folder}/containers ;;
esac
"""


@dataclass(frozen=True)
class Machine:
    """A docker that knows containers by name, and a Go that builds nothing."""

    folder: Path
    state: Path

    def has(self, *containers: str) -> None:
        (self.folder / "containers").write_text("".join(f"{name}\n" for name in containers))

    def containers(self) -> list[str]:
        return (self.folder / "containers").read_text().split()

    def docker_is(self, trouble: str) -> None:
        (self.folder / trouble).touch()

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()

    def made(self, mode: str) -> None:
        self.state.mkdir()
        notes = {"mode": mode, "name": "mine", "nodes": 1}
        (self.state / "cluster.json").write_text(json.dumps(notes))

    def kind(self, *arguments: str) -> int:
        return main(["--dir", str(self.state), *arguments])


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path / "bin", tmp_path / ".kind")
    found.folder.mkdir()
    for name, text in (
        ("docker", DOCKER.format(folder=found.folder)),
        ("go", "#!/bin/sh\nexit 1\n"),
    ):
        (found.folder / name).write_text(text)
        (found.folder / name).chmod(0o755)
    found.has()
    monkeypatch.setenv("PATH", f"{found.folder}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("KIND_MODE", "docker")
    return found


def test_a_cluster_of_that_name_is_somebody_elses_and_stays(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.has("mine-control-plane")
    assert machine.kind("up", "--name", "mine") == 1
    assert "a kind cluster named 'mine' is there already" in capsys.readouterr().err
    assert machine.kind("down") == 0
    assert machine.containers() == ["mine-control-plane"]
    assert "ps --all --filter label=io.x-k8s.kind.cluster=mine" in machine.calls()[-1]


def test_what_could_not_be_made_leaves_no_folder(machine: Machine) -> None:
    assert machine.kind("up", "--name", "mine") == 1  # Go can't build kind
    assert not machine.state.exists()


def test_a_cluster_ends_where_nothing_can_be_built(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.made("docker")
    machine.has("mine-control-plane", "mine-worker")
    assert machine.kind("down") == 0
    assert "rm --force --volumes mine-control-plane mine-worker" in machine.calls()
    assert not machine.state.exists()
    assert "left: nothing" in capsys.readouterr().err


def test_nodes_of_ours_end_where_nothing_can_be_built(machine: Machine) -> None:
    machine.made("own")
    assert machine.kind("down") == 0
    assert not machine.state.exists()


@pytest.mark.parametrize("trouble", ["silent", "stuck"])
def test_what_docker_does_not_remove_is_told_and_can_be_tried_again(
    machine: Machine, capsys: pytest.CaptureFixture[str], trouble: str
) -> None:
    machine.made("docker")
    machine.has("mine-control-plane")
    machine.docker_is(trouble)
    assert machine.kind("down") == 1
    told = capsys.readouterr().err
    assert "left: nothing" not in told
    assert "could not kill" in told or "Cannot connect" in told
    (machine.folder / trouble).unlink()
    assert machine.kind("down") == 0
    assert machine.containers() == []
    assert not machine.state.exists()


def test_nodes_in_the_machines_docker_are_leftovers_too(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.made("docker")
    machine.has("mine-control-plane")
    assert machine.kind("leftovers") == 1
    assert "container mine-control-plane" in capsys.readouterr().out
