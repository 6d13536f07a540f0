"""A TLS reverse proxy between an operator and its API server, whose faults a test scripts."""

import asyncio
import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from ssl import Purpose, SSLContext, create_default_context
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp import web
from yarl import URL

from controlplane import kubeconfig
from controlplane.pki import Authority
from faults.access import Access
from faults.plan import Answer, Hang, Kill, Plan, RequestFault, Reset, StaleList, status_body
from faults.seen import Seen
from faults.stream import lines, perturbed
from faults.subject import Subject, json_only, subject
from faults.tokens import Tokens

_NOT_PASSED_ON = frozenset(
    ("connection", "content-length", "host", "keep-alive", "transfer-encoding", "upgrade")
)
START_SECONDS = 10.0
BODY_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Reply:
    code: int
    headers: Mapping[str, str]
    body: bytes


class FaultProxy:
    """`with FaultProxy(access) as proxy:`, then `proxy.kubeconfig(path)` for the operator and
    `proxy.plan.add(Rule(...))`. `kill` is called, from the proxy's thread, to kill the operator."""

    def __init__(self, upstream: Access, *, kill: Callable[[], None] = lambda: None) -> None:
        self.plan = Plan()
        self.kill = kill
        self.server = ""
        self._upstream = upstream
        self._authority = Authority()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._stack = contextlib.AsyncExitStack()
        self._seen: list[Seen] = []
        self._lists: dict[str, _Reply] = {}
        self._frozen: dict[str, _Reply] = {}
        self._versions: dict[str, str] = {}
        self._out_until = 0.0
        self._open: set[asyncio.Transport] = set()
        self._tokens = Tokens()

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(START_SECONDS)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        asyncio.run_coroutine_threadsafe(self._stack.aclose(), self._loop).result(START_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def kubeconfig(self, path: Path) -> Path:
        """Writes the operator's kubeconfig, which leads here, with a token of ours in a file beside
        it: `rotate` writes it anew."""
        user = {"tokenFile": str(self._tokens.file(path.with_name(f"{path.name}.token")))}
        return kubeconfig.write(path, self.server, self._authority.certificate, user)

    def rotate_token(self, seconds: float) -> None:
        """The token is refused from now on and every connection is closed; the new one is in the
        file after so many seconds, as a kubelet that was late would have it."""
        self._tokens.rotate()
        self._loop.call_soon_threadsafe(self._close_all)
        self._loop.call_soon_threadsafe(self._loop.call_later, seconds, self._tokens.write)

    def seen(self, since: float = 0.0) -> list[Seen]:
        """What came in since then, on the monotonic clock."""
        return [item for item in tuple(self._seen) if item.at >= since]

    def forget_seen(self) -> None:
        """What came in until now is of no interest any more, but who has looked at routers."""
        kept = [one for one in self._seen if one.subject.resource == "semanticrouters"]
        self._seen[:] = [one for one in kept if not one.subject.is_write]

    def outage(self, seconds: float) -> None:
        """Every connection is closed, and every new one for so long."""
        self._out_until = time.monotonic() + seconds
        self._loop.call_soon_threadsafe(self._close_all)

    @property
    def out(self) -> bool:
        """Whether there is an outage."""
        return time.monotonic() < self._out_until

    def freeze_lists(self) -> None:
        """From now on StaleList answers as the API server last did until now."""
        self._frozen = dict(self._lists)

    async def _start(self) -> None:
        self._session = await self._stack.enter_async_context(
            aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ssl=self._upstream.tls()),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
                auto_decompress=False,
            )
        )
        server = web.Server(self._handle, handler_cancellation=True)
        runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=self._serving_tls())
        await site.start()
        self._stack.callback(self._close_all)
        host, port = runner.addresses[0][:2]
        self.server = f"https://{host}:{port}"

    def _serving_tls(self) -> SSLContext:
        identity = self._authority.server(("127.0.0.1", "localhost"))
        context = create_default_context(Purpose.CLIENT_AUTH)
        with tempfile.NamedTemporaryFile() as file:
            file.write(identity.certificate + identity.key)
            file.flush()
            context.load_cert_chain(Path(file.name))
        return context

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        about = subject(request.method, request.raw_path)
        began, code, fault = time.monotonic(), 0, None
        transport = request.transport
        if self.out or transport is None:
            return self._cut(request)
        if not self._tokens.accepts(request.headers):
            self._seen.append(Seen(began, about, 401))
            return _refusal(401, None)
        self._open.add(transport)
        changed = False
        try:
            fault = self.plan.on_request(about)
            if about.verb == "WATCH" and fault is None:
                return await self._watch(request, about)
            sent = _sent_on(fault)
            reply = await self._forward(request, about) if sent else None
            code = reply.code if reply else 0
            changed = reply is not None and self._is_news(about, reply)
            return await self._answered(request, fault, reply)
        except (aiohttp.ClientError, OSError):
            return self._cut(request)
        finally:
            self._open.discard(transport)
            if about.verb != "WATCH" or fault is not None:
                self._seen.append(Seen(began, about, code, fault, changed))

    async def _answered(
        self, request: web.BaseRequest, fault: RequestFault | None, reply: _Reply | None
    ) -> web.StreamResponse:
        match fault:
            case Answer(code, retry_after):
                return _refusal(code, retry_after)
            case Kill():
                self.kill()
                return self._cut(request)
            case Hang(seconds):
                await asyncio.sleep(seconds)
                return self._cut(request)
            case Reset():
                return self._cut(request)
            case StaleList():
                reply = self._frozen.get(request.raw_path, reply)
            case None:
                pass
        if reply is None:
            return self._cut(request)
        return web.Response(status=reply.code, headers=reply.headers, body=reply.body)

    async def _forward(self, request: web.BaseRequest, about: Subject) -> _Reply:
        async with self._sent(request) as answer:
            reply = _Reply(answer.status, _passed_on(answer.headers), await answer.read())
        if about.verb == "LIST" and reply.code == 200:
            self._lists[request.raw_path] = reply
        return reply

    async def _watch(self, request: web.BaseRequest, about: Subject) -> web.StreamResponse:
        async with self._sent(request) as answer:
            response = web.StreamResponse(status=answer.status, headers=_passed_on(answer.headers))
            self._seen.append(Seen(time.monotonic(), about, answer.status))
            await response.prepare(request)
            if answer.status != 200:
                await response.write(await answer.read())
                return response
            source = lines(answer.content.iter_any())
            async with contextlib.aclosing(perturbed(source, self.plan, about)) as shown:
                async for line in shown:
                    await response.write(line)
            return response

    def _sent(
        self, request: web.BaseRequest
    ) -> "contextlib.AbstractAsyncContextManager[aiohttp.ClientResponse]":
        headers = _passed_on(request.headers)
        headers["Accept"] = json_only(headers.get("Accept", ""))
        headers.pop("Authorization", None)
        headers |= self._upstream.headers
        return self._session.request(
            request.method,
            URL(self._upstream.server + request.raw_path, encoded=True),
            headers=headers,
            data=request.content if request.can_read_body else None,
            allow_redirects=False,
        )

    def _is_news(self, about: Subject, reply: _Reply) -> bool:
        """Whether a write changed something: one that doesn't leaves the resourceVersion."""
        if not about.is_write or not 200 <= reply.code < 300:
            return False
        path = about.path.removesuffix("/status")
        version = _version(reply.body)
        before, self._versions[path] = self._versions.get(path), version
        return not version or version != before

    def _cut(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=502)

    def _close_all(self) -> None:
        for transport in tuple(self._open):
            transport.abort()


def _sent_on(fault: RequestFault | None) -> bool:
    match fault:
        case None | Kill("after") | Reset(committed=True) | StaleList():
            return True
        case _:
            return False


def _refusal(code: int, retry_after: int | None) -> web.Response:
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return web.Response(
        status=code,
        headers=headers,
        body=status_body(code, retry_after),
        content_type="application/json",
    )


def _passed_on(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _NOT_PASSED_ON}


def _version(body: bytes) -> str:
    try:
        return str((json.loads(body).get("metadata") or {}).get("resourceVersion", ""))
    except (ValueError, AttributeError):
        return ""
