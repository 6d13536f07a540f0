"""Waiting for caches to be filled for the first time."""

import asyncio
from collections.abc import Collection
from typing import Any

from semantic_router_operator.cluster.watching import Watch


async def all_settled(watches: Collection[Watch[Any]], *, seconds: float) -> None:
    """Returns when each has been filled or has failed once, or the time is up."""
    waiting = [asyncio.ensure_future(watch.settled()) for watch in watches]
    _, late = await asyncio.wait(waiting, timeout=seconds)
    for task in late:
        task.cancel()
