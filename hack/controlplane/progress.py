"""Progress of a long command, so that nobody thinks it hangs."""

import subprocess
import sys
import time
from pathlib import Path
from typing import TextIO

TERMINAL_BEAT = 1.0
"""Seconds between two updates of the line on a terminal."""
LOG_BEAT = 30.0
"""Seconds between two lines in a file, or in the log of a CI run."""


class Reporter:
    """Writes one line per step to a stream; on a terminal the running step's line is live."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()

    def say(self, line: str) -> None:
        """Write one whole line."""
        self._stream.write(("\r\033[K" if self._terminal else "") + line + "\n")
        self._stream.flush()

    def run(self, label: str, argv: list[str], log: Path) -> int:
        """Run `argv` with its output in `log`, report until it ends, return its exit status."""
        began = time.monotonic()
        beat = TERMINAL_BEAT if self._terminal else LOG_BEAT
        if not self._terminal:
            self.say(f"{label} ...")
        with log.open("wb") as output, subprocess.Popen(argv, stdout=output, stderr=output) as job:
            while True:
                try:
                    status = job.wait(timeout=beat)
                except subprocess.TimeoutExpired:
                    self._tick(label, time.monotonic() - began)
                    continue
                except BaseException:  # Ctrl-C: don't leave the compiler behind
                    job.kill()
                    raise
                break
        took = time.monotonic() - began
        self.say(f"{label}: {'done' if status == 0 else 'FAILED'} after {took:.0f} s")
        return status

    def _tick(self, label: str, seconds: float) -> None:
        if self._terminal:
            self._stream.write(f"\r\033[K{label} ... {seconds:.0f} s")
            self._stream.flush()
        else:
            self.say(f"{label} ... still at work after {seconds:.0f} s")
