"""Status, Events and the Lease against a real API server."""

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_room import Room, eventually, install_crd, owner, room
from controlplane.wire import Wire
from semantic_router_operator import names
from semantic_router_operator.cluster.clock import SystemClock
from semantic_router_operator.cluster.lease import Election, Terms
from semantic_router_operator.errors import ApiConflict
from semantic_router_operator.model.status import EventNote

Kubectl = Callable[..., str]

STATUS: dict[str, Any] = {
    "observedGeneration": 1,
    "phase": "Running",
    "conditions": [
        {
            "type": kind,
            "status": "True",
            "reason": "AllGood",
            "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for kind in ("Ready", "ConfigAccepted")
    ],
}


@pytest.fixture(scope="module")
def crd(kubectl: Kubectl) -> None:
    install_crd(kubectl)


@pytest.fixture
async def at(admin: Path, crd: None) -> AsyncIterator[Room]:
    async with room(admin, started=False) as found:
        found.cluster.publisher.start()
        yield found


async def live(at: Room, namespace: str) -> dict[str, Any]:
    path = f"/apis/{names.API_VERSION}/namespaces/{namespace}/{names.PLURAL}/r"
    return await at.client.get(path)


async def test_a_status_is_written_once(at: Room, namespace: str) -> None:
    """Field case OP-12."""
    await owner(at, namespace, "r")
    written = await at.cluster.publisher.write_status(await live(at, namespace), STATUS)
    assert written is not None
    assert [item["type"] for item in written["status"]["conditions"]] == ["Ready", "ConfigAccepted"]
    at.requests.clear()
    assert await at.cluster.publisher.write_status(written, written["status"]) is written
    assert await at.cluster.publisher.write_status(written, STATUS) is written
    assert at.requests == []


async def test_what_is_no_longer_said_goes_away(at: Room, namespace: str) -> None:
    await owner(at, namespace, "r")
    with_url = {**STATUS, "url": "http://r"}
    written = await at.cluster.publisher.write_status(await live(at, namespace), with_url)
    assert written is not None
    written = await at.cluster.publisher.write_status(written, STATUS)
    assert written is not None
    assert "url" not in written["status"]


async def test_a_status_that_another_manager_left_is_not_fought_over(
    at: Room, namespace: str, kubectl: Kubectl
) -> None:
    await owner(at, namespace, "r")
    patch = '{"status":{"url":"http://theirs"}}'
    kubectl(
        "patch", "sr", "r", "-n", namespace, "--subresource=status", "--type=merge", "-p", patch
    )
    written = await at.cluster.publisher.write_status(await live(at, namespace), STATUS)
    assert written is not None
    at.requests.clear()
    for _ in range(3):
        assert await at.cluster.publisher.write_status(written, STATUS) is written
    assert at.requests == []


async def test_a_router_that_is_gone_or_another_one_gets_no_status(
    at: Room, namespace: str, kubectl: Kubectl
) -> None:
    await owner(at, namespace, "r")
    body = await live(at, namespace)
    kubectl("delete", "sr", "r", "-n", namespace)
    assert await at.cluster.publisher.write_status(body, STATUS) is None
    await owner(at, namespace, "r")
    assert await at.cluster.publisher.write_status(body, STATUS) is None
    status = (await live(at, namespace)).get("status") or {}
    assert status.get("phase") != "Running"


async def test_a_status_is_written_although_somebody_annotated_the_router_meanwhile(
    at: Room, namespace: str, kubectl: Kubectl
) -> None:
    """Field case KO-05."""
    await owner(at, namespace, "r")
    body = await live(at, namespace)
    kubectl("annotate", "sr", "r", "-n", namespace, "theirs=1")
    written = await at.cluster.publisher.write_status(body, STATUS)
    assert written is not None
    assert written["metadata"]["annotations"] == {"theirs": "1"}


async def test_the_status_of_a_newer_generation_is_not_written_over(
    at: Room, namespace: str
) -> None:
    """A pass on what a stale cache told; the one on the newer spec has been there before."""
    await owner(at, namespace, "r")
    stale = await live(at, namespace)
    newer = {**STATUS, "observedGeneration": 2, "phase": "Pending"}
    assert await at.cluster.publisher.write_status(stale, newer) is not None
    with pytest.raises(ApiConflict):
        await at.cluster.publisher.write_status(stale, STATUS)
    assert (await live(at, namespace))["status"]["phase"] == "Pending"


async def test_an_event_is_posted_once_per_reason(
    at: Room, namespace: str, kubectl: Kubectl
) -> None:
    await owner(at, namespace, "r")
    body = await live(at, namespace)
    for message in ("x" * 2000, "again"):
        at.cluster.publisher.post(body, EventNote("Warning", "NameConflict", message))
    at.cluster.publisher.post(body, EventNote("Normal", "Ready", "all good"))

    def found() -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = json.loads(
            kubectl("get", "events.events.k8s.io", "-n", namespace, "-o", "json")
        )["items"]
        return events

    await eventually(lambda: len(found()) == 2)
    await asyncio.sleep(0.3)
    assert sorted(item["reason"] for item in found()) == ["NameConflict", "Ready"]
    assert {item["regarding"]["name"] for item in found()} == {"r"}
    assert "NameConflict" in kubectl("describe", "sr", "r", "-n", namespace)


async def test_every_router_is_listed(at: Room, namespace: str) -> None:
    await owner(at, namespace, "r")
    found = (await at.cluster.routers()).bodies
    assert (namespace, "r") in {
        (item["metadata"]["namespace"], item["metadata"]["name"]) for item in found
    }


SHORT = Terms("default", "", duration=3.0, renew=2.0, retry=0.3)


def candidate(at: Room, namespace: str, identity: str) -> Election:
    terms = dataclasses.replace(SHORT, namespace=namespace, identity=identity)
    return Election(at.client, SystemClock(), terms)


async def test_one_of_two_leads_and_the_other_follows_when_it_leaves(
    at: Room, namespace: str
) -> None:
    first, second = candidate(at, namespace, "first"), candidate(at, namespace, "second")
    first.start()
    await asyncio.wait_for(first.lead(), 5)
    second.start()
    await asyncio.sleep(4)
    assert (first.is_leader, second.is_leader) == (True, False)
    await first.stop()
    await asyncio.wait_for(second.lead(), 2)
    assert not first.is_leader
    await second.stop()


async def test_two_who_start_together_do_not_both_lead(at: Room, namespace: str) -> None:
    all_of_them = [candidate(at, namespace, f"c{number}") for number in range(4)]
    for item in all_of_them:
        item.start()
    await asyncio.sleep(2)
    assert sum(item.is_leader for item in all_of_them) == 1
    for item in all_of_them:
        await item.stop()


async def test_a_leader_that_cannot_renew_stops_before_another_one_starts(
    at: Room, namespace: str, admin: Path, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        wire = await Wire.before(admin, tmp_path / "wire.kubeconfig")
        stack.push_async_callback(wire.close)
        cut_off = await stack.enter_async_context(room(tmp_path / "wire.kubeconfig", started=False))
        first, second = candidate(cut_off, namespace, "first"), candidate(at, namespace, "second")
        first.start()
        await asyncio.wait_for(first.lead(), 5)
        second.start()
        wire.refusing = True
        wire.cut()
        await asyncio.wait_for(first.lost(), 4)
        assert not second.is_leader
        await asyncio.wait_for(second.lead(), 6)
        await first.stop()
        await second.stop()


async def test_a_lease_that_was_taken_away_ends_the_lead(
    at: Room, namespace: str, kubectl: Kubectl
) -> None:
    first = candidate(at, namespace, "first")
    first.start()
    await asyncio.wait_for(first.lead(), 5)
    patch = '{"spec":{"holderIdentity":"thief"}}'
    kubectl("patch", "lease", SHORT.name, "-n", namespace, "--type=merge", "-p", patch)
    await asyncio.wait_for(first.lost(), 3)
    await first.stop()
    path = "-o=jsonpath={.spec.holderIdentity}"
    assert kubectl("get", "lease", SHORT.name, "-n", namespace, path) == "thief"
