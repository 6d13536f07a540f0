"""`python -m faults.skewed SECONDS run ...`: the operator on a machine whose clock is wrong by that
much. Every time that the operator writes or compares comes from this one clock."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import semantic_router_operator.cli.run_command as command
from semantic_router_operator import __main__ as program
from semantic_router_operator.settings import Settings


class SkewedClock:
    """ports.Clock that is wrong."""

    def __init__(self, seconds: float) -> None:
        self._error = timedelta(seconds=seconds)

    def now(self) -> datetime:
        """Now, in UTC, and wrong."""
        return datetime.now(UTC) + self._error


def main(arguments: Sequence[str]) -> int:
    """The operator's exit code."""
    clock, right = SkewedClock(float(arguments[0])), command.run

    def run(settings: Settings) -> int:
        return right(settings, clock)

    command.run = run  # type: ignore[assignment]  # the command line has no flag for this
    return program.main(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
