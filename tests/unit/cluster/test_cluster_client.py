"""Requests: what is tried again, what isn't, and with which credentials."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import certifi
import pytest
from aiohttp import web

from semantic_router_operator.cluster.call import Call
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.credentials import Credentials
from semantic_router_operator.errors import ApiThrottled, ApiUnreachable
from unit.cluster.fake_api import (
    Answer,
    FakeApi,
    connected,
    fails,
    kubeconfig,
    lists,
    resets,
    says,
    serving,
)

OK = says({"kind": "Thing"})


@pytest.mark.parametrize(
    ("call", "verb", "resource"),
    [
        (Call("GET", "/api/v1/namespaces/n/services/a"), "GET", "services"),
        (Call("GET", "/api/v1/namespaces/n/services"), "LIST", "services"),
        (Call("GET", "/api/v1/services", {"watch": "true"}), "WATCH", "services"),
        (Call("GET", "/api/v1/namespaces"), "LIST", "namespaces"),
        (Call("GET", "/api/v1/namespaces/n"), "GET", "namespaces"),
        (Call("GET", "/apis"), "GET", "discovery"),
        (Call("PATCH", "/apis/g/v1/namespaces/n/things/a/status"), "PATCH", "things/status"),
        (Call("POST", "/apis/g/v1/namespaces/n/things"), "POST", "things"),
    ],
)
def test_a_request_is_counted_by_verb_and_resource(call: Call, verb: str, resource: str) -> None:
    assert (call.verb, call.resource) == (verb, resource)


@pytest.mark.parametrize(
    ("method", "trouble"),
    [
        ("PATCH", fails(429, **{"Retry-After": "0"})),
        ("PATCH", fails(500)),
        ("PATCH", resets()),
        ("DELETE", fails(503)),
        ("PUT", resets()),
    ],
)
async def test_what_may_be_repeated_is_tried_again(
    tmp_path: Path, trouble: Answer, method: Any
) -> None:
    api = FakeApi({method: [trouble, OK]})
    async with connected(api, tmp_path) as client:
        assert await client.request(Call(method, "/api/v1/x", body={})) == {"kind": "Thing"}
    assert api.counts[method] == 2


async def late(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(2.0)
    return await OK(request)


@pytest.mark.parametrize(("method", "sent"), [("PATCH", 3), ("DELETE", 3), ("LIST", 1)])
async def test_a_write_that_hangs_is_sent_again_and_waited_for_longer(
    tmp_path: Path, method: Any, sent: int
) -> None:
    api = FakeApi({method: [late]})
    async with connected(api, tmp_path) as client:
        client.write_seconds = (0.5, 0.5, 20.0)
        await client.request(Call("GET" if method == "LIST" else method, "/api/v1/x"))
    assert api.counts[method] == sent


async def test_a_post_that_hangs_is_waited_for(tmp_path: Path) -> None:
    api = FakeApi({"POST": [late]})
    async with connected(api, tmp_path) as client:
        client.write_seconds = (0.1, 0.1, 5.0)
        await client.request(Call("POST", "/api/v1/x", body={}))


async def test_a_post_is_sent_once(tmp_path: Path) -> None:
    api = FakeApi({"POST": [fails(503), OK]})
    async with connected(api, tmp_path) as client:
        with pytest.raises(ApiUnreachable):
            await client.request(Call("POST", "/api/v1/x", body={}))
    assert api.counts["POST"] == 1


async def test_attempts_are_bounded(tmp_path: Path) -> None:
    api = FakeApi({"LIST": [fails(500)]})
    async with connected(api, tmp_path) as client:
        with pytest.raises(ApiUnreachable):
            await client.get("/api/v1/x")
    assert api.counts["LIST"] == 3


async def test_a_short_retry_after_is_waited_for(tmp_path: Path) -> None:
    api = FakeApi({"LIST": [fails(429, **{"Retry-After": "1"}), OK]})
    began = time.monotonic()
    async with connected(api, tmp_path) as client:
        await client.get("/api/v1/x")
    assert time.monotonic() - began >= 1.0


async def test_a_long_retry_after_is_the_callers_to_wait_for(tmp_path: Path) -> None:
    api = FakeApi({"LIST": [fails(429, **{"Retry-After": "600"})]})
    async with connected(api, tmp_path) as client:
        with pytest.raises(ApiThrottled) as caught:
            await client.get("/api/v1/x")
    assert caught.value.retry_after == 600.0
    assert api.counts["LIST"] == 1


async def test_an_answer_that_is_no_json_is_no_answer(tmp_path: Path) -> None:
    async def html(_: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>")

    async with connected(FakeApi({"LIST": [html]}), tmp_path) as client:
        with pytest.raises(ApiUnreachable, match="no JSON object"):
            await client.get("/api/v1/x")


async def test_nobody_there_is_no_answer(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "kubeconfig", "http://127.0.0.1:1")
    async with Client(await Credentials.load({"KUBECONFIG": str(path)})) as client:
        with pytest.raises(ApiUnreachable, match="GET /api/v1/x"):
            await client.request(Call("GET", "/api/v1/x/y"))


async def test_requests_at_the_same_time_are_limited(tmp_path: Path) -> None:
    running = most = 0

    async def slow(_: web.Request) -> web.StreamResponse:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.05)
        running -= 1
        return web.json_response({})

    api = FakeApi({"LIST": [slow]})
    async with serving(api) as server:
        path = kubeconfig(tmp_path / "kubeconfig", server)
        credentials = await Credentials.load({"KUBECONFIG": str(path)})
        async with Client(credentials, concurrency=2) as client:
            await asyncio.gather(*(client.get("/api/v1/x") for _ in range(8)))
    assert most == 2


async def test_every_attempt_is_counted(tmp_path: Path) -> None:
    counted: list[tuple[str, str, int]] = []
    api = FakeApi({"LIST": [fails(500), fails(429, **{"Retry-After": "0"}), OK]})
    async with serving(api) as server:
        path = kubeconfig(tmp_path / "kubeconfig", server)
        async with Client(
            await Credentials.load({"KUBECONFIG": str(path)}),
            on_request=lambda verb, what, code, _: counted.append((verb, what, code)),
        ) as client:
            await client.get("/api/v1/things")
    assert counted == [
        ("LIST", "things", 500),
        ("LIST", "things", 429),
        ("LIST", "things", 200),
    ]


async def test_a_token_that_was_rotated_is_read_again_after_401(tmp_path: Path) -> None:
    """Field case KO-03."""
    token = tmp_path / "token"
    token.write_text("old\n")

    async def guarded(request: web.Request) -> web.StreamResponse:
        good = request.headers.get("Authorization") == "Bearer new"
        return await (OK if good else fails(401))(request)

    api = FakeApi({"LIST": [guarded]})
    async with connected(api, tmp_path, tokenFile=str(token)) as client:
        token.write_text("new\n")
        await client.get("/api/v1/x")
        assert (await client.credentials.connection()).token == "new"  # noqa: S105
    assert [item.headers["Authorization"] for item in api.asked] == ["Bearer old", "Bearer new"]


async def test_an_exec_plugin_is_asked_for_a_token(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    status = {"token": "from-plugin", "expirationTimestamp": "2099-01-01T00:00:00Z"}
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": status,
    }
    plugin.write_text(f"#!/bin/sh\necho '{json.dumps(credential)}'\n")
    plugin.chmod(0o755)
    how = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": str(plugin),
        "interactiveMode": "Never",
    }
    api = FakeApi({"LIST": [OK]})
    async with connected(api, tmp_path, exec=how) as client:
        await client.get("/api/v1/x")
    assert api.asked[0].headers["Authorization"] == "Bearer from-plugin"


@pytest.mark.parametrize("text", ["half: {", "", "[]"])
async def test_a_kubeconfig_that_is_half_written_leaves_what_was_known(
    tmp_path: Path, text: str
) -> None:
    api = FakeApi({"LIST": [fails(401), OK]})
    async with connected(api, tmp_path, token="t") as client:  # noqa: S106
        (tmp_path / "kubeconfig").write_text(text)
        assert await client.get("/api/v1/x") == {"kind": "Thing"}


async def test_certificates_that_are_half_written_are_read_again_the_next_time(
    tmp_path: Path,
) -> None:
    """A raw error of ssl would end whatever has asked: a watch, the Lease."""
    authority = tmp_path / "ca.crt"
    whole = Path(certifi.where()).read_bytes()
    authority.write_bytes(whole)
    path = kubeconfig(tmp_path / "kubeconfig", "https://api:1", token="t")  # noqa: S106
    config = json.loads(path.read_text())
    config["clusters"][0]["cluster"]["certificate-authority"] = str(authority)
    path.write_text(json.dumps(config))
    async with Client(await Credentials.load({"KUBECONFIG": str(path)})) as client:
        before = client._session
        authority.write_bytes(whole[:100])
        await client._renew()
        assert client._session is before
        authority.write_bytes(whole + b"\n")
        await client._renew()
        assert client._session is not before
        assert before.closed


async def test_missing_credentials_are_said(tmp_path: Path) -> None:
    with pytest.raises(ApiUnreachable, match="no usable credentials"):
        await Credentials.load({"KUBECONFIG": str(tmp_path / "none")})


async def test_the_connection_can_be_lent_to_others(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "kubeconfig", "http://api:1/", username="u", password="p")  # noqa: S106
    connection = await (await Credentials.load({"KUBECONFIG": str(path)})).connection()
    assert connection.server == "http://api:1"
    assert connection.scheme == "Basic"
    assert not connection.insecure


async def test_a_list_of_many_pages_is_read_whole(tmp_path: Path) -> None:
    item = {"metadata": {"name": "a"}}
    api = FakeApi({"LIST": [lists(item, more="next"), lists(item)]})
    async with connected(api, tmp_path) as client:
        assert await client.list_all("/api/v1/x") == [item, item]
    assert [request.query.get("continue") for request in api.asked] == [None, "next"]


async def test_the_token_of_a_pod_is_read_again_when_kubelet_has_rotated_it(tmp_path: Path) -> None:
    token, certificate = tmp_path / "token", tmp_path / "ca.crt"
    token.write_text("old")
    certificate.write_text("not looked into yet")
    environment = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    credentials = await Credentials.from_pod(environment, token=token, certificate=certificate)
    assert credentials.server == "https://[fd00::1]:443"
    assert (await credentials.connection()).token == "old"  # noqa: S105
    token.write_text("new")
    await credentials.renew()
    assert (await credentials.connection()).token == "new"  # noqa: S105
    token.unlink()
    await credentials.renew()
    assert (await credentials.connection()).token == "new"  # noqa: S105
