"""`python -m kind`: make a kind cluster, check it, load images into it, end it."""

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from controlplane.errors import ControlPlaneError
from controlplane.progress import Reporter
from kind import checks, cluster, modes, operator_image
from kind.errors import CommandError, KindError, Unsupported
from kind.layout import Layout

UNSUPPORTED = 2
"""Exit status: this machine can't, or the arguments are wrong (argparse's own status)."""
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit status."""
    args = _parser().parse_args(argv)
    layout = Layout(Path(args.dir).absolute())
    reporter = Reporter()
    try:
        with layout.alone(reporter):
            return int(args.run(args, layout, reporter))
    except Unsupported as error:
        print(f"kind: {error}", file=sys.stderr)
        return UNSUPPORTED
    except ControlPlaneError as error:
        print(f"kind: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("kind: interrupted", file=sys.stderr)
        return INTERRUPTED


def _up(args: argparse.Namespace, layout: Layout, reporter: Reporter) -> int:
    began = time.monotonic()
    if layout.notes.exists():
        _answers(cluster.attach(layout, reporter))
        reporter.say("the cluster is there already")
    else:
        wanted = modes.wanted(os.environ)
        mode = modes.choose(modes.look(wanted), wanted)
        reporter.say(f"nodes: {mode} (KIND_MODE)")
        _create(args, layout, mode, reporter)
        reporter.say(f"the cluster is ready after {time.monotonic() - began:.0f} s")
    print(f"export KUBECONFIG={layout.kubeconfig}")
    return 0


def _answers(made: cluster.Cluster) -> None:
    try:
        made.kubectl("get", "--raw", "/readyz")
    except CommandError as error:
        message = f"the cluster that was made here doesn't answer; `make kind-down` first: {error}"
        raise KindError(message) from None


def _create(args: argparse.Namespace, layout: Layout, mode: modes.Mode, reporter: Reporter) -> None:
    """What can't be finished is taken down again, and Ctrl-C too."""
    try:
        cluster.create(layout, mode, name=args.name, nodes=args.nodes, reporter=reporter)
    except BaseException:
        if not os.environ.get("KIND_KEEP"):
            reporter.say("not made: taking down what was begun (KIND_KEEP=1 keeps it)")
            try:
                cluster.destroy(layout, reporter)
            except KindError as error:  # why it wasn't made comes last, and is what counts
                reporter.say(f"kind: {error}")
        raise


def _down(_args: argparse.Namespace, layout: Layout, reporter: Reporter) -> int:
    began = time.monotonic()
    cluster.destroy(layout, reporter)
    reporter.say(f"the cluster is gone after {time.monotonic() - began:.0f} s; left: nothing")
    return 0


def _leftovers(_args: argparse.Namespace, layout: Layout, _reporter: Reporter) -> int:
    found = cluster.remains(layout)
    print("\n".join(found) or "nothing")
    return 1 if found else 0


def _check(_args: argparse.Namespace, layout: Layout, reporter: Reporter) -> int:
    return checks.run(cluster.attach(layout, reporter), reporter)


def _load(args: argparse.Namespace, layout: Layout, reporter: Reporter) -> int:
    made = cluster.attach(layout, reporter)
    for image in args.image:
        made.load(image)
        reporter.say(f"loaded {image}")
    return 0


def _image(args: argparse.Namespace, layout: Layout, reporter: Reporter) -> int:
    made = cluster.attach(layout, reporter)
    tag = args.tag or operator_image.tag_of_the_manifests()
    operator_image.build(made, tag, reporter)
    reporter.say(operator_image.describe(made, tag))
    version = operator_image.prove(made, tag)
    reporter.say(f"it runs as any uid on a read-only root: version {version}")
    made.load(tag)
    reporter.say(f"loaded {tag}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kind", description=__doc__)
    parser.add_argument("--dir", default=".kind", help="the cluster's folder (default: .kind)")
    commands = parser.add_subparsers(required=True)
    up = commands.add_parser("up", help="make a cluster; print its KUBECONFIG line")
    up.add_argument("--name", default="semantic-router", help="the cluster's name")
    up.add_argument("--nodes", type=int, default=2, choices=(1, 2, 3), help="default: 2")
    up.set_defaults(run=_up)
    image = commands.add_parser("image", help="build the operator's image, load it to every node")
    image.add_argument("--tag", default="", help="REPOSITORY:TAG (default: as in manifests/)")
    image.set_defaults(run=_image)
    load = commands.add_parser("load", help="copy images to every node")
    load.add_argument("image", nargs="+", help="an archive (docker's or OCI's), or a name")
    load.set_defaults(run=_load)
    for name, run, text in (
        ("down", _down, "end it and all that was started for it"),
        ("check", _check, "does it do what tests lean on? One line a check"),
        ("leftovers", _leftovers, "print what of it is on the machine; exit 1 if anything is"),
    ):
        commands.add_parser(name, help=text).set_defaults(run=run)
    return parser


def _interrupt(_signum: int, _frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _interrupt)  # as Ctrl-C: what was begun is taken down
    sys.exit(main())
