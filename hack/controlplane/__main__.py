"""`python -m controlplane`: build the programs, start, stop and look at a control plane."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from controlplane.binaries import locate
from controlplane.errors import ControlPlaneError
from controlplane.plane import ControlPlane


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit status."""
    args = _parser().parse_args(argv)
    try:
        return _COMMANDS[args.command](args)
    except ControlPlaneError as error:
        print(f"controlplane: {error}", file=sys.stderr)
        return 1


def _build(_args: argparse.Namespace) -> int:
    for program, path in locate().paths.items():
        print(f"{program}\t{path}")
    return 0


def _start(args: argparse.Namespace) -> int:
    locate()
    began = time.monotonic()
    audit_log = Path(args.audit_log).absolute() if args.audit_log else None
    plane = ControlPlane.start(
        Path(args.dir), with_kwok=not args.no_kwok, audit_log=audit_log, detached=True
    )
    print(f"control plane ready after {time.monotonic() - began:.1f} s", file=sys.stderr)
    print(f"export KUBECONFIG={plane.kubeconfig}")
    return 0


def _stop(args: argparse.Namespace) -> int:
    plane = ControlPlane.attach(Path(args.dir))
    print(f"stopping {', '.join(plane.running()) or 'nothing: it does not run'}", file=sys.stderr)
    plane.stop()
    return 0


def _status(args: argparse.Namespace) -> int:
    plane = ControlPlane.attach(Path(args.dir))
    for name, pid in plane.running().items():
        print(f"{name}\t{pid}")
    ready = plane.ready()
    print(f"{plane.server} is {'ready' if ready else 'not ready'}")
    return 0 if ready else 1


_COMMANDS = {"build": _build, "start": _start, "stop": _stop, "status": _status}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="controlplane", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build", help="build the programs that are missing; print where all are")
    for name, help_text in (
        ("start", "start one in the background; print the KUBECONFIG line"),
        ("stop", "end what `start` started in the folder"),
        ("status", "print what runs; exit 1 when the API server isn't ready"),
    ):
        command = commands.add_parser(name, help=help_text)
        command.add_argument("--dir", required=True, help="the folder that holds all its state")
        if name == "start":
            command.add_argument(
                "--no-kwok", action="store_true", help="no nodes: pods stay Pending"
            )
            command.add_argument("--audit-log", help="log every request to this file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
