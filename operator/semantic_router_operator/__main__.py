"""Composition root of the command line."""

import argparse
import sys
from collections.abc import Sequence

from semantic_router_operator import __version__
from semantic_router_operator.cli import (
    crd_command,
    render_command,
    revision_arguments,
    run_arguments,
    validate_command,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command that the arguments name; the exit code."""
    parser = argparse.ArgumentParser(
        prog="semantic-router-operator",
        description="Kubernetes operator for vLLM Semantic Router.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run_arguments.register(commands)
    render_command.register(commands)
    validate_command.register(commands)
    crd_command.register(commands)
    revision_arguments.register(commands)
    options = parser.parse_args(arguments)
    return int(options.execute(options))


if __name__ == "__main__":
    sys.exit(main())
