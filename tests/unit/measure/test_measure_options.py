"""Bad input to the measurements: a clear sentence and exit code 2, before anything is started."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from measure import soak, storm


def refused(
    program: Callable[[], int],
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> str:
    """What it says on standard error."""
    monkeypatch.setattr(sys, "argv", ["measure", *arguments])
    with pytest.raises(SystemExit) as ended:
        program()
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("program", "arguments", "says"),
    [
        (soak.main, ["--minutes", "-1"], "--minutes: '-1' is not a number of at least 1"),
        (soak.main, ["--minutes", "soon"], "--minutes: 'soon' is not a number"),
        (storm.main, ["--events", "0"], "--events: '0' is not a number of at least 1"),
        (storm.main, ["--new", "1.5"], "--new: '1.5' is not a number"),
        (storm.main, ["--routers", "10000"], "at least 1 and at most 9999"),
        (storm.main, ["--part", "hail"], "--part: invalid choice: 'hail'"),
    ],
)
def test_a_bad_option_is_named(
    program: Callable[[], int],
    arguments: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert says in refused(program, arguments, monkeypatch, capsys)


def test_a_picture_that_cannot_be_written_is_told_before_the_churn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "soak.png"):
        said = refused(soak.main, ["--png", str(path)], monkeypatch, capsys)
        assert f"--png: {path} can't be written: " in said
