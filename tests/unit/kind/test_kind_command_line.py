"""The exit status tells whether the machine can't, or something went wrong."""

from pathlib import Path

import pytest

from kind.__main__ import main


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_mode_that_there_isnt_ends_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KIND_MODE", "podman")
    assert main(["--dir", str(tmp_path / ".kind"), "up"]) == 2
    assert "KIND_MODE is 'podman'" in capsys.readouterr().err
    assert not (tmp_path / ".kind").exists()


def test_a_command_on_no_cluster_says_how_to_make_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--dir", str(tmp_path / ".kind"), "load", "image.tar"]) == 1
    assert "`make kind-up` makes one" in capsys.readouterr().err


def test_where_nothing_is_there_is_nothing_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--dir", str(tmp_path / ".kind"), "leftovers"]) == 0
    assert capsys.readouterr().out == "nothing\n"


def test_ending_what_isnt_there_is_no_error(tmp_path: Path) -> None:
    assert main(["--dir", str(tmp_path / ".kind"), "down"]) == 0
