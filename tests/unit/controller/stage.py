"""A controller among fakes: the API server's side of the CRs, and patience."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from prometheus_client import generate_latest

from fakes.world import FakeWorld
from semantic_router_operator import names
from semantic_router_operator.controller import Controller
from semantic_router_operator.model.body import RouterKey
from semantic_router_operator.model.status import EventNote
from semantic_router_operator.settings import Settings
from semantic_router_operator.telemetry import Telemetry

Body = Mapping[str, Any]


class FakePublisher:
    """The API server: a status write answers with the live object and a new resourceVersion.
    `gone` are names of routers that aren't there any more, `broken` is what a write raises,
    `on_write` is called before one."""

    def __init__(self) -> None:
        self.writes: list[tuple[str, Mapping[str, Any]]] = []
        self.posted: list[tuple[str, str]] = []
        self.gone: set[str] = set()
        self.broken: dict[str, Exception] = {}
        self.on_write: Callable[[Body], None] = lambda body: None
        self.live: dict[str, Body] = {}
        self._version = 100

    async def write_status(self, body: Body, status: Mapping[str, Any]) -> Body | None:
        name = body["metadata"]["name"]
        self.on_write(body)
        if name in self.broken:
            raise self.broken[name]
        if name in self.gone:
            return None
        if status == body.get("status"):
            return body
        self.writes.append((name, status))
        live = self.live.get(name, body)
        self._version = max(self._version, int(live["metadata"]["resourceVersion"])) + 1
        metadata = {**live["metadata"], "resourceVersion": str(self._version)}
        self.live[name] = {**live, "metadata": metadata, "status": status}
        return self.live[name]

    def post(self, body: Body, event: EventNote) -> None:
        self.posted.append((body["metadata"]["name"], event.reason))

    def statuses(self, name: str) -> list[Mapping[str, Any]]:
        return [status for written, status in self.writes if written == name]


class FakeAdoption:
    """Remembers which routers it was asked about; `broken` is what it raises for one. A router is
    taken over once."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.broken: dict[str, Exception] = {}

    async def adopt(self, body: Body) -> bool:
        name = body["metadata"]["name"]
        self.asked.append(name)
        if name in self.broken:
            raise self.broken[name]
        held = names.FORMER_FINALIZER in body["metadata"].get("finalizers", ())
        return held and self.asked.count(name) == 1


class FakeInterests:
    """Remembers who was forgotten."""

    def __init__(self) -> None:
        self.forgotten: list[RouterKey] = []

    def forget(self, key: RouterKey) -> None:
        self.forgotten.append(key)


class Stage:
    """A controller and everything around it. Make it where a loop runs."""

    def __init__(self, **settings: Any) -> None:
        self.outside = FakeWorld()
        self.publisher = FakePublisher()
        self.adoption = FakeAdoption()
        self.interests = FakeInterests()
        self.telemetry = Telemetry()
        self.controller = Controller(
            world=self.outside.world,
            publisher=self.publisher,
            adoption=self.adoption,
            interests=self.interests,
            telemetry=self.telemetry,
            settings=Settings(**{"backoff_seconds": 0.02, **settings}),
        )

    def saw(self, body: Body) -> None:
        """The router is written, and the watch tells it."""
        self.publisher.live[body["metadata"]["name"]] = body
        self.controller.saw(body)

    @asynccontextmanager
    async def running(self, *, leading: bool = True) -> AsyncIterator[Controller]:
        if leading:
            self.controller.lead()
        task = asyncio.create_task(self.controller.run())
        try:
            yield self.controller
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def idle(self) -> None:
        """Until no router waits for a pass now, and none has one."""
        queue = self.controller.queue
        await self.eventually(lambda: not len(queue) and not queue._running)

    async def eventually(self, check: Callable[[], object], seconds: float = 5.0) -> None:
        deadline = time.monotonic() + seconds
        while not check():
            assert time.monotonic() < deadline, "it didn't happen"
            await asyncio.sleep(0.002)

    def passes(self, name: str) -> int:
        """How often discovery was asked for the router: once in each pass."""
        return self.outside.references.asked.count(name)

    def metric(self, line: str) -> bool:
        text = generate_latest(self.telemetry.registry).decode()
        return f"semantic_router_operator_{line}" in text.splitlines()


def changed(body: Body, **metadata: Any) -> dict[str, Any]:
    """The body with other metadata, one resourceVersion later unless it says another."""
    later = {"resourceVersion": str(int(body["metadata"]["resourceVersion"]) + 1)}
    return {**body, "metadata": {**body["metadata"], **later, **metadata}}


def ready(status: Mapping[str, Any]) -> tuple[str, str]:
    """(status, reason) of the condition Ready."""
    found = next(item for item in status["conditions"] if item["type"] == "Ready")
    return found["status"], found["reason"]
