"""The demo's command line."""

import argparse
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from controlplane import ControlPlaneError, locate
from demo.folder import Folder
from demo.screen import Screen
from demo.stage import Stage, Unobserved
from demo.tour import STEPS, Step
from installation import StartError

FOLDER = ".demo"
LOG_LINES = 25
Handler = signal.Handlers | Callable[[int, FrameType | None], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs or ends the demo; 0 only if everything was observed."""
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument("command", nargs="?", choices=("up", "down"), default="up")
    parser.add_argument("--dir", default=FOLDER, help=f"the demo's folder (default: {FOLDER})")
    options = parser.parse_args(arguments)
    folder = Folder(Path(options.dir))
    screen = Screen(sys.stdout, steps=len(STEPS))
    if options.command == "down":
        return _down(folder, screen)
    keep = os.environ.get("KEEP", "") not in {"", "0", "no", "false"}
    try:
        folder.claim()
    except ControlPlaneError as error:
        screen.failed(f"demo: {error}")
        return 1
    with _signals(_interrupt, signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C does
        return run(Stage(folder, screen, keep=keep), STEPS)


def _down(folder: Folder, screen: Screen) -> int:
    ended = folder.end()
    screen.plain(f"ended: {', '.join(ended)}" if ended else "no demo runs")
    return 0


def run(stage: Stage, steps: Iterable[Step]) -> int:
    """The tour, and what comes after it in any case; the exit code."""
    keep, code = stage.keep, 1
    try:
        for title, step in steps:
            stage.screen.step(title)
            step(stage)
        code = 0
    except (Unobserved, ControlPlaneError, StartError) as error:
        stage.screen.failed(f"\nFAILED: {error}")
        _tail(stage)
    except KeyboardInterrupt:
        keep, code = False, 130
        stage.screen.failed("\ninterrupted")
    except BaseException:
        keep = False
        raise
    finally:
        if not keep:
            _clean_up(stage)
    _farewell(stage, code, kept=keep)
    return code


def _tail(stage: Stage) -> None:
    if not stage.folder.log.exists():
        return
    lines = stage.folder.log.read_text(errors="replace").splitlines()[-LOG_LINES:]
    stage.screen.plain("the end of the operator's log:")
    stage.screen.output("\n".join(lines) or "(empty)")


def _clean_up(stage: Stage) -> None:
    """Ends everything that we started; a second Ctrl-C doesn't interrupt it."""
    with _signals(signal.SIG_IGN, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if stage.operator is not None:
            stage.operator.stop()
        if stage.has_plane:
            stage.plane.stop()
        stage.folder.end()


def _farewell(stage: Stage, code: int, *, kept: bool) -> None:
    screen = stage.screen
    if code == 0:
        screen.plain("\nAll of it was observed.")
    if not kept:
        return
    screen.plain("\nIt is left running. Look around with")
    if stage.has_plane:
        if shutil.which("kubectl") is None:
            screen.plain(f"  export PATH=$PATH:{Path(locate().path('kubectl')).parent}")
        screen.plain(f"  export KUBECONFIG={stage.plane.kubeconfig}")
    screen.plain("and end it with\n  make demo-down")


def _interrupt(_signum: int, _frame: object) -> None:
    raise KeyboardInterrupt


@contextlib.contextmanager
def _signals(handler: Handler, *signums: signal.Signals) -> Iterator[None]:
    """Answers these signals so while the block runs."""
    before = {signum: signal.signal(signum, handler) for signum in signums}
    try:
        yield
    finally:
        for signum, known in before.items():
            signal.signal(signum, known)


if __name__ == "__main__":
    sys.exit(main())
