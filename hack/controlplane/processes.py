"""Processes that we start, and that we alone end: by pid, checked against reuse."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Command:
    """One program of the control plane; `env` adds to our own environment."""

    name: str
    argv: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()


@dataclass
class Process:
    """A running program: `birth` tells it from a later process with the same pid."""

    name: str
    pid: int
    birth: str
    directory: Path
    popen: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def alive(self) -> bool:
        """Return whether the process that we started still runs."""
        if self.popen is not None:
            return self.popen.poll() is None
        return self.birth != "" and _birth(self.pid) == self.birth

    def end(self) -> None:
        """End the process at once, as a crash would; a process of somebody else is left alone."""
        if self.alive():
            os.kill(self.pid, signal.SIGKILL)
            deadline = time.monotonic() + 10.0
            while self.alive() and time.monotonic() < deadline:
                time.sleep(0.01)
        _pid_file(self.directory, self.name).unlink(missing_ok=True)

    def ask_to_end(self, seconds: float) -> None:
        """Send SIGTERM, and give the process some time to clean up and go."""
        if not self.alive():
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        deadline = time.monotonic() + seconds
        while self.alive() and time.monotonic() < deadline:
            time.sleep(0.02)

    def tail(self, lines: int = 25) -> str:
        """Return the end of the process's log."""
        path = log_file(self.directory, self.name)
        text = path.read_text(errors="replace") if path.exists() else ""
        return "\n".join(line[:400] for line in text.splitlines()[-lines:])


def launch(command: Command, directory: Path, *, outlive_us: bool) -> Process:
    """Start `command` with its log and pid file under `directory`.

    It gets a session of its own, so that Ctrl-C reaches us and not it. Unless it is to outlive
    us, the kernel ends it when we die, however we die.
    """
    for folder in ("logs", "run"):
        (directory / folder).mkdir(exist_ok=True)
    with log_file(directory, command.name).open("ab") as log:
        popen = subprocess.Popen(
            command.argv,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=directory,
            env={**os.environ, **dict(command.env)},
            start_new_session=True,
            preexec_fn=None if outlive_us else _die_with_parent(),  # noqa: PLW1509 - one syscall
        )
    return record(command.name, popen.pid, directory, popen)


def record(
    name: str, pid: int, directory: Path, popen: subprocess.Popen[bytes] | None = None
) -> Process:
    """Note under `directory` that the process is ours, for `recorded` of a later run."""
    process = Process(name, pid, _birth(pid), directory, popen)
    (directory / "run").mkdir(exist_ok=True)
    note = json.dumps({"pid": process.pid, "birth": process.birth})
    _pid_file(directory, name).write_text(note)
    return process


def recorded(directory: Path) -> list[Process]:
    """Return the processes that an earlier run started under `directory`."""
    found = []
    for path in sorted((directory / "run").glob("*.json")):
        note = json.loads(path.read_text())
        found.append(Process(path.stem, note["pid"], note["birth"], directory))
    return found


def log_file(directory: Path, name: str) -> Path:
    """Return where the program `name` writes its log."""
    return directory / "logs" / f"{name}.log"


def _pid_file(directory: Path, name: str) -> Path:
    return directory / "run" / f"{name}.json"


def _birth(pid: int) -> str:
    """Return a mark of the process, the same while it lives; "" when there is none."""
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return ""
        fields = stat.rpartition(")")[2].split()
        state, started = fields[0], fields[19]
    else:
        command = ["/bin/ps", "-o", "stat=,lstart=", "-p", str(pid)]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        state, _, started = answer.stdout.strip().partition(" ")
    return "" if state[:1] in {"Z", "X"} else started


def _die_with_parent() -> Callable[[], None] | None:
    """Return what a child runs before exec to get a SIGKILL when we die (Linux only)."""
    if sys.platform != "linux":
        return None
    libc, parent = ctypes.CDLL(None), os.getpid()

    def ask_the_kernel() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # we died in between
            os._exit(1)

    return ask_the_kernel
