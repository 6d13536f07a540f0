"""Waiting for caches to be filled for the first time."""

import asyncio
import contextlib
from collections.abc import Collection
from typing import Any

from semantic_router_operator.cluster.watch_source import Failing, NotSynced
from semantic_router_operator.cluster.watching import Watch


async def all_settled(watches: Collection[Watch[Any]], *, seconds: float) -> None:
    """Returns when each has been filled or has failed once, or the time is up: at once, without a
    task, where they all have, as in every pass but the first."""
    late = [watch for watch in watches if isinstance(watch.state, NotSynced)]
    if not late:
        return
    waiting = [asyncio.ensure_future(watch.settled()) for watch in late]
    _, unfinished = await asyncio.wait(waiting, timeout=seconds)
    for task in unfinished:
        task.cancel()


async def all_answered(watches: Collection[Watch[Any]], *, seconds: float) -> None:
    """Returns when each has been filled, or was refused for certain, or the time is up. Those that
    have had no answer so far, as in an outage, ask again at once."""
    for watch in watches:
        if _is_blind(watch):
            watch.retry()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while any(_is_blind(watch) for watch in watches):
                await asyncio.sleep(LOOK_SECONDS)


LOOK_SECONDS = 0.05


def _is_blind(watch: Watch[Any]) -> bool:
    return not watch.synced_once and isinstance(watch.state, Failing | NotSynced)
