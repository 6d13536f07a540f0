"""`run`: its flags, made from the table of settings, and the start of the operator.

The operator itself is imported only when it runs, so that `render` and `--help` stay quick.
"""

import argparse
import os
import sys
from dataclasses import fields

from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.settings import Settings, flag_name, load


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "run",
        help="run the operator against the cluster of the current context, or its own",
        description="Runs the operator. In a pod it uses the pod's ServiceAccount, elsewhere the "
        "current kube context (KUBECONFIG). Each flag has an environment variable; the flag wins.",
    )
    for item in fields(Settings):
        default = item.default if item.default != "" else "empty"
        parser.add_argument(
            flag_name(item.name),
            dest=item.name,
            metavar="VALUE",
            help=f"{item.metadata['help']} Environment: {item.metadata['env']}. "
            f"Default: {str(default).lower() if isinstance(default, bool) else default}.",
        )
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    flags = {item.name: getattr(options, item.name) for item in fields(Settings)}
    try:
        settings = load(os.environ, flags)
    except InvalidSpec as error:
        print(f"semantic-router-operator run: {error.message}", file=sys.stderr)  # noqa: T201
        return 2
    from semantic_router_operator.cli.run_command import run  # noqa: PLC0415

    return run(settings)
