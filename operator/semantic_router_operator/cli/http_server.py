"""/healthz, /readyz and /metrics."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

Check = Callable[[], str | None]
"""What is wrong, or None."""


@asynccontextmanager
async def serving(application: web.Application, address: str, port: int) -> AsyncIterator[None]:
    """Serves while the block runs. Raises OSError when the port is taken."""
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, address, port).start()
        yield
    finally:
        await runner.cleanup()


def health(live: Check, ready: Check) -> web.Application:
    """200 `ok`, or 503 with what is wrong."""
    application = web.Application()
    application.router.add_get("/healthz", _probe(live))
    application.router.add_get("/readyz", _probe(ready))
    return application


def metrics(registry: CollectorRegistry) -> web.Application:
    """The registry in Prometheus' text format."""

    async def scrape(_: web.Request) -> web.Response:
        return web.Response(
            body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    application = web.Application()
    application.router.add_get("/metrics", scrape)
    return application


def _probe(check: Check) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_: web.Request) -> web.Response:
        problem = check()
        return web.Response(text=problem or "ok", status=503 if problem else 200)

    return answer
