"""`render`: prints what the operator would apply, without a cluster."""

import argparse
import sys

from semantic_router_operator.cli.manifest_yaml import dump
from semantic_router_operator.cli.offline import add_flags, all_rendered, fail, say
from semantic_router_operator.errors import UserError


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "render",
        help="print what the operator would apply, without a cluster",
        description="Prints the objects that the operator would apply for the SemanticRouters in "
        "the files. Other objects in the files, and those of --cluster, are the cluster to "
        "pretend. Owner references are left out where the router has no metadata.uid. Errors go "
        "to standard error with the field's path, and the exit code is 1.",
    )
    add_flags(parser)
    parser.add_argument(
        "--config-only", action="store_true", help="print only the router's own document"
    )
    parser.set_defaults(execute=_execute)


def _execute(options: argparse.Namespace) -> int:
    texts, failed = [], False
    try:
        for rendered in all_rendered(options):
            errors = [*rendered.errors, *rendered.waits]
            say("warning", rendered.title, rendered.warnings)
            say("error", rendered.title, errors)
            if errors:
                failed = True
            elif options.config_only and rendered.config:
                texts.append(rendered.config.text)
            else:
                texts.extend(dump(manifest.body) for manifest in rendered.manifests)
    except UserError as error:
        return fail("render", error)
    sys.stdout.write("---\n".join(texts))
    return 1 if failed else 0
