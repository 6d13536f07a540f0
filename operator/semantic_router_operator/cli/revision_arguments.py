"""`history` and `rollback`: their flags. What they need is imported when they run."""

import argparse


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the two commands."""
    history = commands.add_parser(
        "history",
        help="the recorded revisions of a router, and what differs between them",
        description="Lists what the router ran with: each revision is a configuration with its pod "
        "template. With --revision the whole of one, with --diff what differs.",
    )
    _common(history)
    more = history.add_mutually_exclusive_group()
    more.add_argument("--revision", type=_number, metavar="REV", help="print this one whole")
    more.add_argument(
        "--diff",
        type=_number,
        nargs="+",
        metavar="REV",
        help="what differs from this revision to the one that runs, or between two",
    )
    history.set_defaults(execute=_history)
    rollback = commands.add_parser(
        "rollback",
        help="run an earlier revision of a router until its spec changes",
        description="Asks the operator, by an annotation on the SemanticRouter, to run an earlier "
        "revision: configuration and pod template. The spec stays as it is, and the next change of "
        "it ends the rollback.",
    )
    _common(rollback)
    target = rollback.add_mutually_exclusive_group()
    target.add_argument(
        "--to",
        type=_number,
        metavar="REV",
        help="the revision to run; default: the last good one, or the one before the one that runs",
    )
    target.add_argument(
        "--undo", action="store_true", help="take the wish back: run what the spec asks for"
    )
    rollback.add_argument("--dry-run", action="store_true", help="say it, and change nothing")
    rollback.set_defaults(execute=_rollback)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the SemanticRouter")
    parser.add_argument(
        "-n", "--namespace", default="", help="default: the namespace of the kube context"
    )
    parser.add_argument("--context", default="", help="the kube context; default: the current one")
    parser.add_argument(
        "--kubeconfig", default="", help="default: $KUBECONFIG, or ~/.kube/config, or the pod's own"
    )


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        message = f"{text!r} is not the number of a revision, such as 3"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _history(options: argparse.Namespace) -> int:
    from semantic_router_operator.cli.history_command import run  # noqa: PLC0415

    return run(options)


def _rollback(options: argparse.Namespace) -> int:
    from semantic_router_operator.cli.rollback_command import run  # noqa: PLC0415

    return run(options)
