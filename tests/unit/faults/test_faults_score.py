"""A row that struck at nothing, or at less than it had to, isn't a good one."""

from typing import Literal

import pytest

from faults.score import row
from faults.trial import Trial


def trials(pattern: str) -> list[Trial]:
    """One for each letter: x struck, - missed."""
    return [
        Trial(state={}, problems=(), writes=1, seconds=1.0, struck=letter == "x")
        for letter in pattern
    ]


def problems(pattern: str, may_miss: Literal["none", "late"]) -> tuple[str, ...]:
    (reference,) = trials("x")
    return row("create", "fault", trials(pattern), reference, may_miss=may_miss).problems


@pytest.mark.parametrize("pattern", ["x", "xxx", "xx-", "xxxx--"])
def test_of_the_kills_the_last_third_may_miss(pattern: str) -> None:
    assert problems(pattern, "late") == ()


@pytest.mark.parametrize("pattern", ["-xx", "x--", "x-x-", "xxx---", "---"])
def test_a_kill_before_them_that_misses_is_a_problem(pattern: str) -> None:
    struck = pattern.count("x")
    assert problems(pattern, "late") == (
        f"the perturbation struck {struck} of {len(pattern)} times",
    )


def test_the_only_kill_may_not_miss() -> None:
    assert problems("-", "late") == ("the perturbation never struck",)


@pytest.mark.parametrize(
    ("pattern", "told"),
    [("-", "the perturbation never struck"), ("x-", "the perturbation struck 1 of 2 times")],
)
def test_another_perturbation_has_to_strike_each_time(pattern: str, told: str) -> None:
    assert problems(pattern, "none") == (told,)


def test_one_that_waits_for_events_may_miss_and_then_has_no_verdict() -> None:
    (reference,) = trials("x")
    found = row("create", "fault", trials("-"), reference, may_miss="any")
    assert (found.problems, found.missed, found.verdict) == ((), 1, "-")
