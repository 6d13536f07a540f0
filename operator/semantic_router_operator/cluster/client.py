"""Requests to the API server: raw JSON, explicit time-outs, bounded retries, errors by code."""

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import aiohttp
import orjson

from semantic_router_operator import __version__, names
from semantic_router_operator.cluster.answers import lines, parsed
from semantic_router_operator.cluster.backoff import FIRST_RETRY_SECONDS, backoff
from semantic_router_operator.cluster.call import APPLY, JSON, Call
from semantic_router_operator.cluster.credentials import Credentials
from semantic_router_operator.cluster.failures import ApiUnauthorized, failure
from semantic_router_operator.cluster.fence import FencedBody
from semantic_router_operator.errors import ApiThrottled, ApiUnreachable, TransientError

logger = logging.getLogger(__name__)


REQUEST_SECONDS = 30.0
WRITE_SECONDS = (12.0, 20.0, 30.0)
"""For the attempts of a write that may be repeated: a lost one holds up a worker; yet a webhook,
which has to be waited for, may take 10 s by default and 30 s at most."""
CONNECT_SECONDS = 10.0
CLOSE_SECONDS = 0.1
ATTEMPTS = len(WRITE_SECONDS)
LONGEST_WAIT_SECONDS = 5.0
"""A longer Retry-After is the caller's to wait for: a worker is not held up by it."""

OnRequest = Callable[[str, str, int, float], None]
"""`(verb, resource, code, seconds)`; code 0 means no answer."""


