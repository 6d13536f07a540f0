"""Which Docker the nodes run in, and what is said where none will do."""

from pathlib import Path

import pytest

from kind.errors import Unsupported
from kind.modes import Machine, Mode, cgroup_v1, choose, wanted

WITHOUT_DOCKER = "there is no docker command"


def test_a_working_docker_with_the_public_image_comes_first() -> None:
    assert choose(Machine(docker="", own=""), None) is Mode.DOCKER


def test_without_docker_the_nodes_are_ours() -> None:
    assert choose(Machine(docker=WITHOUT_DOCKER, own=""), None) is Mode.OWN


def test_a_mode_that_is_asked_for_is_taken_though_another_would_do() -> None:
    assert choose(Machine(docker="", own=""), Mode.OWN) is Mode.OWN


def test_a_mode_that_is_asked_for_and_impossible_is_refused_with_its_reason() -> None:
    with pytest.raises(Unsupported, match=r"KIND_MODE=docker: there is no docker command$"):
        choose(Machine(docker=WITHOUT_DOCKER, own=""), Mode.DOCKER)


def test_a_machine_that_can_nothing_is_told_why_for_each_mode() -> None:
    with pytest.raises(Unsupported) as refused:
        choose(Machine(docker=WITHOUT_DOCKER, own="it needs root"), None)
    assert str(refused.value).splitlines() == [
        "no kind cluster can be made on this machine:",
        "  KIND_MODE=docker: there is no docker command",
        "  KIND_MODE=own: it needs root",
    ]


@pytest.mark.parametrize("setting", ["", "auto"])
def test_by_default_the_machine_decides(setting: str) -> None:
    assert wanted({"KIND_MODE": setting}) is None


def test_another_word_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(Unsupported, match="'podman': it can be auto, docker, own"):
        wanted({"KIND_MODE": "podman"})


def test_a_hybrid_cgroup_tree_counts_as_v1(tmp_path: Path) -> None:
    assert not cgroup_v1(tmp_path)
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "cgroup.procs").touch()
    assert cgroup_v1(tmp_path)
