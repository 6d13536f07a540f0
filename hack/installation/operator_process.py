"""The operator as a process of ours."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

START_SECONDS = 30.0
STOP_SECONDS = 15.0


class StartError(Exception):
    """The operator ended, or wasn't ready in time; the message has the end of its log."""


class OperatorProcess:
    """`semantic-router-operator run` with a kubeconfig, ports on loopback and a log file."""

    def __init__(
        self, kubeconfig: Path, log: Path, *, environment: dict[str, str] | None = None
    ) -> None:
        self.log = log
        self._health, self._metrics = _free_port(), _free_port()
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(kubeconfig),
            "BIND_ADDRESS": "127.0.0.1",
            "HEALTH_PORT": str(self._health),
            "METRICS_PORT": str(self._metrics),
            "POD_NAMESPACE": "semantic-router-operator-system",
            **(environment or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *, wait: bool = True, detached: bool = False) -> Self:
        """Starts it; waits until /readyz says so. `detached`: it outlives us.

        Raises StartError.
        """
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "semantic_router_operator", "run"],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=detached,
            )
        if wait:
            self._wait_until_ready()
        return self

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ends it and returns its exit code; kills it when it doesn't go by itself."""
        if self._process is None:
            return 0
        self._process.send_signal(how)
        try:
            code = self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._process = None
        return code

    def __enter__(self) -> Self:
        """Starts it."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends it."""
        self.stop()

    @property
    def pid(self) -> int:
        """The process id while it runs, else 0."""
        return self._process.pid if self._process else 0

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    @property
    def resident_bytes(self) -> int:
        """Resident memory."""
        fields = Path(f"/proc/{self.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")

    def get(self, path: str) -> tuple[int, str]:
        """Status and text of /healthz, /readyz or /metrics; status 0 when nobody answers."""
        port = self._metrics if path == "/metrics" else self._health
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                break
            if self.get("/readyz")[0] == 200:
                return
            time.sleep(0.05)
        tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-25:])
        with contextlib.suppress(ProcessLookupError):
            self.stop()
        message = f"the operator wasn't ready within {START_SECONDS:.0f} s:\n{tail}"
        raise StartError(message)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
