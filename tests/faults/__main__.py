"""`python -m faults`: scores an operator, and prints the table. Exit code 1 when a row failed, 2
when the harness was asked for something that it can't do."""

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from controlplane import ControlPlane, ControlPlaneError
from faults import score
from faults.access import HarnessError
from faults.harness import Harness
from faults.perturbations import PERTURBATIONS
from faults.process import DEFAULT_COMMAND, DEFAULT_ENVIRONMENT, command
from faults.scenarios import SCENARIOS
from installation import install

KILLS = "kill at each write"
T = TypeVar("T")


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _scored(options)
    except (HarnessError, ControlPlaneError) as error:
        sys.stderr.write(f"faults: {error}\n")
        return 2


def _scored(options: argparse.Namespace) -> int:
    words = command(options.operator_command) if options.operator_command else DEFAULT_COMMAND
    scenarios = _chosen({one.name: one for one in SCENARIOS}, options.scenario)
    perturbations = _chosen({one.name: one for one in PERTURBATIONS}, options.perturbation, KILLS)
    kills = not options.perturbation or KILLS in options.perturbation
    found = []
    with tempfile.TemporaryDirectory(prefix="faults-") as folder, contextlib.ExitStack() as stack:
        directory = Path(folder)
        admin, own = stack.enter_context(_cluster(options, directory))
        harness = stack.enter_context(
            Harness.over(
                admin,
                directory,
                operator_kubeconfig=own,
                words=words,
                environment=DEFAULT_ENVIRONMENT,
            )
        )
        score.say(score.HEAD)
        for row in score.rows(harness, scenarios, perturbations, kills=kills):
            found.append(row)
            score.say(score.line(row))
    score.say(score.total(found))
    return 1 if any(row.problems for row in found) else 0


@contextlib.contextmanager
def _cluster(options: argparse.Namespace, directory: Path) -> Iterator[tuple[Path, Path]]:
    """The kubeconfigs of an administrator and of the operator."""
    if options.kubeconfig is not None:
        yield options.kubeconfig, options.operator_kubeconfig or options.kubeconfig
        return
    with ControlPlane.start(directory / "control-plane") as plane:
        yield plane.kubeconfig, options.operator_kubeconfig or install(plane)


def _chosen(known: dict[str, T], names: Sequence[str], *others: str) -> list[T]:
    for name in names:
        if name not in known and name not in others:
            text = ", ".join((*known, *others))
            message = f"{name!r} is not known; known are: {text}"
            raise HarnessError(message)
    return [one for name, one in known.items() if not names or name in names]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="faults", description="Scores an operator for SemanticRouters under faults."
    )
    parser.add_argument("--operator-command", default="", help="how the operator is started")
    parser.add_argument(
        "--kubeconfig",
        type=Path,
        help="of an administrator of a cluster with the CRD; default: a control plane of its own",
    )
    parser.add_argument(
        "--operator-kubeconfig", type=Path, help="the operator's own; default: --kubeconfig"
    )
    parser.add_argument(
        "--scenario", action="append", default=[], help="only this one; may be repeated"
    )
    parser.add_argument(
        "--perturbation",
        action="append",
        default=[],
        help=f"only this one; may be repeated; {KILLS!r} stands for all kills",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
