"""The events of a watch, line by line, as the plan wants them."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from faults.plan import (
    Delay,
    Drop,
    Duplicate,
    EventFault,
    Gone,
    Mute,
    Plan,
    Swap,
    status_body,
)
from faults.subject import Subject


async def lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Whole lines, each with its end, of whatever length."""
    rest = b""
    async for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line + b"\n"
    if rest:
        yield rest


async def perturbed(
    source: AsyncIterator[bytes], plan: Plan, watch: Subject
) -> AsyncGenerator[bytes, None]:
    """The lines of a watch with what the plan does to them. Ends after a 410; a mute one stays
    open until the source ends."""
    held: list[bytes] = []
    ahead = _Ahead(source)
    try:
        while (item := await ahead.next(seconds=_HOLD_SECONDS if held else None)) is not None:
            came, line = item
            fault = plan.on_event(watch.event(_parsed(line))) if line else None
            if isinstance(fault, Swap) and not held:
                held = [line]
                continue
            if isinstance(fault, Mute):
                await ahead.drain()
                return
            for shown in (*await _shown(line, fault, came), *held):
                yield shown
            held = []
            if isinstance(fault, Gone):
                return
        for shown in held:
            yield shown
    finally:
        await ahead.close()


async def _shown(line: bytes, fault: EventFault | None, came: float) -> tuple[bytes, ...]:
    match fault:
        case Drop():
            return ()
        case Delay(seconds):
            await asyncio.sleep(max(0.0, came + seconds - time.monotonic()))
            return (line,)
        case Duplicate():
            return (line, line)
        case Gone():
            return (_gone(),)
        case Swap() | Mute() | None:
            return (line,) if line else ()


_HOLD_SECONDS = 0.5


class _Ahead:
    """Reads ahead, so that it is known when each line came however late it is shown."""

    def __init__(self, source: AsyncIterator[bytes]) -> None:
        self._queue: asyncio.Queue[tuple[float, bytes] | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._read(source))

    async def next(self, *, seconds: float | None) -> tuple[float, bytes] | None:
        """When the next line came, and the line; b"" when there is none in time; None at the end.
        Raises what the source did."""
        try:
            async with asyncio.timeout(seconds):
                item = await self._queue.get()
        except TimeoutError:
            return 0.0, b""
        if item is None:
            await self._task
        return item

    async def drain(self) -> None:
        while await self.next(seconds=None) is not None:
            pass

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})

    async def _read(self, source: AsyncIterator[bytes]) -> None:
        try:
            async for line in source:
                self._queue.put_nowait((time.monotonic(), line))
        finally:
            self._queue.put_nowait(None)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(line)
    except ValueError:
        return {}
    return raw if isinstance(raw, dict) else {}


def _gone() -> bytes:
    return b'{"type":"ERROR","object":' + status_body(410) + b"}\n"