class Client:
    """The one connection pool. `async with`, or `close()` when done."""

    def __init__(
        self,
        credentials: Credentials,
        *,
        concurrency: int = 16,
        on_request: OnRequest = lambda *_: None,
        first_retry: float = FIRST_RETRY_SECONDS,
    ) -> None:
        self.credentials = credentials
        self.may_write: Callable[[], bool] = lambda: True
        """Asked before each write but those of the Lease, and again when the bytes of its body go
        out: whether we lead."""
        self.write_seconds = WRITE_SECONDS
        self._on_request = on_request
        self._first_retry = first_retry
        self._slots = asyncio.Semaphore(concurrency)
        self._session = self._new_session()

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends every connection. TLS transports need some rounds of the loop to go away
        (aiohttp docs, "Graceful Shutdown")."""
        await self._session.close()
        if self.credentials.server.startswith("https:"):
            await asyncio.sleep(CLOSE_SECONDS)

    async def get(
        self, path: str, *, query: Mapping[str, str] | None = None, accept: str = JSON
    ) -> dict[str, Any]:
        """An object or a list."""
        return await self.request(Call("GET", path, query or {}, accept=accept))

    async def list_all(self, path: str, *, page: int = 500) -> list[dict[str, Any]]:
        """All objects of a list, page by page."""
        found: list[dict[str, Any]] = []
        token = ""
        while True:
            query = {"limit": str(page), **({"continue": token} if token else {})}
            answer = await self.get(path, query=query)
            found.extend(answer.get("items") or ())
            token = (answer.get("metadata") or {}).get("continue") or ""
            if not token:
                return found

    async def apply(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        force: bool,
        manager: str = names.FIELD_MANAGER,
    ) -> dict[str, Any]:
        """Server-side apply; the object as it is afterwards."""
        query = {"fieldManager": manager, "force": "true" if force else "false"}
        return await self.request(Call("PATCH", path, query, body, content_type=APPLY))

    async def delete(self, path: str, *, uid: str) -> dict[str, Any]:
        """Deletes exactly the object with that uid, its dependents in the background.

        Raises ApiConflict when another one has the name by now.
        """
        body = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": {"uid": uid},
        }
        return await self.request(Call("DELETE", path, body=body))

    async def request(self, call: Call) -> dict[str, Any]:
        """The answer's object.

        Reads and patches are tried again a few times after 429, 5xx and resets. Raises the
        classes of errors.py; the message names the request and what the Status says.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._once(call, self._seconds(call, attempt))
            except ApiUnauthorized:
                await self._renew()
                if attempt >= ATTEMPTS:
                    raise
            except (ApiThrottled, ApiUnreachable) as error:
                delay = self._delay(error, attempt)
                if attempt >= ATTEMPTS or call.method == "POST" or delay > LONGEST_WAIT_SECONDS:
                    raise
                await asyncio.sleep(delay)

    @contextlib.asynccontextmanager
    async def stream(
        self, call: Call, *, seconds: float, idle_seconds: float
    ) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """The events of a watch, one object per line. Ends after `seconds` at the latest; a
        stream that says nothing for `idle_seconds` is dead. Raises as `request` does."""
        timeout = aiohttp.ClientTimeout(
            total=seconds, sock_connect=CONNECT_SECONDS, sock_read=idle_seconds
        )
        began = time.monotonic()
        code = 0
        try:
            async with self._send(call, timeout) as response:
                code = response.status
                self._on_request(call.verb, call.resource, code, time.monotonic() - began)
                if code >= 400:
                    raise failure(
                        code,
                        await response.read(),
                        about=_about(call),
                        retry_after=response.headers.get("Retry-After"),
                    )
                yield lines(response)
        except ApiUnauthorized:
            await self._renew()
            raise
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            if code == 0:
                self._on_request(call.verb, call.resource, 0, time.monotonic() - began)
            raise await self._no_answer(call, error) from error

    def _seconds(self, call: Call, attempt: int) -> float:
        if call.method in {"GET", "POST"}:
            return REQUEST_SECONDS
        return self.write_seconds[attempt - 1]

    async def _once(self, call: Call, seconds: float) -> dict[str, Any]:
        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=CONNECT_SECONDS)
        code, began = 0, time.monotonic()
        try:
            async with self._slots, self._send(call, timeout) as response:
                body = await response.read()
                code = response.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise await self._no_answer(call, error) from error
        finally:
            self._on_request(call.verb, call.resource, code, time.monotonic() - began)
        if code >= 400:
            after = response.headers.get("Retry-After")
            raise failure(code, body, about=_about(call), retry_after=after)
        return parsed(body, about=_about(call))

    @contextlib.asynccontextmanager
    async def _send(
        self, call: Call, timeout: aiohttp.ClientTimeout
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        headers = {"Accept": call.accept, **await self.credentials.authorization()}
        fenced = call.method != "GET" and call.resource != "leases"
        if fenced and not self.may_write():
            text = f"{_about(call)}: not sent, since this replica doesn't lead now"
            raise ApiUnreachable(text)
        data = None
        if call.body is not None:
            headers["Content-Type"] = call.content_type
            may = self.may_write if fenced else _yes
            data = FencedBody(orjson.dumps(call.body), may)
        async with self._session.request(
            call.method,
            self.credentials.server + call.path,
            params=call.query,
            data=data,
            headers=headers,
            timeout=timeout,
            allow_redirects=False,
            **self.credentials.request_options,
        ) as response:
            yield response

    def _delay(self, error: TransientError, attempt: int) -> float:
        if error.retry_after is None:
            return backoff(attempt, first=self._first_retry)
        return error.retry_after * random.uniform(1.0, 1.1)  # noqa: S311

    async def _no_answer(self, call: Call, error: Exception) -> ApiUnreachable:
        if isinstance(error, aiohttp.ClientSSLError):
            await self._renew()
        text = "no answer in time" if isinstance(error, TimeoutError) else _cause(error)
        return ApiUnreachable(f"{_about(call)}: {text}")

    async def _renew(self) -> None:
        """Credentials from their source; new connections where certificates have changed. Files
        that can't be used, such as half-written ones, are read again the next time."""
        await self.credentials.renew()
        if self.credentials.certificates() == self._certificates:
            return
        try:
            new = self._new_session()
        except (OSError, ValueError) as error:
            logger.warning("certificates of the API server: %s", type(error).__name__)
            return
        old, self._session = self._session, new
        await old.close()

    def _new_session(self) -> aiohttp.ClientSession:
        certificates = self.credentials.certificates()
        context = self.credentials.ssl_context()
        self._certificates = certificates
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=context),
            headers={"User-Agent": f"{names.FIELD_MANAGER}/{__version__}"},
        )


def _yes() -> bool:
    return True


def _about(call: Call) -> str:
    return f"{call.verb} {call.path}"


def _cause(error: Exception) -> str:
    return f"no connection to the API server ({type(error).__name__})"
