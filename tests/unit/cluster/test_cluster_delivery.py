"""Pods are touched when their ConfigMap has changed; that this fails is no failure."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from semantic_router_operator import names
from semantic_router_operator.cluster.capabilities import Capabilities
from semantic_router_operator.cluster.child_facts import pod_facts
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.delivery import Delivery
from semantic_router_operator.cluster.watch_source import Pace
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    DEPLOYMENT,
    AppliedObject,
    ChildKey,
)
from semantic_router_operator.model.router import Metadata, SemanticRouter
from unit.cluster.fake_api import Answer, FakeApi, connected, fails, says

ROUTER = SemanticRouter(metadata=Metadata(name="r", namespace="n", uid="u", generation=1))
KEY = ChildKey(CONFIG_MAP, "n", "r-config")
WRITTEN = AppliedObject(KEY, "applied")
PODS = ChildKey(DEPLOYMENT, "n", "r")
STAYS = AppliedObject(PODS, "unchanged")
SAME = AppliedObject(KEY, "unchanged")


def pod(name: str, controller: str) -> Any:
    owners = [{"kind": "ReplicaSet", "name": controller, "controller": True}] if controller else []
    labels = {names.LABEL_INSTANCE: "r"}
    metadata = {"name": name, "namespace": "n", "labels": labels, "ownerReferences": owners}
    return pod_facts({"metadata": metadata})


@asynccontextmanager
async def delivery(folder: Path, *answers: Answer) -> AsyncIterator[tuple[Delivery, FakeApi]]:
    """With two pods of r, one of r-2 and one of nobody."""
    api = FakeApi({"PATCH": list(answers or [says({})])})
    async with connected(api, folder) as client:
        capabilities = Capabilities(client, on_change=lambda: None, pace=Pace())
        children = Children(client, capabilities, wake=lambda *_: None)
        children.note(
            KEY, {"metadata": {"name": KEY.name, "namespace": "n", "resourceVersion": "7"}}
        )
        for found in (pod("a", "r-1"), pod("b", "r-2"), pod("c", "r-2-1"), pod("d", "")):
            children._pod_changed(None, found)
        yield Delivery(client, children), api


@pytest.mark.parametrize("pods", [STAYS, AppliedObject(PODS, "applied")])
async def test_each_pod_of_the_router_is_told_the_version(
    tmp_path: Path, pods: AppliedObject
) -> None:
    """A note or the number of pods may have been written: the writer knows that they stay."""
    async with delivery(tmp_path) as (found, api):
        bodies = await sent(found, api, pods)
    assert sorted(bodies) == ["/api/v1/namespaces/n/pods/a", "/api/v1/namespaces/n/pods/b"]
    assert {
        body["metadata"]["annotations"]["vllm.ai/config-version"] for body in bodies.values()
    } == {"7"}


async def sent(found: Delivery, api: FakeApi, pods: AppliedObject) -> dict[str, Any]:
    """Path -> body of what is asked."""
    bodies = {}
    inner = api.answers["PATCH"][0]

    async def answer(request: Any) -> Any:
        bodies[request.path] = json.loads(await request.text())
        return await inner(request)

    api.answers["PATCH"] = [answer]
    await found.hurry(ROUTER, [WRITTEN, pods])
    return bodies


@pytest.mark.parametrize(
    "applied",
    [[], [SAME, STAYS], [WRITTEN], [WRITTEN, AppliedObject(PODS, "failed")]],
)
async def test_nothing_is_asked_where_the_document_stays_or_the_pods_are_not_as_wanted(
    tmp_path: Path, applied: list[AppliedObject]
) -> None:
    async with delivery(tmp_path) as (found, api):
        await found.hurry(ROUTER, applied)
    assert api.asked == []


async def test_pods_that_are_gone_are_not_asked_again(tmp_path: Path) -> None:
    async with delivery(tmp_path) as (found, api):
        assert found._children.pod_names("n", "r") == ["a", "b"]
        for name, controller in (("a", "r-1"), ("b", "r-2")):
            found._children._pod_changed(pod(name, controller), None)
        await found.hurry(ROUTER, [WRITTEN, STAYS])
    assert api.asked == []


@pytest.mark.parametrize("code", [403, 404, 422])
async def test_a_refusal_costs_a_line_in_the_log_and_nothing_else(
    tmp_path: Path, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with delivery(tmp_path, fails(code)) as (found, api):
        await found.hurry(ROUTER, [WRITTEN, STAYS])
    assert len(api.asked) == 2
    lines = [line for line in caplog.messages if line.startswith("n/r: the pods get the ConfigMap")]
    assert len(lines) == (0 if code == 404 else 1)
