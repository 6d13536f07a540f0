"""How soon a dead leader is followed, against a real API server."""

import asyncio
import dataclasses
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_room import Room, room
from controlplane import ControlPlane
from semantic_router_operator.cluster.clock import SystemClock
from semantic_router_operator.cluster.lease import Election, Terms


@pytest.fixture
async def at(admin: Path) -> AsyncIterator[Room]:
    async with room(admin, started=False) as found:
        yield found


def candidate(at: Room, namespace: str, identity: str, **times: Any) -> Election:
    terms = dataclasses.replace(Terms(namespace, identity), **times)
    return Election(at.client, SystemClock(), terms)


async def die(leader: Election) -> None:
    """As a kill: it doesn't give the Lease back."""
    task = leader._task
    assert task is not None
    task.cancel()
    await asyncio.wait([task])


async def test_whoever_waits_takes_the_lease_at_the_moment_at_which_it_is_free(
    at: Room, namespace: str
) -> None:
    """Not at its next turn, which would be up to another `retry` later."""
    first = candidate(at, namespace, "first", duration=2.0, renew=1.0, retry=0.2)
    second = candidate(at, namespace, "second", duration=2.0, renew=1.0, retry=6.0)
    first.start()
    await asyncio.wait_for(first.lead(), 5)
    second.start()
    await asyncio.sleep(0.3)
    await die(first)
    began = time.monotonic()
    await asyncio.wait_for(second.lead(), 4)
    assert time.monotonic() - began > 1.5
    await second.stop()


async def test_a_leader_renews_with_one_request_each_time(at: Room, namespace: str) -> None:
    first = candidate(at, namespace, "first", duration=2.0, renew=1.5, retry=0.1)
    first.start()
    await asyncio.wait_for(first.lead(), 5)
    at.requests.clear()
    await asyncio.sleep(1)
    assert {(verb, code) for verb, _, code in at.requests} == {("PUT", 200)}
    assert first.is_leader
    await first.stop()


async def test_somebody_elses_write_to_the_lease_costs_no_lead(
    at: Room, namespace: str, control_plane: ControlPlane
) -> None:
    first = candidate(at, namespace, "first", duration=2.0, renew=1.5, retry=0.1)
    first.start()
    await asyncio.wait_for(first.lead(), 5)
    for change in (("annotate", "theirs=1"), ("delete",)):
        verb, *rest = change
        lease = ("lease", "semantic-router-operator", "-n", namespace)
        await asyncio.to_thread(control_plane.kubectl, verb, *lease, *rest)
        await asyncio.sleep(1.6)
        assert first.is_leader
    await first.stop()
