"""Waiting for caches to be filled for the first time."""

import asyncio
from collections.abc import Collection
from typing import Any

from semantic_router_operator.cluster.watch_source import NotSynced
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
