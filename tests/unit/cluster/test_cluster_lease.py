"""The Lease where no real API server can be made to do it; the rest is in tests/cluster."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from semantic_router_operator.cluster.call import Call
from semantic_router_operator.cluster.clock import SystemClock
from semantic_router_operator.cluster.lease import Election, Terms
from semantic_router_operator.errors import ApiUnreachable
from unit.cluster.fake_api import Answer, FakeApi, connected, fails, says

TERMS = Terms("n", "me", duration=1.5, renew=1.0, retry=0.05)


def echoed() -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response(await request.json())

    return answer


def nonsense(what: Any) -> Answer:
    return says({"metadata": {}, "spec": {"holderIdentity": "me", "leaseTransitions": what}})


@pytest.mark.parametrize("leads", [True, False])
async def test_an_election_that_breaks_down_ends_whoever_waits_for_it(
    tmp_path: Path, *, leads: bool
) -> None:
    reads = [fails(404), nonsense("x")] if leads else [nonsense("x")]
    api = FakeApi({"LIST": reads, "POST": [echoed()], "PUT": [fails(409)]})
    async with connected(api, tmp_path) as client:
        election = Election(client, SystemClock(), TERMS)
        election.start()
        if leads:
            await asyncio.wait_for(election.lead(), 5)
        with pytest.raises(ValueError, match="invalid literal"):
            await asyncio.wait_for(election.lost() if leads else election.lead(), 5)
        await election.stop()


async def test_who_does_not_lead_writes_nothing_but_the_lease(tmp_path: Path) -> None:
    api = FakeApi({verb: [says({})] for verb in ("LIST", "PATCH", "PUT")})
    lease = "/apis/coordination.k8s.io/v1/namespaces/n/leases/semantic-router-operator"
    async with connected(api, tmp_path) as client:
        client.may_write = lambda: False
        with pytest.raises(ApiUnreachable, match="doesn't lead"):
            await client.request(Call("PATCH", "/api/v1/namespaces/n/configmaps/a", body={}))
        await client.get("/api/v1/namespaces/n/configmaps/a")
        await client.request(Call("PUT", lease, body={}))
    assert [request.method for request in api.asked] == ["GET", "PUT"]


async def test_the_lead_is_asked_for_again_when_the_bytes_go_out(tmp_path: Path) -> None:
    """A process that is stopped while it connects must not write when it wakes."""
    api = FakeApi({"PATCH": [says({})], "DELETE": [says({})]})
    answers: list[bool] = []
    async with connected(api, tmp_path) as client:
        client.may_write = lambda: answers.pop(0)
        for call in (
            Call("PATCH", "/api/v1/x", body={"a": 1}),
            Call("DELETE", "/api/v1/x", body={}),
        ):
            answers[:] = [True, False, False, False]
            with pytest.raises(ApiUnreachable):
                await client.request(call)
            assert api.asked == []
            answers[:] = [True, True]
            await client.request(call)
            assert [request.method for request in api.asked] == [call.method]
            api.asked.clear()


async def test_without_an_election_that_runs_the_lead_is_never_lost(tmp_path: Path) -> None:
    async with connected(FakeApi(), tmp_path) as client:
        election = Election(client, SystemClock(), TERMS)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(election.lost(), 0.05)
