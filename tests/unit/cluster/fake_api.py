"""A scripted API server on loopback, for what a real one can't be made to do."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.credentials import Credentials

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class FakeApi:
    """Answers the n-th LIST, WATCH, VERSION or other request as its list says; the last one for
    ever. Without a list of versions it is a recent one."""

    answers: dict[str, list[Answer]] = field(default_factory=dict)
    asked: list[web.Request] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        verb = request.method
        if verb == "GET":
            verb = "WATCH" if "watch" in request.query else "LIST"
        if request.path == "/version":
            verb = "VERSION"
            self.answers.setdefault(verb, [says({"major": "1", "minor": "34"})])
        answers = self.answers[verb]
        answer = answers[min(self.counts[verb], len(answers) - 1)]
        self.counts[verb] += 1
        return await answer(request)


def says(body: object, *, code: int = 200, **headers: str) -> Answer:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.json_response(body, status=code, headers=headers)

    return answer


def fails(code: int, message: str = "no", **headers: str) -> Answer:
    return says({"kind": "Status", "code": code, "message": message}, code=code, **headers)


def lists(*items: dict[str, Any], version: str = "10", more: str = "") -> Answer:
    return says({"metadata": {"resourceVersion": version, "continue": more}, "items": items})


def streams(*events: dict[str, Any], stays: float = 0.0, resets: bool = False) -> Answer:
    """Sends the events, stays mute for some seconds, then ends or resets the connection."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for event in events:
            await response.write(json.dumps(event).encode() + b"\n")
        await asyncio.sleep(stays)
        if resets and request.transport is not None:
            request.transport.abort()
        return response

    return answer


def resets() -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    return answer


def thing(name: str, version: str = "1", **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "n", "resourceVersion": version, "labels": labels}
    return {"metadata": metadata}


def event(kind: str, raw: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "object": raw}


def bookmark(version: str) -> dict[str, Any]:
    return event("BOOKMARK", {"metadata": {"resourceVersion": version}})


@asynccontextmanager
async def serving(api: FakeApi) -> AsyncIterator[str]:
    """The address."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", api.handle)
    server = TestServer(app)
    await server.start_server(shutdown_timeout=0.1)
    try:
        yield str(server.make_url("")).rstrip("/")
    finally:
        await server.close()


def kubeconfig(path: Path, server: str, **user: Any) -> Path:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "clusters": [{"name": "k", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": user}],
    }
    path.write_text(json.dumps(config))
    return path


@asynccontextmanager
async def connected(api: FakeApi, folder: Path, **user: Any) -> AsyncIterator[Client]:
    async with serving(api) as server:
        path = kubeconfig(folder / "kubeconfig", server, **user)
        credentials = await Credentials.load({"KUBECONFIG": str(path)})
        async with Client(credentials, first_retry=0.01) as client:
            yield client
