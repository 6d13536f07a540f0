"""The events of a watch, line by line, as the plan wants them."""

import asyncio
import json
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
        while (line := await ahead.next(seconds=_HOLD_SECONDS if held else None)) is not None:
            fault = plan.on_event(watch.event(_parsed(line))) if line else None
            if isinstance(fault, Swap) and not held:
                held = [line]
                continue
            if isinstance(fault, Mute):
                await ahead.drain()
                return
            for shown in (*await _shown(line, fault), *held):
                yield shown
            held = []
            if isinstance(fault, Gone):
                return
        for shown in held:
            yield shown
    finally:
        await ahead.close()


async def _shown(line: bytes, fault: EventFault | None) -> tuple[bytes, ...]:
    match fault:
        case Drop():
            return ()
        case Delay(seconds):
            await asyncio.sleep(seconds)
            return (line,)
        case Duplicate():
            return (line, line)
        case Gone():
            return (_gone(),)
        case Swap() | Mute() | None:
            return (line,) if line else ()


_HOLD_SECONDS = 0.5


class _Ahead:
    """The next line, or b"" when there is none in time, without losing one to the time-out."""

    def __init__(self, source: AsyncIterator[bytes]) -> None:
        self._source = source
        self._pending: asyncio.Task[bytes | None] | None = None

    async def next(self, *, seconds: float | None) -> bytes | None:
        if self._pending is None:
            self._pending = asyncio.create_task(self._read())
        done, _ = await asyncio.wait({self._pending}, timeout=seconds)
        if not done:
            return b""
        line = self._pending.result()
        self._pending = None
        return line

    async def drain(self) -> None:
        while await self.next(seconds=None) is not None:
            pass

    async def close(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
            await asyncio.wait({self._pending})

    async def _read(self) -> bytes | None:
        return await anext(self._source, None)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(line)
    except ValueError:
        return {}
    return raw if isinstance(raw, dict) else {}


def _gone() -> bytes:
    return b'{"type":"ERROR","object":' + status_body(410) + b"}\n"
