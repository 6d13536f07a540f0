"""The score: each scenario with each perturbation, as one table."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from faults.harness import Harness, Trial
from faults.perturbations import Perturbation, killing
from faults.scenarios import Scenario

PROBLEMS_SHOWN = 8


@dataclass(frozen=True)
class Row:
    """One line of the table: some runs of a scenario with one perturbation."""

    scenario: str
    perturbation: str
    runs: int = 1
    missed: int = 0
    """Runs in which the perturbation found nothing to strike at."""
    extra_writes: int = 0
    seconds: float = 0.0
    problems: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """yes, NO, or - when there was nothing to strike at."""
        if self.problems:
            return "NO"
        return "-" if self.missed == self.runs else "yes"


def row(scenario: str, perturbation: str, trials: Sequence[Trial], reference: Trial) -> Row:
    """The worst of the trials. One run that misses is a failure; of the kills at each write only
    the last may, since how often a status is written depends on how fast the pods are."""
    missed = sum(not trial.struck for trial in trials)
    problems = [problem for trial in trials for problem in trial.problems]
    if missed and len(trials) == 1:
        problems.append("the perturbation never struck")
    extra = max((trial.writes - reference.writes for trial in trials), default=0)
    seconds = max((trial.seconds for trial in trials), default=0.0)
    found = tuple(problems)
    return Row(scenario, perturbation, len(trials), missed, max(extra, 0), seconds, found)


def rows(
    harness: Harness,
    scenarios: Iterable[Scenario],
    perturbations: Sequence[Perturbation],
    *,
    kills: bool = True,
) -> Iterator[Row]:
    """Runs everything, a row at a time. Raises HarnessError."""
    for scenario in scenarios:
        reference = harness.reference(scenario)
        yield row(scenario.name, "none", [reference], reference)
        if kills and scenario.writes:
            yield from _kills(harness, scenario, reference)
        for one in perturbations:
            if one.on == "writes" and not scenario.writes:
                yield Row(scenario.name, one.name, runs=0)
                continue
            trial = harness.trial(scenario, one, reference)
            yield row(scenario.name, one.name, [trial], reference)


def _kills(harness: Harness, scenario: Scenario, reference: Trial) -> Iterator[Row]:
    for when in ("before", "after"):
        points = range(1, reference.attempts + 1)
        trials = [harness.trial(scenario, killing(when, nth), reference) for nth in points]
        yield row(scenario.name, f"kill {when} each write", trials, reference)


_COLUMNS = "{:<17} {:<32} {:>4} {:>6} {:>8} {:>12} {:>8}"
HEAD = _COLUMNS.format(
    "scenario", "perturbation", "runs", "missed", "same end", "extra writes", "seconds"
)


def line(found: Row) -> str:
    """A row as text, with what is wrong below it."""
    text = _COLUMNS.format(
        found.scenario,
        found.perturbation,
        found.runs,
        found.missed,
        found.verdict,
        found.extra_writes,
        f"{found.seconds:.1f}",
    )
    shown = [f"    {problem}" for problem in found.problems[:PROBLEMS_SHOWN]]
    more = len(found.problems) - PROBLEMS_SHOWN
    return "\n".join([text, *shown, *([f"    and {more} more"] if more > 0 else [])])


def total(found: Sequence[Row]) -> str:
    """One line about all of them."""
    failed = sum(bool(one.problems) for one in found)
    runs = sum(one.runs for one in found)
    slowest = max((one.seconds for one in found), default=0.0)
    return (
        f"{len({one.scenario for one in found})} scenarios, {runs} runs, {failed} rows failed, "
        f"slowest recovery {slowest:.1f} s"
    )


def say(text: str) -> None:
    """On standard output, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
