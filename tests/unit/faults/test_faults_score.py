"""A row that struck at nothing, or at less than it had to, isn't a good one."""

import pytest

from faults.score import row
from faults.trial import Trial


def trials(pattern: str) -> list[Trial]:
    """One for each letter: x struck, - missed."""
    return [
        Trial(state={}, problems=(), writes=1, seconds=1.0, struck=letter == "x")
        for letter in pattern
    ]


def problems(pattern: str, *, kills: bool = False, may_miss: bool = False) -> tuple[str, ...]:
    (reference,) = trials("x")
    found = row("create", "fault", trials(pattern), reference, kills=kills, may_miss=may_miss)
    return found.problems


@pytest.mark.parametrize("pattern", ["x", "xxx", "xx-"])
def test_of_the_kills_the_last_may_miss(pattern: str) -> None:
    assert problems(pattern, kills=True) == ()


@pytest.mark.parametrize("pattern", ["-xx", "x--", "x-x-", "---"])
def test_a_kill_before_the_last_that_misses_is_a_problem(pattern: str) -> None:
    struck = pattern.count("x")
    assert problems(pattern, kills=True) == (
        f"the perturbation struck {struck} of {len(pattern)} times",
    )


def test_the_only_kill_may_not_miss() -> None:
    assert problems("-", kills=True) == ("the perturbation never struck",)


@pytest.mark.parametrize(
    ("pattern", "told"),
    [("-", "the perturbation never struck"), ("x-", "the perturbation struck 1 of 2 times")],
)
def test_another_perturbation_has_to_strike_each_time(pattern: str, told: str) -> None:
    assert problems(pattern) == (told,)


def test_one_that_waits_for_events_may_miss_and_then_has_no_verdict() -> None:
    (reference,) = trials("x")
    found = row("create", "fault", trials("-"), reference, may_miss=True)
    assert (found.problems, found.missed, found.verdict) == ((), 1, "-")
