"""Routers that live shortly: made, edited, robbed of backends, deleted; no name returns."""

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from controlplane.wire import Wire
from measure.clients import Clients, RefusedError, background
from measure.crowd import Body, observed, routers_path, services_path

NAMESPACE_SECONDS = 30.0
"""Then the next namespace takes over, and the old one is deleted with all that is in it."""
CUT_SECONDS = 20.0
OUTAGE_SECONDS = 3.0
"""Short enough that the lead is kept: a leader that could not renew for 10 s ends."""
CUTS_TO_AN_OUTAGE = 6
LIVES = 6
"""At the same time."""
PATIENCE = 20.0
ENDED = {403, 404, 409}
"""What the API server says about objects of a namespace that goes."""
_REJECTED = {"routing": {"decisions": [{"name": "d", "modelRefs": [{"model": "nobody"}]}]}}
_REQUESTS = {"requests": {"cpu": "1000m", "memory": "1024Mi"}}
_LABELS = {"app": "model"}

SPECS: tuple[Body, ...] = (
    {},
    {"autoscaling": {"enabled": True, "maxReplicas": 3}, "resources": _REQUESTS},
    {"ingress": {"enabled": True, "hosts": [{"host": "a.example.com"}]}},
    {"networkPolicy": {"enabled": True}, "podDisruptionBudget": {"enabled": True}},
    {"persistence": {"retentionPolicy": "Delete"}},
)
"""In turn."""


class Churn:
    """`run()` it for as long as you like, then `clear()`. `counts` says what it did."""

    def __init__(self, clients: Clients, wire: Wire) -> None:
        self.counts: Counter[str] = Counter()
        self._clients, self._wire = clients, wire
        self._serial = itertools.count()
        self._space = ""
        self._spaces: set[str] = set()

    async def run(self, seconds: float) -> None:
        """Everything at once, for so long."""
        await self._move()
        work = [self._repeat(self._life, 0.2) for _ in range(LIVES)]
        work.append(self._repeat(self._move, NAMESPACE_SECONDS))
        work.append(self._repeat(self._trouble, CUT_SECONDS))
        async with contextlib.AsyncExitStack() as stack:
            for one in work:
                await stack.enter_async_context(background(one))
            await asyncio.sleep(seconds)

    async def clear(self) -> None:
        """Deletes every namespace, and returns when they are gone."""
        for name in sorted(self._spaces):
            await self._clients.delete(f"/api/v1/namespaces/{name}")
        while await self._left():
            await asyncio.sleep(1)

    async def _left(self) -> set[str]:
        listed = await self._clients.get("/api/v1/namespaces")
        return self._spaces & {one["metadata"]["name"] for one in listed["items"]}

    async def _repeat(self, work: Callable[[], Awaitable[None]], pause: float) -> None:
        while True:
            await asyncio.sleep(pause)
            await work()

    async def _move(self) -> None:
        """Into the next namespace; the one before is deleted."""
        before = self._space
        space = f"soak-{len(self._spaces)}"
        self._spaces.add(space)
        await self._clients.create("/api/v1/namespaces", {"metadata": {"name": space}})
        self._space = space
        self.counts["namespaces"] += 1
        if before:
            await self._clients.delete(f"/api/v1/namespaces/{before}")

    async def _trouble(self) -> None:
        """Every connection of the operator ends; now and then there is no new one for a while."""
        self.counts["connections cut"] += 1
        if self.counts["connections cut"] % CUTS_TO_AN_OUTAGE:
            self._wire.cut()
            return
        self.counts["outages"] += 1
        self._wire.refusing = True
        self._wire.cut()
        await asyncio.sleep(OUTAGE_SECONDS)
        self._wire.refusing = False

    async def _life(self) -> None:
        number, space = next(self._serial), self._space
        self.counts["routers"] += 1
        try:
            await self._lived(number, space, f"life{number:06}")
        except RefusedError as error:
            if error.code not in ENDED:
                raise
            self.counts["ended with their namespace"] += 1
        except TimeoutError:
            self.counts["not answered in time"] += 1

    async def _lived(self, number: int, space: str, name: str) -> None:
        routers, services = routers_path(space), services_path(space)
        spec = {**SPECS[number % len(SPECS)], "vllmEndpoints": _endpoints(number, name)}
        await self._clients.create(services, _service(name))
        await self._clients.create(routers, _router(name, spec))
        router, backend = f"{routers}/{name}", f"{services}/{name}"
        await self._until_seen(router)
        await self._edit(router, {"vllmEndpoints": _endpoints(number + 1, name)})
        if number % 3 == 0:
            await self._edit(router, {"config": _REJECTED})
            await self._edit(router, {"config": None})
        await self._clients.delete(backend)
        await asyncio.sleep(1)
        await self._clients.create(services, _service(name))
        await asyncio.sleep(1)
        await self._clients.delete(router)
        await self._clients.delete(backend)

    async def _edit(self, router: str, spec: Mapping[str, Any]) -> None:
        self.counts["edits"] += 1
        await self._clients.merge(router, {"spec": spec})
        await self._until_seen(router)

    async def _until_seen(self, router: str) -> None:
        """Returns when the status is of the newest spec. Raises TimeoutError, RefusedError."""
        async with asyncio.timeout(PATIENCE):
            while True:
                body = await self._clients.get(router)
                if observed(body) == body["metadata"]["generation"]:
                    return
                await asyncio.sleep(0.3)


def _endpoints(number: int, name: str) -> list[Body]:
    """One of the three ways to refer to the Service, in turn, and a URL that is always there."""
    backend: Body = (
        {"type": "service", "service": {"name": name, "port": "http"}},
        {"type": "serviceSelector", "serviceSelector": {"matchLabels": _LABELS}},
        {"type": "endpointslice", "endpointSlice": {"serviceName": name}},
    )[number % 3]
    url = {"type": "url", "url": f"http://far-{number}.example.com:9000"}
    return [
        {"name": "own", "model": "own", "backend": backend},
        {"name": "far", "model": "far", "backend": url},
    ]


def _router(name: str, spec: Body) -> Body:
    return {
        "apiVersion": "vllm.ai/v1alpha1",
        "kind": "SemanticRouter",
        "metadata": {"name": name},
        "spec": spec,
    }


def _service(name: str) -> Body:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": _LABELS},
        "spec": {"selector": {"app": name}, "ports": [{"name": "http", "port": 8000}]},
    }
