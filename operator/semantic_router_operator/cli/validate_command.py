"""`validate`: every rule that the operator and the router know, without a cluster."""

import argparse
import sys

from semantic_router_operator.cli.offline import add_flags, all_rendered, fail, say
from semantic_router_operator.errors import UserError


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "validate",
        help="check SemanticRouters against every rule, without a cluster",
        description="Checks the SemanticRouters in the files against the CRD's schema and every "
        "rule of the router's own loader (docs/validation.md), and tells all errors at once, with "
        "the field's path. The exit code is 1 when there is an error. What only the cluster can "
        "answer, such as a backend that isn't there, is a warning; --cluster gives it an answer.",
    )
    add_flags(parser)
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    failed = False
    try:
        for rendered in all_rendered(options):
            say("warning", rendered.title, [*rendered.warnings, *rendered.waits])
            say("error", rendered.title, rendered.errors)
            failed = failed or bool(rendered.errors)
            if not rendered.errors:
                sys.stdout.write(f"{rendered.title}: valid\n")
    except UserError as error:
        return fail("validate", error)
    return 1 if failed else 0
