"""What a new leader knows before it acts."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, cast

from semantic_router_operator.cli import run_command
from semantic_router_operator.cli.run_command import _Process
from semantic_router_operator.cluster.assembly import Listed
from semantic_router_operator.cluster.clock import SystemClock
from semantic_router_operator.errors import ApiUnreachable
from semantic_router_operator.model.body import RouterKey
from semantic_router_operator.settings import Settings

R = RouterKey("ns", "r")


class Stage:
    """A controller, a cluster and an election at once; `told` is what came to the controller."""

    def __init__(self, *lists: Listed | Exception) -> None:
        self.known = {R}
        self.is_leader = True
        self.told: list[object] = []
        self._lists = list(lists)

    def start(self) -> None:
        pass

    async def routers(self) -> Listed:
        found = self._lists.pop(0) if len(self._lists) > 1 else self._lists[0]
        if isinstance(found, Exception):
            raise found
        return found

    def saw_all(self, bodies: Sequence[Mapping[str, Any]], *, listed: set[RouterKey]) -> None:
        self.told.append((bodies, listed))

    def lead(self) -> "asyncio.Future[None] | None":
        """The election's, awaited, and the controller's, called."""
        self.told.append("lead")
        done = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    async def lost(self) -> None:
        self.told.append("lost")


async def led(stage: Stage, **settings: Any) -> list[object]:
    process = _Process(Settings(**settings), SystemClock())
    parts = cast("Any", stage)
    await process._lead(parts, parts, parts)
    return stage.told


async def test_the_routers_are_listed_between_the_election_and_the_first_pass() -> None:
    """What a standby has heard of them may be behind, and pods would be rolled back."""
    told = await led(Stage(Listed(({"a": 1},))))
    assert told == ["lead", (({"a": 1},), {R}), "lead", "lost"]


async def test_routers_of_a_namespace_that_may_not_be_listed_are_not_forgotten() -> None:
    told = await led(Stage(Listed((), frozenset(("ns",)))))
    assert told[1] == ((), set())


async def test_a_list_that_fails_is_tried_again_before_anything_is_done(monkeypatch: Any) -> None:
    monkeypatch.setattr(run_command, "CRD_RETRY_SECONDS", 0.01)
    told = await led(Stage(ApiUnreachable("away"), Listed(())))
    assert told == ["lead", ((), {R}), "lead", "lost"]


async def test_whoever_loses_the_lead_before_the_list_never_acts(monkeypatch: Any) -> None:
    monkeypatch.setattr(run_command, "CRD_RETRY_SECONDS", 0.01)
    stage = Stage(ApiUnreachable("away"))
    stage.is_leader = False
    assert await led(stage) == ["lead"]


async def test_without_an_election_the_list_of_the_start_is_enough() -> None:
    assert await led(Stage(Listed(())), leader_election=False) == ["lead", "lost"]
