"""What the run command puts together."""

import asyncio
from pathlib import Path

from prometheus_client import generate_latest

from semantic_router_operator.cli.run_command import _Process
from semantic_router_operator.cluster.clock import SystemClock
from semantic_router_operator.settings import Settings
from unit.cluster.fake_api import FakeApi, connected


async def test_whoever_keeps_something_by_router_hears_that_it_is_gone(tmp_path: Path) -> None:
    async with connected(FakeApi(), tmp_path) as client:
        cluster, controller = _Process(Settings(), SystemClock())._wire(client)
    assert controller.interests is cluster


async def test_the_tasks_of_the_loop_are_counted(tmp_path: Path) -> None:
    process = _Process(Settings(), SystemClock())
    async with connected(FakeApi(), tmp_path) as client:
        process._wire(client)
        others = [asyncio.create_task(asyncio.sleep(60)) for _ in range(7)]
        text = generate_latest(process._telemetry.registry).decode()
        count = len(asyncio.all_tasks())
        for task in others:
            task.cancel()
    assert count > 7
    assert f"\nsemantic_router_operator_asyncio_tasks {count}.0\n" in text
