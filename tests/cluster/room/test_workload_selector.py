"""A Deployment of ours with a selector that isn't ours: nobody but a person may replace it."""

import copy
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import objects_kit as kit
from cluster.cluster_room import Room, install_crd, room
from cluster.workloads import Kubectl, applied, created, having, made, the
from semantic_router_operator.model.manifests import DEPLOYMENT
from semantic_router_operator.objects import Images, blame, build


@pytest.fixture(scope="module")
def crd(kubectl: Kubectl) -> None:
    install_crd(kubectl)


@pytest.fixture
async def at(admin: Path, crd: None) -> AsyncIterator[Room]:
    async with room(admin) as found:
        yield found


async def test_op_06_a_selector_that_cannot_change_is_told_and_the_deployment_stays(
    at: Room, namespace: str
) -> None:
    router = await created(at, namespace, "r")
    built = build(having(router), kit.CONFIG, platform=kit.KUBERNETES, images=Images())
    wanted = next(item for item in built.manifests if item.kind == DEPLOYMENT)
    body: Any = copy.deepcopy(dict(wanted.body))
    body["spec"]["selector"]["matchLabels"]["app.kubernetes.io/version"] = "v1"
    body["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/version"] = "v1"
    before = await made(at, DEPLOYMENT, namespace, body, fieldManager="manager")
    found = await applied(at, having(router, replicas=3))
    assert found["Deployment"].outcome == "rejected"
    assert "made with another selector" in (blame(found["Deployment"], router) or "")
    assert {item.outcome for kind, item in found.items() if kind != "Deployment"} == {"applied"}
    now = await the(at, DEPLOYMENT, namespace, "r")
    assert now["metadata"]["uid"] == before["metadata"]["uid"]
    assert now["spec"] == before["spec"]
