"""What /healthz says of an operator that doesn't get on (field case KO-03)."""

import time
from dataclasses import dataclass
from typing import Any, cast

import pytest
from aiohttp.test_utils import TestClient, TestServer

from semantic_router_operator.cli.http_server import health
from semantic_router_operator.cli.run_command import _Process
from semantic_router_operator.cluster.clock import SystemClock
from semantic_router_operator.settings import Settings


@dataclass
class Caches:
    """What the probes ask the cluster's caches."""

    silent_seconds: float = 0.0
    unheard_seconds: float = 0.0


async def answer(process: _Process, caches: Caches, path: str) -> tuple[int, str]:
    cluster = cast("Any", caches)
    probes = health(process._liveness(cluster), process._readiness(cluster))
    async with TestClient(TestServer(probes)) as client:
        response = await client.get(path)
        return response.status, await response.text()


@pytest.fixture
def process() -> _Process:
    return _Process(Settings(liveness_seconds=900.0, relist_seconds=600.0), SystemClock())


async def test_ko_03_a_watch_that_is_stuck_fails_the_liveness_probe(process: _Process) -> None:
    assert await answer(process, Caches(silent_seconds=899.0), "/healthz") == (200, "ok")
    code, text = await answer(process, Caches(silent_seconds=901.0), "/healthz")
    assert (code, "watch" in text) == (503, True)


async def test_ko_03_lists_of_the_routers_that_stop_fail_the_liveness_probe(
    process: _Process,
) -> None:
    """They are what makes good what kopf's watch has lost, or all of it when it hears nothing."""
    process.relisted = time.monotonic() - 1400.0
    assert (await answer(process, Caches(), "/healthz"))[0] == 200
    process.relisted = time.monotonic() - 1600.0
    code, text = await answer(process, Caches(), "/healthz")
    assert (code, "listed" in text) == (503, True)


async def test_an_api_server_that_is_away_fails_readiness_alone(process: _Process) -> None:
    away = Caches(unheard_seconds=30.0)
    process._listed = True
    assert (await answer(process, Caches(), "/readyz"))[0] == 200
    assert (await answer(process, away, "/healthz"))[0] == 200
    code, text = await answer(process, away, "/readyz")
    assert (code, "heard" in text) == (503, True)
