"""`crd`: the CustomResourceDefinition, made from the model."""

from typing import TYPE_CHECKING

from semantic_router_operator.crd import crd_main

if TYPE_CHECKING:
    import argparse


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "crd",
        help="write the generated CRD into crds/",
        description="Writes crds/ from the model; with --check only says whether it is up to date.",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if outdated")
    parser.set_defaults(execute=lambda options: crd_main(options.check))
