"""Many routers, each with a Service of its own, and what each has been asked for."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from measure.clients import Clients, together
from measure.stage import condition, router, service

Body = dict[str, Any]
PATIENCE = 120.0
"""A change that isn't there after so many seconds is lost."""


def routers_path(namespace: str) -> str:
    """Collection of the SemanticRouters."""
    return f"/apis/vllm.ai/v1alpha1/namespaces/{namespace}/semanticrouters"


def services_path(namespace: str) -> str:
    """Collection of the Services."""
    return f"/api/v1/namespaces/{namespace}/services"


@dataclass
class Wanted:
    """What one router has been asked for last."""

    generation: int
    edit: int = 0
    port: int = 8000


@dataclass
class Observer:
    """The newest state of each router, by a watch of our own: `run()` it in the background."""

    clients: Clients
    namespace: str
    latest: dict[str, Body] = field(default_factory=dict)
    _waiting: dict[str, list[tuple[Callable[[Body], bool], asyncio.Future[float]]]] = field(
        default_factory=dict
    )

    async def run(self) -> None:
        """Watches; a stream that ends begins again."""
        while True:
            async for event in self.clients.watch(routers_path(self.namespace)):
                body = event["object"]
                name = body.get("metadata", {}).get("name", "")
                if event["type"] == "DELETED":
                    self.latest.pop(name, None)
                elif name:
                    self.latest[name] = body
                    self._tell(name)

    async def until(self, name: str, check: Callable[[Body], bool]) -> float:
        """Seconds until the router is as `check` wants. Raises TimeoutError after PATIENCE."""
        began = time.monotonic()
        seen: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(name, []).append((check, seen))
        if name in self.latest:
            self._tell(name)
        async with asyncio.timeout(PATIENCE):
            return max(0.0, await seen - began)

    def _tell(self, name: str) -> None:
        left = []
        for check, seen in self._waiting.pop(name, ()):
            if seen.done():
                continue
            if check(self.latest[name]):
                seen.set_result(time.monotonic())
            else:
                left.append((check, seen))
        if left:
            self._waiting[name] = left


class Crowd:
    """Routers `r0000`, `r0001`, ... with two endpoints: one by Service `s0000` and its named port,
    and one by a URL with the number of the last edit."""

    def __init__(self, clients: Clients, namespace: str, size: int, *, services: int = 0) -> None:
        self.clients, self.namespace = clients, namespace
        self.wanted = [Wanted(generation=1) for _ in range(size)]
        self._services = services or size

    def name(self, number: int) -> str:
        """Of the router of that number."""
        return f"r{number:04}"

    def path(self, number: int) -> str:
        """Of the router of that number."""
        return f"{routers_path(self.namespace)}/{self.name(number)}"

    def service_name(self, number: int) -> str:
        """Of the Service that the router refers to."""
        return f"s{number % self._services:04}"

    async def make_services(self) -> None:
        """Creates the Services."""
        path = services_path(self.namespace)
        await together(
            self.clients.create(path, service(self.service_name(number)))
            for number in range(self._services)
        )

    async def make_routers(self) -> None:
        """Creates the routers, as fast as the API server takes them."""
        path = routers_path(self.namespace)
        await together(
            self.clients.create(path, router(self.name(number), self._endpoints(number)))
            for number in range(len(self.wanted))
        )

    async def edit(self, number: int, edit: int) -> Callable[[Body], bool]:
        """Changes the spec; what tells that it is done."""
        wanted = self.wanted[number]
        wanted.edit = edit
        spec = {"vllmEndpoints": self._endpoints(number)}
        answer = await self.clients.merge(self.path(number), {"spec": spec})
        generation = wanted.generation = int(answer["metadata"]["generation"])
        return lambda body: observed(body) >= generation

    async def move_port(self, number: int) -> Callable[[Body], bool]:
        """Changes the port of the router's Service; what tells that it is done."""
        wanted = self.wanted[number]
        port = wanted.port = wanted.port + 1
        spec = {"ports": [{"name": "http", "port": port}]}
        path = f"{services_path(self.namespace)}/{self.service_name(number)}"
        await self.clients.merge(path, {"spec": spec})
        return lambda body: f":{port}" in " ".join(targets(body))

    def is_current(self, number: int, body: Body | None) -> bool:
        """Whether the router's status says that it is as it was asked for, and Ready."""
        wanted, text = self.wanted[number], " ".join(targets(body or {}))
        return (
            body is not None
            and observed(body) == wanted.generation == body["metadata"]["generation"]
            and condition(body, "Ready") == "True"
            and body["status"].get("readyReplicas") == 1
            and f":{wanted.port}" in text
            and f"edit-{wanted.edit}." in text
        )

    async def behind(self) -> list[str]:
        """Routers whose status, ConfigMap or Deployment isn't as they were asked for; read anew."""
        listed = await self.clients.get(routers_path(self.namespace))
        bodies = {item["metadata"]["name"]: item for item in listed["items"]}
        documents = await self._documents()
        return [
            self.name(number)
            for number in range(len(self.wanted))
            if not self.is_current(number, bodies.get(self.name(number)))
            or not self._says(number, documents.get(f"{self.name(number)}-config", ""))
        ]

    def _says(self, number: int, document: str) -> bool:
        wanted = self.wanted[number]
        return f"edit-{wanted.edit}." in document and f"{wanted.port}" in document

    async def _documents(self) -> dict[str, str]:
        path = f"/api/v1/namespaces/{self.namespace}/configmaps"
        listed = await self.clients.get(path)
        return {
            item["metadata"]["name"]: (item.get("data") or {}).get("config.yaml", "")
            for item in listed["items"]
        }

    def _endpoints(self, number: int) -> list[Body]:
        edit = self.wanted[number].edit
        target = {"name": self.service_name(number), "port": "http"}
        url = f"http://edit-{edit}.example.com:9000"
        return [
            {"name": "own", "model": "own", "backend": {"type": "service", "service": target}},
            {"name": "far", "model": "far", "backend": {"type": "url", "url": url}},
        ]


def observed(body: Body) -> int:
    """status.observedGeneration, -1 for none."""
    return int((body.get("status") or {}).get("observedGeneration", -1))


def targets(body: Body) -> Iterator[str]:
    """All targets of status.backends[]."""
    for backend in (body.get("status") or {}).get("backends") or ():
        yield from (str(target) for target in backend.get("targets") or ())
