"""Waiting for caches: for an answer, not only for an attempt, but not for ever."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from semantic_router_operator.cluster.capabilities import Capabilities
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.settling import all_settled
from semantic_router_operator.cluster.watch_source import Failing, NotSynced, Pace
from unit.cluster.fake_api import Answer, FakeApi, connected, fails, lists, streams, thing
from unit.cluster.test_cluster_watching import HELD, watching

SLOW = Pace(first_retry=60.0, longest_retry=60.0)


@asynccontextmanager
async def children(folder: Path, answers: list[Answer]) -> AsyncIterator[Children]:
    """Caches that have failed once, as those of an operator that starts in an outage have."""
    api = FakeApi({"LIST": answers, "WATCH": [streams(stays=60.0)]})
    async with connected(api, folder) as client:
        capabilities = Capabilities(client, on_change=lambda: None, pace=SLOW)
        found = Children(client, capabilities, wake=lambda *_: None, watched=("n",), pace=SLOW)
        found.start()
        try:
            for watch in found.watches:
                await watch.settled()
            yield found
        finally:
            await found.stop()


async def test_caches_that_had_no_answer_ask_again_at_once_and_are_waited_for(
    tmp_path: Path,
) -> None:
    outage = [fails(503)] * (3 * 13)
    async with children(tmp_path, [*outage, lists()]) as found:
        assert any(isinstance(watch.state, Failing) for watch in found.watches)
        await found.ready()
        blind = [w for w in found.watches if isinstance(w.state, Failing | NotSynced)]
        assert [watch.source.kind for watch in blind] == []


async def test_a_kind_that_stays_without_an_answer_holds_up_the_first_pass_only(
    tmp_path: Path,
) -> None:
    async with children(tmp_path, [fails(503)]) as found:
        began = time.monotonic()
        await found.ready(blind_seconds=0.3)
        assert 0.3 <= time.monotonic() - began < 3
        again = time.monotonic()
        await found.ready(blind_seconds=0.3)
        assert time.monotonic() - again < 0.2


async def test_filled_caches_cost_no_task_and_no_turn_of_the_loop(tmp_path: Path) -> None:
    async with watching(tmp_path, lists=[lists(thing("a"))], watches=[HELD]) as (watch, _, _):
        await all_settled([watch], seconds=5.0)
        turns: list[None] = []
        asyncio.get_running_loop().call_soon(turns.append, None)
        await all_settled([watch, watch], seconds=5.0)
        assert turns == []
