"""With nodes in the machine's own Docker: nobody else's cluster is touched, and ours does end."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from controlplane.binaries import cache_folder
from kind import programs
from kind.__main__ import main

DOCKER = """\
#!/bin/sh
echo "$*" >>{folder}/calls
[ -e {folder}/silent ] && {{ echo "Cannot connect to the Docker daemon" >&2; exit 1; }}
case "$1" in
  ps) cat {folder}/containers ;;
  rm) [ -e {folder}/stuck ] && {{ echo "could not kill" >&2; exit 1; }}
      shift 3; for id; do sed -i "/^$id /d" {folder}/containers; done ;;
esac
"""
GO = """\
#!/bin/sh
printf 'go99.0\\nlinux\\namd64\\n'
"""
KIND = """\
#!/bin/sh
echo "id-of-mine-control-plane mine-control-plane" >>{folder}/containers
[ ! -e {folder}/unfinished ]
"""


def script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


@dataclass(frozen=True)
class Machine:
    """A docker that knows containers by name, and a Go that builds nothing."""

    folder: Path
    state: Path

    def has(self, *containers: str) -> None:
        lines = "".join(f"id-of-{name} {name}\n" for name in containers)
        (self.folder / "containers").write_text(lines)

    def containers(self) -> list[str]:
        return (self.folder / "containers").read_text().split()[1::2]

    def docker_is(self, trouble: str) -> None:
        (self.folder / trouble).touch()

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()

    def made(self, mode: str, **noted: object) -> None:
        self.state.mkdir()
        notes = {"mode": mode, "name": "mine", "nodes": 1, **noted}
        (self.state / "cluster.json").write_text(json.dumps(notes))

    def has_programs(self) -> None:
        """A Go that is new enough, and what it would build: a kind that makes one container."""
        script(self.folder / "go", GO)
        for name, package in programs.TOOLS.items():
            path = cache_folder("go99.0\nlinux\namd64\n", package) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            script(path, KIND.format(folder=self.folder) if name == "kind" else "#!/bin/sh\n")

    def kind(self, *arguments: str) -> int:
        return main(["--dir", str(self.state), *arguments])


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path / "bin", tmp_path / ".kind")
    found.folder.mkdir()
    script(found.folder / "docker", DOCKER.format(folder=found.folder))
    script(found.folder / "go", "#!/bin/sh\nexit 1\n")
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
    assert "label=io.x-k8s.kind.cluster=mine" in machine.calls()[-1]


def test_what_was_made_is_noted_and_ended(machine: Machine) -> None:
    machine.has_programs()
    assert machine.kind("up", "--name", "mine") == 0
    notes = json.loads((machine.state / "cluster.json").read_text())
    assert notes["containers"] == ["id-of-mine-control-plane"]
    assert machine.kind("down") == 0
    assert machine.containers() == []


def test_what_was_half_made_is_taken_down(machine: Machine) -> None:
    machine.has_programs()
    machine.docker_is("unfinished")
    assert machine.kind("up", "--name", "mine") == 1
    assert machine.containers() == []
    assert not machine.state.exists()


def test_what_could_not_be_made_leaves_no_folder(machine: Machine) -> None:
    assert machine.kind("up", "--name", "mine") == 1  # Go can't build kind
    assert not machine.state.exists()


def test_a_cluster_ends_where_nothing_can_be_built(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.made("docker")
    machine.has("mine-control-plane", "mine-worker")
    assert machine.kind("down") == 0
    assert "rm --force --volumes id-of-mine-control-plane id-of-mine-worker" in machine.calls()
    assert not machine.state.exists()
    assert "left: nothing" in capsys.readouterr().err


def test_containers_that_took_the_name_of_ours_later_stay(machine: Machine) -> None:
    machine.made("docker", containers=["id-of-one-that-was-removed-by-hand"])
    machine.has("mine-control-plane")
    assert machine.kind("leftovers") == 1
    assert machine.kind("down") == 0
    assert machine.containers() == ["mine-control-plane"]
    assert not machine.state.exists()


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
