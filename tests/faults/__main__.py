"""`python -m faults`: scores an operator, and prints the table. Exit code 1 when a row failed, 2
when the harness was asked for something that it can't do."""

import argparse
import contextlib
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from controlplane import ControlPlane, ControlPlaneError
from faults import score
from faults.access import Access, HarnessError
from faults.harness import Harness, Setup
from faults.kinds import serve
from faults.perturbations import PERTURBATIONS, Perturbation
from faults.previous import previous
from faults.process import Program, program
from faults.scenario import Scenario
from faults.scenarios import SCENARIOS
from faults.shards import Shards
from installation import install

KILLS = "kill at each write"
JOBS = 3
MOST_JOBS = 16
T = TypeVar("T", Scenario, Perturbation)


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    options = _parser().parse_args(arguments)
    try:
        with _ended_by_sigterm():
            return _scored(options)
    except (HarnessError, ControlPlaneError) as error:
        sys.stderr.write(f"faults: {error}\n")
        return 2


def _scored(options: argparse.Namespace) -> int:
    began = time.monotonic()
    tested = program(options.operator_command) if options.operator_command else Program()
    scenarios = _without_previous(_chosen(SCENARIOS, options.scenario), options)
    perturbations = _chosen(PERTURBATIONS, options.perturbation, KILLS)
    jobs = _jobs(options, len(scenarios))
    if options.kubeconfig is not None:
        Access.read(options.kubeconfig).check()
    found: list[score.Row] = []
    with _directory(options.directory) as directory:
        work = _Work(options, directory, tested, perturbations)
        work.unpack(scenarios)
        score.say(score.HEAD)
        shards = Shards(work.cluster, work.play, work.stop, _progress)
        with contextlib.closing(shards.rows(scenarios, jobs=jobs)) as parts:
            for rows in parts:
                found += rows
                for row in rows:
                    score.say(score.line(row))
    minutes = (time.monotonic() - began) / 60
    score.say(f"{score.total(found)}; {minutes:.0f} min with {jobs} at a time")
    return 1 if any(row.problems for row in found) else 0


class _Work:
    """What the shards do."""

    def __init__(
        self,
        options: argparse.Namespace,
        directory: Path,
        tested: Program,
        perturbations: Sequence[Perturbation],
    ) -> None:
        self.stop = threading.Event()
        self._options = options
        self._directory = directory
        self._tested = tested
        self._previous: Program | None = None
        self._perturbations = perturbations

    def unpack(self, scenarios: Sequence[Scenario]) -> None:
        """Gets the version before, if a scenario asks for it."""
        if self._options.previous_command:
            self._previous = program(self._options.previous_command, "--previous-command")
        elif any("previous" in (one.before, one.after) for one in scenarios):
            self._previous = previous(self._directory / "previous")

    @contextlib.contextmanager
    def cluster(self, number: int) -> Iterator[Harness]:
        """A cluster and an operator, while the block lasts."""
        directory = self._directory / f"shard-{number}"
        directory.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            admin, own = self._options.kubeconfig, self._options.operator_kubeconfig
            if admin is None:
                plane = stack.enter_context(ControlPlane.start(directory / "control-plane"))
                serve(plane)
                admin, own = plane.kubeconfig, own or install(plane)
            setup = Setup(
                admin,
                directory,
                operator_kubeconfig=own,
                tested=self._tested,
                previous=self._previous,
                stop=self.stop,
            )
            yield stack.enter_context(Harness.over(setup))

    def play(self, harness: Harness, scenario: Scenario) -> Iterator[score.Row]:
        """The rows of a scenario. What was asked for by name is run, whatever the scenario says."""
        lacking = [kind for kind in scenario.needs if not harness.serves(kind)]
        if lacking:
            return iter([score.Row(scenario.name, f"not run: no {' '.join(lacking)}", runs=0)])
        named = self._options.perturbation
        kills = not named or KILLS in named
        chosen = [one for one in self._perturbations if named or _goes_with(one, scenario)]
        return score.rows(harness, scenario, chosen, kills=kills)


def _goes_with(one: Perturbation, scenario: Scenario) -> bool:
    wanted = not scenario.perturbations or one.name in scenario.perturbations
    return wanted and (not one.only or scenario.name in one.only)


def _chosen(known: Sequence[T], names: Sequence[str], *others: str) -> list[T]:
    words: list[str] = [one.name for one in known]
    for name in names:
        if name not in words and name not in others:
            message = f"{name!r} is not known; known are: {', '.join((*words, *others))}"
            raise HarnessError(message)
    return [one for one in known if not names or one.name in names]


def _without_previous(chosen: list[Scenario], options: argparse.Namespace) -> list[Scenario]:
    """The version before ours says nothing about somebody else's operator."""
    if not options.operator_command or options.previous_command or options.scenario:
        return chosen
    kept = [one for one in chosen if "previous" not in (one.before, one.after)]
    left_out = [one.name for one in chosen if one not in kept]
    sys.stderr.write(f"without --previous-command, these are left out: {', '.join(left_out)}\n")
    return kept


def _jobs(options: argparse.Namespace, scenarios: int) -> int:
    """How many shards. A cluster that was given bears one: two operators would share its Lease."""
    if options.kubeconfig is not None and (options.jobs or 1) > 1:
        message = "--jobs above 1 needs control planes of our own: leave --kubeconfig out"
        raise HarnessError(message)
    jobs = 1 if options.kubeconfig is not None else options.jobs or JOBS
    return min(jobs, scenarios)


@contextlib.contextmanager
def _directory(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        yield Path(folder)


@contextlib.contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """SIGTERM ends us as Ctrl-C does: whatever we started ends first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _progress(shard: int, row: score.Row) -> None:
    text = f"{row.scenario}, {row.perturbation}: {row.verdict}, {row.recovery:.1f} s"
    sys.stderr.write(f"[{shard}] {text}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="faults", description="Scores an operator for SemanticRouters under faults."
    )
    add = parser.add_argument
    add("--operator-command", default="", help="how the operator is started; default: ours")
    add(
        "--previous-command",
        default="",
        help="how its version before is started, for upgrade and downgrade; default: that of ours",
    )
    add(
        "--kubeconfig",
        type=Path,
        help="of an administrator of a cluster with the CRD; default: control planes of our own",
    )
    add("--operator-kubeconfig", type=Path, help="the operator's own; default: --kubeconfig")
    add("--scenario", action="append", default=[], help="only this one; may be repeated")
    add(
        "--perturbation",
        action="append",
        default=[],
        help=f"only this one; may be repeated; {KILLS!r} stands for all kills",
    )
    add("--jobs", type=_number_of_jobs, help=f"scenarios side by side; default: {JOBS}")
    add("--directory", type=Path, help="where logs and control planes are kept; default: nowhere")
    return parser


def _number_of_jobs(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST_JOBS:
        message = f"{text!r} is not a whole number from 1 to {MOST_JOBS}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
