import asyncio
import json
import time
from collections.abc import AsyncIterator

import pytest

from faults.plan import Delay, Drop, Duplicate, Fault, Gone, Mute, Plan, Rule, Swap
from faults.stream import lines, perturbed
from faults.subject import Subject

WATCH = Subject("WATCH", "/api/v1/services", "services")


def event(name: str) -> bytes:
    return json.dumps({"type": "ADDED", "object": {"metadata": {"name": name}}}).encode() + b"\n"


async def chunks(*parts: bytes, pause: float = 0.0) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
        await asyncio.sleep(pause)


async def played(fault: Fault | None, *names: str, pause: float = 0.0) -> list[str]:
    """The names that come through when the fault strikes the first event."""
    plan = Plan()
    if fault is not None:
        plan.add(Rule(fault, lambda _: True, times=1))
    source = lines(chunks(*(event(name) for name in names), pause=pause))
    found = [json.loads(line) async for line in perturbed(source, plan, WATCH)]
    return [
        str(raw["object"]["code"]) if raw["type"] == "ERROR" else raw["object"]["metadata"]["name"]
        for raw in found
    ]


async def test_lines_are_whole_however_they_come() -> None:
    assert [line async for line in lines(chunks(b"a", b"b\nc\n", b"d"))] == [b"ab\n", b"c\n", b"d"]


async def test_without_a_fault_everything_comes_through() -> None:
    assert await played(None, "a", "b") == ["a", "b"]


async def test_a_dropped_event_never_comes() -> None:
    assert await played(Drop(), "a", "b") == ["b"]


async def test_a_duplicated_event_comes_twice() -> None:
    assert await played(Duplicate(), "a", "b") == ["a", "a", "b"]


async def test_a_late_event_keeps_its_place() -> None:
    assert await played(Delay(0.01), "a", "b") == ["a", "b"]


async def test_late_events_are_all_late_by_the_same_time_and_not_by_the_sum() -> None:
    plan = Plan()
    plan.add(Rule(Delay(0.1), lambda _: True))
    source = lines(chunks(*(event(name) for name in "abcdefgh")))
    began = time.monotonic()
    assert len([line async for line in perturbed(source, plan, WATCH)]) == 8
    assert 0.1 <= time.monotonic() - began < 0.4


async def test_a_source_that_breaks_is_told() -> None:
    async def breaking() -> AsyncIterator[bytes]:
        yield event("a")
        raise ConnectionError

    shown = perturbed(lines(breaking()), Plan(), WATCH)
    assert await anext(shown)
    with pytest.raises(ConnectionError):
        await anext(shown)


async def test_a_swapped_event_comes_after_the_next() -> None:
    assert await played(Swap(), "a", "b", "c") == ["b", "a", "c"]


async def test_a_swapped_event_comes_though_no_other_follows() -> None:
    assert await played(Swap(), "a") == ["a"]
    assert await played(Swap(), "a", "b", pause=0.6) == ["a", "b"]


async def test_a_watch_that_is_gone_ends_with_410() -> None:
    assert await played(Gone(), "a", "b") == ["410"]


async def test_a_mute_watch_says_nothing_more() -> None:
    assert await played(Mute(), "a", "b") == []
