"""Other programs, run so that a failure tells what they said."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from controlplane.progress import Reporter
from kind.errors import CommandError

TAIL_LINES = 20


def step(
    reporter: Reporter,
    label: str,
    argv: list[str],
    log: Path,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a command that takes its time, reporting; its log is kept when it fails.

    `environment` adds to ours. Raises CommandError with the end of the log.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    settings = [f"{name}={value}" for name, value in (environment or {}).items()]
    try:
        failed = reporter.run(label, ["env", *settings, *argv], log) != 0
    except OSError as error:
        raise CommandError(str(error)) from None
    if failed:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-TAIL_LINES:])
        message = f"{label} failed (all of it: {log}):\n{tail}"
        raise CommandError(message)
    log.unlink()


def output(
    *argv: str, environment: Mapping[str, str] | None = None, stdin: str | None = None
) -> str:
    """Run a short command and return what it prints. Raises CommandError."""
    try:
        done = subprocess.run(
            argv,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            env=None if environment is None else dict(environment),
        )
    except OSError as error:
        raise CommandError(str(error)) from None
    if done.returncode != 0:
        words = " ".join(argv[:4])
        message = f"`{words}` ended with {done.returncode}: {done.stderr.strip()[-2000:]}"
        raise CommandError(message)
    return done.stdout
