"""How the demo ends; the steps are made up, so nothing is started."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controlplane import KubectlError
from demo.__main__ import run
from demo.folder import Folder
from demo.screen import Screen
from demo.stage import Stage
from demo.tour import STEPS

Step = Callable[[Stage], None]


@pytest.fixture
def said() -> Iterator[io.StringIO]:
    with io.StringIO() as stream:
        yield stream


def ended(tmp_path: Path, said: io.StringIO, step: Step, *, keep: bool = False) -> int:
    folder = Folder(tmp_path / "demo")
    folder.claim()
    folder.log.write_text("first line\nthe operator's last words\n")
    return run(Stage(folder, Screen(said, steps=1), keep=keep), [("A step", step)])


def fine(stage: Stage) -> None:
    stage.expect("one is one", seen=1, wanted=1)


def surprised(stage: Stage) -> None:
    stage.expect("one is two", seen=1, wanted=2)


def refused(stage: Stage) -> None:
    raise KubectlError(("get", "sr"), 1, "the server is on fire")


def interrupted(stage: Stage) -> None:
    raise KeyboardInterrupt


def test_a_demo_that_observed_everything_exits_with_0_and_leaves_nothing(
    tmp_path: Path, said: io.StringIO
) -> None:
    assert ended(tmp_path, said, fine) == 0
    assert "ok: one is one" in said.getvalue()
    assert "All of it was observed." in said.getvalue()
    assert list(tmp_path.iterdir()) == []


def test_a_failed_observation_says_what_was_expected_and_shows_the_log_and_exits_with_1(
    tmp_path: Path, said: io.StringIO
) -> None:
    assert ended(tmp_path, said, surprised) == 1
    text = said.getvalue()
    assert "FAILED: expected: one is two: 2\nseen: 1" in text
    assert "the operator's last words" in text
    assert "All of it was observed" not in text
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_fails_is_a_failed_observation(tmp_path: Path, said: io.StringIO) -> None:
    assert ended(tmp_path, said, refused) == 1
    assert "the server is on fire" in said.getvalue()


def test_an_interrupted_demo_cleans_up_even_if_it_was_to_be_kept(
    tmp_path: Path, said: io.StringIO
) -> None:
    assert ended(tmp_path, said, interrupted, keep=True) == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", [fine, surprised], ids=["observed", "failed"])
def test_a_demo_that_is_kept_says_how_to_end_it(
    step: Step, tmp_path: Path, said: io.StringIO
) -> None:
    ended(tmp_path, said, step, keep=True)
    assert said.getvalue().endswith("make demo-down\n")
    assert (tmp_path / "demo").exists()


def test_a_bug_in_a_step_is_no_success_and_cleans_up(tmp_path: Path, said: io.StringIO) -> None:
    def broken(stage: Stage) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ended(tmp_path, said, broken, keep=True)
    assert list(tmp_path.iterdir()) == []


def test_every_step_has_a_headline_of_its_own() -> None:
    assert len({title for title, _ in STEPS}) == len(STEPS)
