"""Any operator as a process that is killed and started again, as kubelet would."""

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from faults.access import HarnessError

DEFAULT_ENVIRONMENT: Mapping[str, str] = {
    "BIND_ADDRESS": "127.0.0.1",
    "POD_NAME": "operator-0",
    "POD_NAMESPACE": "semantic-router-operator-system",
    "RELIST_SECONDS": "5",
}
"""How our own operator is run: what a lost event costs is seen in seconds, not in minutes. It keeps
its name in the Lease, so that after a kill it leads again at once."""
STOP_SECONDS = 15.0
ENDS_ALLOWED = 10


@dataclass(frozen=True)
class Program:
    """How an operator is started; our own by default."""

    words: tuple[str, ...] = (sys.executable, "-m", "semantic_router_operator", "run")
    environment: Mapping[str, str] = field(default_factory=lambda: DEFAULT_ENVIRONMENT)

    def having(self, **environment: str) -> "Program":
        """The same with these variables as well."""
        return Program(self.words, {**self.environment, **environment})


def program(text: str, flag: str = "--operator-command") -> Program:
    """The operator of a command line. Raises HarnessError when there is no such program."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        message = f"{flag}: {error}"
        raise HarnessError(message) from None
    if not words:
        message = f"{flag} is empty"
        raise HarnessError(message)
    if shutil.which(words[0]) is None:
        message = f"{flag}: {words[0]} is not a program that can be found and run"
        raise HarnessError(message)
    return Program(words)


class Operator:
    """The operator under test; `keep_running()` starts it again when it has ended."""

    def __init__(self, kubeconfig: Path, log: Path, *, program: Program) -> None:
        self.log = log
        self.kills = self.ends = 0
        """How often it was killed, and how often it ended by itself."""
        self.started_at = 0.0
        self.health_port = _free_port()
        self._program: Program | None = program
        self._environment = {
            **os.environ,
            "HEALTH_PORT": str(self.health_port),
            "METRICS_PORT": str(_free_port()),
            "KUBECONFIG": str(kubeconfig),
        }
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False

    def be(self, program: Program | None) -> None:
        """From now on it is this one, or nobody; one that runs as another ends, by SIGTERM."""
        if program != self._program:
            self.stop()
            self._program = program
        self.keep_running()

    def keep_running(self) -> None:
        """Starts it if it doesn't run. Raises HarnessError when it ends by itself all the time."""
        with self._lock:
            if self._program is None:
                return
            if self._process is not None:
                if self._process.poll() is None:
                    return
                self.ends += 0 if self._killed else 1
            if self.ends > ENDS_ALLOWED:
                message = f"the operator keeps ending by itself; its log ends:\n{self.tail()}"
                raise HarnessError(message)
            self._killed, self.started_at = False, time.monotonic()
            with self.log.open("ab") as output:
                self._process = subprocess.Popen(
                    self._program.words,
                    env={**self._environment, **self._program.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                )

    @property
    def wanted(self) -> bool:
        """Whether somebody is to run."""
        return self._program is not None

    @property
    def running(self) -> bool:
        """Whether there is a process that hasn't ended."""
        with self._lock:
            return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """SIGKILL; returns when it is gone."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                self._killed = True
                self.kills += 1
                self._process.kill()
                self._process.wait()

    def pause(self) -> None:
        """SIGSTOP: it runs no further, and its connections stay."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT."""
        self._signal(signal.SIGCONT)

    def _signal(self, which: signal.Signals) -> None:
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                self._process.send_signal(which)

    def stop(self) -> None:
        """Ends it, also when it is paused, until it is asked to run again."""
        with self._lock:
            process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def tail(self, lines: int = 15) -> str:
        """The end of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
