"""Routers of the Go operator: when what it left behind is settled."""

import asyncio
from typing import Any

from fakes.world import router_body
from semantic_router_operator import names
from semantic_router_operator.errors import ApiUnreachable
from semantic_router_operator.model.body import RouterKey
from unit.controller.stage import Body, Stage, changed, ready

R = RouterKey("ns", "r")
HELD: dict[str, Any] = {"finalizers": [names.FORMER_FINALIZER]}
ENDING: dict[str, Any] = {"deletionTimestamp": "2026-11-30T10:00:00Z", "generation": 2}


def adopted(**metadata: Any) -> Body:
    return changed(router_body(), **HELD, **metadata)


async def test_ko_04_what_the_go_operator_left_is_settled_after_a_pass() -> None:
    stage = Stage()
    async with stage.running():
        stage.saw(adopted())
        await stage.idle()
    assert stage.adoption.asked == ["r"]
    assert ready(stage.publisher.statuses("r")[-1])[0] == "True"


async def test_ko_04_a_router_that_was_taken_over_gets_one_more_pass_and_no_third() -> None:
    """That removes what is ours now; its pods may have been replaced before, while nobody ran, and
    then nothing else asks for a pass."""
    stage = Stage()
    async with stage.running():
        stage.saw(adopted())
        await stage.eventually(lambda: stage.passes("r") == 2)
        await stage.idle()
        await asyncio.sleep(1.0)
    assert stage.passes("r") == 2


async def test_ko_04_a_held_router_that_ends_is_released_and_nothing_is_made() -> None:
    stage = Stage()
    async with stage.running() as controller:
        stage.saw(adopted(**ENDING))
        await stage.idle()
        assert (stage.adoption.asked, stage.passes("r")) == (["r"], 0)
        assert stage.publisher.writes == []
        stage.controller.saw(adopted(**ENDING), deleted=True)
        assert controller.known == set()


async def test_ko_04_a_running_router_that_is_deleted_is_released() -> None:
    stage = Stage()
    async with stage.running():
        stage.saw(adopted())
        await stage.idle()
        stage.saw(changed(stage.controller._entries[R].body, **ENDING))
        await stage.idle()
    assert (stage.adoption.asked, stage.passes("r")) == (["r", "r"], 1)


async def test_ko_04_a_release_that_fails_is_tried_again() -> None:
    stage = Stage()
    stage.adoption.broken["r"] = ApiUnreachable("no answer")
    async with stage.running() as controller:
        stage.saw(adopted(**ENDING))
        await stage.eventually(lambda: len(stage.adoption.asked) >= 3)
        stage.adoption.broken.clear()
        await stage.eventually(lambda: R not in controller.queue._due)


async def test_ko_04_a_standby_releases_nobody_until_it_leads() -> None:
    stage = Stage()
    async with stage.running(leading=False) as controller:
        stage.saw(adopted(**ENDING))
        await stage.idle()
        assert (stage.adoption.asked, stage.passes("r")) == ([], 0)
        controller.lead()
        await stage.idle()
    assert stage.adoption.asked == ["r"]


async def test_a_router_that_ends_without_that_finalizer_is_left_to_the_garbage_collector() -> None:
    stage = Stage()
    async with stage.running() as controller:
        stage.saw(changed(router_body(), finalizers=["theirs"], **ENDING))
        await stage.idle()
        assert (stage.adoption.asked, controller.known) == ([], set())
