"""The score: each scenario with each perturbation, as one table."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cluster.live_objects import Refused
from faults.access import HarnessError
from faults.harness import Harness, StoppedError
from faults.perturbations import Perturbation, killing
from faults.scenario import Scenario
from faults.trial import Trial

PROBLEMS_SHOWN = 8
FAILURES = (HarnessError, Refused, AssertionError, OSError)
"""What ends one row, and not the others."""


@dataclass(frozen=True)
class Row:
    """One line of the table: some runs of a scenario with one perturbation."""

    scenario: str
    perturbation: str
    runs: int = 1
    of: int = 0
    """Kill points that there are, where only some were tried."""
    missed: int = 0
    """Runs in which the perturbation found nothing to strike at."""
    extra_writes: int = 0
    seconds: float = 0.0
    recovery: float = 0.0
    kept: str = ""
    problems: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """yes, NO, or - when there was nothing to strike at."""
        if self.problems:
            return "NO"
        return "-" if self.missed == self.runs else "yes"


def row(
    scenario: str,
    perturbation: str,
    trials: Sequence[Trial],
    reference: Trial,
    *,
    may_miss: Literal["none", "late", "any"] = "none",
) -> Row:
    """The worst of the trials. One run that misses is a failure, unless it waited for events, which
    may come when they don't matter any more; of several kills at each write the last third may,
    since how often a status is written depends on how fast the pods are: a run that is quicker than
    the one without faults has fewer writes, and the kills before have struck at all of those."""
    missed = sum(not trial.struck for trial in trials)
    problems = [problem for trial in trials for problem in trial.problems]
    late = max(len(trials) // 3, 1) if may_miss == "late" and len(trials) > 1 else 0
    needed = trials[: len(trials) - late]
    if may_miss != "any" and not all(trial.struck for trial in needed):
        often = f"struck {len(trials) - missed} of {len(trials)} times"
        problems.append(f"the perturbation {'never struck' if len(trials) == 1 else often}")
    extra = max((trial.writes - reference.writes for trial in trials), default=0)
    return Row(
        scenario,
        perturbation,
        runs=len(trials),
        missed=missed,
        extra_writes=max(extra, 0),
        seconds=max((trial.seconds for trial in trials), default=0.0),
        recovery=max((trial.recovery for trial in trials), default=0.0),
        kept=min((trial.kept for trial in trials), default=""),
        problems=tuple(problems),
    )


def rows(
    harness: Harness,
    scenario: Scenario,
    perturbations: Iterable[Perturbation],
    *,
    kills: bool = True,
) -> Iterator[Row]:
    """Runs everything of one scenario, a row at a time. A row that can't be run has a problem."""
    try:
        reference = harness.reference(scenario)
    except FAILURES as error:
        yield _failed(scenario, "none", error)
        return
    yield row(scenario.name, "none", [reference], reference)
    writes = scenario.writes and reference.attempts > 0
    if kills and writes:
        yield _kills(harness, scenario, reference, "before")
        yield _kills(harness, scenario, reference, "after")
    for one in perturbations:
        if one.on == "writes" and not writes:
            yield Row(scenario.name, one.name, runs=0)
            continue
        try:
            trials = [harness.trial(scenario, one, reference)]
        except FAILURES as error:
            yield _failed(scenario, one.name, error)
        else:
            may_miss: Literal["none", "any"] = "any" if one.on == "events" else "none"
            yield row(scenario.name, one.name, trials, reference, may_miss=may_miss)


def points(attempts: int, most: int | None) -> list[int]:
    """Which of the writes, from 1 on, the operator is killed at: all, or so many, evenly chosen,
    the first and the last among them."""
    if most is None or attempts <= most:
        return list(range(1, attempts + 1))
    return [1 + round(step * (attempts - 1) / (most - 1)) for step in range(most)]


def _kills(
    harness: Harness, scenario: Scenario, reference: Trial, when: Literal["before", "after"]
) -> Row:
    name = f"kill {when} each write"
    chosen = points(reference.attempts, scenario.kill_points)
    try:
        trials = [harness.trial(scenario, killing(when, nth), reference) for nth in chosen]
    except FAILURES as error:
        return _failed(scenario, name, error)
    found = row(scenario.name, name, trials, reference, may_miss="late")
    return found if len(trials) == reference.attempts else replace(found, of=reference.attempts)


def _failed(scenario: Scenario, perturbation: str, error: Exception) -> Row:
    if isinstance(error, StoppedError):
        raise error
    return Row(scenario.name, perturbation, problems=(f"couldn't be run: {error}",))


_COLUMNS = "{:<17} {:<32} {:>7} {:>6} {:>8} {:>12} {:>7} {:>8} {:>5}"
HEAD = _COLUMNS.format(
    "scenario",
    "perturbation",
    "runs",
    "missed",
    "same end",
    "extra writes",
    "seconds",
    "recovery",
    "pods",
)


def line(found: Row) -> str:
    """A row as text, with what is wrong below it."""
    text = _COLUMNS.format(
        found.scenario,
        found.perturbation,
        f"{found.runs}/{found.of}" if found.of else found.runs,
        found.missed,
        found.verdict,
        found.extra_writes,
        f"{found.seconds:.1f}",
        f"{found.recovery:.1f}",
        found.kept,
    )
    shown = [f"    {problem}" for problem in found.problems[:PROBLEMS_SHOWN]]
    more = len(found.problems) - PROBLEMS_SHOWN
    return "\n".join([text, *shown, *([f"    and {more} more"] if more > 0 else [])])


def total(found: Sequence[Row]) -> str:
    """One line about all of them."""
    failed = sum(bool(one.problems) for one in found)
    runs = sum(one.runs for one in found)
    slowest = max((one.recovery for one in found), default=0.0)
    return (
        f"{len({one.scenario for one in found})} scenarios, {runs} runs, {failed} rows failed, "
        f"slowest recovery {slowest:.1f} s"
    )


def say(text: str) -> None:
    """On standard output, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
