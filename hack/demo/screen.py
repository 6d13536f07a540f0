"""The demo's output, readable on a terminal and in a log."""

import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from demo import layout

BEAT_SECONDS = 0.5
"""Between two updates of the running line on a terminal."""


class Screen:
    """Writes steps, commands and their output to a stream; no colour unless it is a terminal."""

    def __init__(self, stream: TextIO, *, steps: int) -> None:
        self._stream = stream
        self._steps = steps
        self._step = 0
        self._terminal = stream.isatty()
        self._width = layout.fitting(shutil.get_terminal_size((layout.WIDEST, 24)).columns)

    def step(self, title: str) -> None:
        """The headline of the next step."""
        self._step += 1
        head = f"[{self._step}/{self._steps}] {title}"
        self._write("\n" + self._paint(head, layout.BOLD))

    def note(self, text: str) -> None:
        """What the reader should know."""
        self._write(layout.wrapped(text, self._width))

    def command(self, arguments: Sequence[str]) -> None:
        """The kubectl command that comes next."""
        self._write(self._paint(layout.command_line(arguments, self._width), layout.BOLD))

    def output(self, text: str) -> None:
        """What the command printed."""
        for line in layout.clipped(text, self._width):
            self._write(line)

    def seen(self, text: str) -> None:
        """An observation that was checked."""
        self._write(self._paint(layout.wrapped(f"  ok: {text}", self._width), layout.GREEN))

    def failed(self, text: str) -> None:
        """What went wrong; several lines as they are."""
        self._write(self._paint(text, layout.RED))

    def plain(self, text: str) -> None:
        """Text as it is, such as a line to be pasted."""
        self._write(text)

    @contextmanager
    def working(self, label: str) -> Iterator[None]:
        """Says what takes a while and how long it took; on a terminal also meanwhile."""
        began, ended = time.monotonic(), threading.Event()
        if not self._terminal:
            self._write(f"  {label} ...")

        def tick() -> None:
            while not ended.wait(BEAT_SECONDS):
                self._stream.write(f"\r\033[K  {label} ... {time.monotonic() - began:.0f} s")
                self._stream.flush()

        ticker = threading.Thread(target=tick, daemon=True)
        if self._terminal:
            ticker.start()
        try:
            yield
        finally:
            ended.set()
            if self._terminal:
                ticker.join()
                self._stream.write("\r\033[K")
        self._write(f"  {label}: {time.monotonic() - began:.1f} s")

    def _paint(self, text: str, code: str) -> str:
        return layout.painted(text, code, colour=self._terminal)

    def _write(self, text: str) -> None:
        self._stream.write(text + "\n")
        self._stream.flush()
