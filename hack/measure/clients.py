"""Many requests at a steady pace, on connections that stay open."""

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import aiohttp
import orjson

from controlplane import ControlPlane

MERGE = "application/merge-patch+json"
SECONDS = 30.0
"""How long an answer may take."""


class RefusedError(Exception):
    """The API server's answer was an error, or none came (code 0)."""

    def __init__(self, about: str, code: int, text: str) -> None:
        super().__init__(f"{about}: {code} {text[:300]}")
        self.code = code


class Clients:
    """Admin's connections to the API server. `async with`."""

    def __init__(self, plane: ControlPlane, *, most: int = 32) -> None:
        pki = plane.directory / "pki"
        context = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        context.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        self._server = plane.server
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=context),
            timeout=aiohttp.ClientTimeout(total=SECONDS),
        )
        self._slots = asyncio.Semaphore(most)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def send(
        self, method: str, path: str, body: Any = None, *, kind: str = "application/json"
    ) -> dict[str, Any]:
        """The answer's object. Raises RefusedError."""
        data = None if body is None else orjson.dumps(body)
        about = f"{method} {path}"
        try:
            async with (
                self._slots,
                self._session.request(
                    method, self._server + path, data=data, headers={"Content-Type": kind}
                ) as response,
            ):
                text = await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise RefusedError(about, 0, type(error).__name__) from error
        if response.status >= 400:
            raise RefusedError(about, response.status, text.decode(errors="replace"))
        answer: dict[str, Any] = orjson.loads(text)
        return answer

    async def get(self, path: str) -> dict[str, Any]:
        """An object or a list. Raises RefusedError."""
        return await self.send("GET", path)

    async def create(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """POSTs to a collection. Raises RefusedError."""
        return await self.send("POST", path, body)

    async def merge(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """A merge patch. Raises RefusedError."""
        return await self.send("PATCH", path, body, kind=MERGE)

    async def delete(self, path: str) -> None:
        """Deletes; what isn't there any more is no error. Raises RefusedError."""
        try:
            await self.send("DELETE", path)
        except RefusedError as error:
            if error.code != 404:
                raise

    async def watch(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """Objects as they are, then each change, until the stream ends."""
        url = f"{self._server}{path}?watch=true"
        timeout = aiohttp.ClientTimeout(total=None)
        async with self._session.get(url, timeout=timeout, read_bufsize=2**22) as response:
            async for line in response.content:
                yield orjson.loads(line)


@dataclass
class Sent:
    """What a run of requests came to."""

    done: int = 0
    refused: int = 0
    seconds: float = 0.0


async def steadily(
    count: int, seconds: float, send: Callable[[int], Awaitable[None]], *, workers: int = 16
) -> Sent:
    """Calls `send(0)`, `send(1)`, ... spread evenly over the time, as far as the answers come in
    time. One that is refused is counted, not sent again."""
    sent, began = Sent(), time.monotonic()
    numbers = iter(range(count))

    async def work() -> None:
        for number in numbers:
            await asyncio.sleep(began + number * seconds / count - time.monotonic())
            try:
                await send(number)
            except RefusedError:
                sent.refused += 1
            else:
                sent.done += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
    sent.seconds = time.monotonic() - began
    return sent


async def together(work: Iterable[Awaitable[Any]]) -> list[Any]:
    """All at the same time, as far as the clients' slots go; the answers in the same order."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_awaited(one)) for one in work]
    return [task.result() for task in tasks]


async def _awaited(one: Awaitable[Any]) -> Any:
    return await one


@contextlib.asynccontextmanager
async def background(work: Awaitable[Any]) -> AsyncIterator[None]:
    """Runs beside the block, and is cancelled at its end."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
