"""Waiting for caches to be filled, and not waiting once they are."""

import asyncio
from pathlib import Path

from semantic_router_operator.cluster.settling import all_settled
from unit.cluster.fake_api import lists, thing
from unit.cluster.test_cluster_watching import HELD, watching


async def test_filled_caches_cost_no_task_and_no_turn_of_the_loop(tmp_path: Path) -> None:
    async with watching(tmp_path, lists=[lists(thing("a"))], watches=[HELD]) as (watch, _, _):
        await all_settled([watch], seconds=5.0)
        turns: list[None] = []
        asyncio.get_running_loop().call_soon(turns.append, None)
        await all_settled([watch, watch], seconds=5.0)
        assert turns == []
