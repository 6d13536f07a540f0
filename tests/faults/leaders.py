"""`python -m faults.leaders`: leaders are killed and stopped while routers change, and the API
server's audit log tells who wrote when. Exit code 1 when something wasn't as it must be, 2 when it
was asked for what it can't do."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from cluster.live_objects import Kube, new_place
from controlplane import ControlPlaneError
from faults import lead_log
from faults.access import HarnessError
from faults.churn import Churn, churning
from faults.contenders import Contenders, audited_plane
from faults.disturbance import Blow, Kill, Pause, disturb, plan
from faults.failover import FIRST_WRITE_SECONDS, LEADER_SECONDS, Verdict, judge
from faults.score import say


@dataclass(frozen=True)
class Course:
    """What is run: how many operators and routers, which blows, how much change."""

    blows: Sequence[Kill | Pause]
    operators: int = 2
    routers: int = 20
    churn_seconds: float = 1.0
    skew_seconds: float = 3600.0

    @property
    def skews(self) -> list[tuple[float, ...]]:
        """For each operator its clock's errors, one for each start in turn; the first is right."""
        wrong = (self.skew_seconds, -self.skew_seconds)
        return [(0.0,), *(wrong[n % 2 :] + wrong[: n % 2] for n in range(self.operators - 1))]


def run(course: Course, folder: Path) -> Verdict:
    """Runs it on a control plane of its own, and judges what came of it. Raises HarnessError."""
    with (
        audited_plane(folder) as (plane, log),
        new_place(plane, "leaders") as place,
        closing(Kube(plane)) as kube,
    ):
        churn = Churn(place, course.routers)
        with Contenders.over(plane, kube, folder, course.skews) as them:
            churn.prepare()
            blows: list[Blow] = []
            with churning(churn, every=course.churn_seconds):
                for one in course.blows:
                    blows.append(disturb(them, one))
                    say(f"{blows[-1]}; then {them.holder() or 'nobody'} leads")
            lost, surplus = churn.lost(), churn.surplus()
        requests = lead_log.read(log)
    return judge(requests, blows, lost=lost, surplus=surplus, steps=churn.steps)


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    options = _parser().parse_args(arguments)
    try:
        course = _course(options)
        with tempfile.TemporaryDirectory(prefix="leaders-") as folder:
            verdict = run(course, Path(folder))
    except (HarnessError, ControlPlaneError) as error:
        sys.stderr.write(f"faults.leaders: {error}\n")
        return 2
    for line in verdict.lines():
        say(line)
    return 1 if verdict.problems else 0


def _course(options: argparse.Namespace) -> Course:
    for name, least in (
        ("minutes", 0.5),
        ("every", 20),
        ("pause", 15),
        ("operators", 2),
        ("routers", 1),
        ("churn", 0.1),
        ("skew", 0),
    ):
        if not getattr(options, name) >= least:
            message = f"--{name}: must be {least} or more"
            raise HarnessError(message)
    return Course(
        plan(options.minutes * 60, every=options.every, pause=options.pause),
        operators=options.operators,
        routers=options.routers,
        churn_seconds=options.churn,
        skew_seconds=options.skew,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="faults.leaders",
        description="Kills and stops the leader of several operators, and reads in the API "
        "server's audit log who wrote when.",
        epilog=f"A new leader within {LEADER_SECONDS:g} s, which writes within "
        f"{FIRST_WRITE_SECONDS:g} s; no write by anybody else; no change lost.",
    )
    for flag, kind, default, text in (
        ("--minutes", float, 15, "how long"),
        ("--every", float, 30, "seconds from one kill of the leader to the next"),
        ("--pause", float, 60, "seconds that a leader is stopped (SIGSTOP), each fourth time"),
        ("--operators", int, 2, "how many stand for the Lease"),
        ("--routers", int, 20, "how many routers change meanwhile"),
        ("--churn", float, 1, "seconds from one change to the next"),
        ("--skew", float, 3600, "seconds by which all clocks but the first are wrong"),
    ):
        parser.add_argument(flag, type=kind, default=default, help=f"{text}; default: {default}")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
