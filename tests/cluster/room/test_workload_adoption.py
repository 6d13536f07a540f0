"""A router of the Go operator is taken over: the same objects, its leavings, its finalizer."""

import asyncio
import copy
import json
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import objects_kit as kit
from cluster.cluster_room import Room, eventually, install_crd, room
from cluster.workloads import (
    Kubectl,
    Object,
    applied,
    at_rest,
    created,
    having,
    made,
    read,
    router_path,
    the,
)
from semantic_router_operator import names
from semantic_router_operator.cluster.call import MERGE_PATCH, Call
from semantic_router_operator.errors import ApiConflict, ApiNotFound
from semantic_router_operator.model.manifests import (
    CLAIM,
    CONFIG_MAP,
    DEPLOYMENT,
    SERVICE,
    SERVICE_ACCOUNT,
    AppliedObject,
)
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import Images, build

DATA = Path(__file__).parents[1] / "data"
GO = "manager"
"""Field manager of the Go operator: the name of its program."""
THEIRS = "example.com/theirs"
FINALIZERS = ["example.com/before", names.FORMER_FINALIZER, THEIRS]
CLASS = "nobody-provisions-it"
CLAIMED: Object = {"persistence": {"storageClassName": CLASS}}
KINDS = {kind.kind: kind for kind in (CLAIM, CONFIG_MAP, DEPLOYMENT, SERVICE, SERVICE_ACCOUNT)}


@pytest.fixture(scope="module")
def crd(kubectl: Kubectl) -> None:
    install_crd(kubectl)


@pytest.fixture
async def at(admin: Path, crd: None) -> AsyncIterator[Room]:
    async with room(admin) as found:
        yield found


@pytest.fixture
async def router(at: Room, namespace: str) -> AsyncIterator[SemanticRouter]:
    """As the Go operator leaves it: its finalizer, and its objects by its own names."""
    found = await created(at, namespace, "r", finalizers=FINALIZERS)
    for body in json.loads((DATA / "go_operator.json").read_text())["items"]:
        body["metadata"]["ownerReferences"] = [
            {**kit.OWNER, "name": "r", "uid": found.metadata.uid}
        ]
        await made(at, KINDS[body["kind"]], namespace, body, fieldManager=GO)
    yield found
    with suppress(ApiNotFound):
        await merged(at, router_path(namespace, "r"), {"metadata": {"finalizers": None}})


async def merged(at: Room, path: str, patch: Object) -> Object:
    return await at.client.request(Call("PATCH", path, body=patch, content_type=MERGE_PATCH))


async def stored(at: Room, router: SemanticRouter) -> Object:
    return await at.client.get(router_path(router.namespace, "r"))


async def uids(at: Room, router: SemanticRouter) -> dict[str, str]:
    items = json.loads((DATA / "go_operator.json").read_text())["items"]
    wanted = [(KINDS[item["kind"]], item["metadata"]["name"]) for item in items]
    found = {}
    for kind, name in wanted:
        raw = await the(at, kind, router.namespace, name)
        found[f"{kind.kind} {name}"] = raw["metadata"]["uid"]
    return found


async def taken_over(at: Room, router: SemanticRouter) -> dict[str, AppliedObject]:
    """What became of each object. The Deployment's own controller writes its status meanwhile, and
    each such write is a conflict; the next pass tries again, as the controller would have it."""
    found = await applied(at, router)
    for _ in range(10):
        failed = [kind for kind, item in found.items() if item.reason == ApiConflict.reason]
        if not failed:
            break
        await asyncio.sleep(0.2)
        again = await applied(at, router)
        found |= {kind: again[kind] for kind in failed}
    return found


async def test_op_06_the_objects_of_the_go_operator_become_ours_in_place(
    at: Room, router: SemanticRouter
) -> None:
    before = await uids(at, router)
    service = await the(at, SERVICE, router.namespace, "r")
    found = await taken_over(at, having(router, **CLAIMED))
    assert {item.outcome for item in found.values()} == {"applied"}
    assert await uids(at, router) == before
    now = await the(at, SERVICE, router.namespace, "r")
    assert now["spec"]["clusterIP"] == service["spec"]["clusterIP"]
    assert [port["name"] for port in now["spec"]["ports"]] == ["http-8801", "api", "metrics"]
    spec = (await the(at, DEPLOYMENT, router.namespace, "r"))["spec"]
    assert spec["selector"]["matchLabels"] == names.selector_labels("r")
    assert [item["name"] for item in spec["template"]["spec"]["containers"]] == [names.CONTAINER]
    assert "initContainers" not in spec["template"]["spec"]
    assert spec["strategy"] == {"type": "Recreate"}
    claim = await the(at, CLAIM, router.namespace, "r-models")
    assert "ownerReferences" not in claim["metadata"]
    assert claim["spec"]["storageClassName"] == CLASS
    await at_rest(at, having(router, **CLAIMED))


async def test_a_claim_whose_class_the_resource_no_longer_names_is_adopted_too(
    at: Room, router: SemanticRouter
) -> None:
    found = await applied(at, having(router, persistence={}))
    assert found["PersistentVolumeClaim"].outcome == "applied"
    claim = await the(at, CLAIM, router.namespace, "r-models")
    assert claim["spec"]["storageClassName"] == CLASS
    await at_rest(at, having(router, persistence={}))


async def test_op_06_pods_that_are_as_we_want_them_are_not_restarted(
    at: Room, namespace: str
) -> None:
    router = await created(at, namespace, "same")
    built = build(having(router), kit.CONFIG, platform=kit.KUBERNETES, images=Images())
    manifest = next(item for item in built.manifests if item.kind == DEPLOYMENT)
    body: Any = copy.deepcopy(dict(manifest.body))
    del body["metadata"]["labels"]
    await made(at, DEPLOYMENT, namespace, body, fieldManager=GO)
    deadline = time.monotonic() + 30
    path = f"/apis/apps/v1/namespaces/{namespace}/replicasets"
    while not (before := (await at.client.get(path))["items"]):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.1)
    generation = (await the(at, DEPLOYMENT, namespace, "same"))["metadata"]["generation"]
    found = await applied(at, having(router), only=[DEPLOYMENT])
    assert found["Deployment"].outcome == "applied"
    assert found["Deployment"].generation == generation
    after = (await at.client.get(path))["items"]
    assert [item["metadata"]["uid"] for item in after] == [b["metadata"]["uid"] for b in before]


def complete(at: Room, router: SemanticRouter) -> bool:
    facts = at.cluster.writer.observe(router).deployment
    return facts is not None and facts.complete


async def test_envoys_config_map_goes_when_the_last_pod_with_it_is_gone(
    at: Room, router: SemanticRouter
) -> None:
    envoy = f"/api/v1/namespaces/{router.namespace}/configmaps/r-envoy-config"
    off, kinds = having(router, persistence={"enabled": False}), [DEPLOYMENT, CONFIG_MAP]
    await applied(at, off, only=kinds)
    assert await at.cluster.adoption.adopt(await stored(at, router))
    if not complete(at, off):
        await applied(at, off, only=kinds)
        assert await read(at, envoy) is not None
    await eventually(lambda: complete(at, off), seconds=60)
    await applied(at, off, only=kinds)
    assert await read(at, envoy) is None
    await at_rest(at, off, only=kinds)


async def test_op_07_a_claim_that_the_writer_could_not_take_over_outlives_its_router_too(
    at: Room, router: SemanticRouter
) -> None:
    body = await stored(at, router)
    wanting = {**body, "spec": {**body["spec"], **CLAIMED}}
    assert await at.cluster.adoption.adopt(wanting)
    claim = await the(at, CLAIM, router.namespace, "r-models")
    assert "ownerReferences" not in claim["metadata"]
    assert claim["metadata"]["annotations"][names.ANNOTATION_ROUTER] == "r"
    found = await applied(at, having(router, **CLAIMED), only=[CLAIM])
    assert found["PersistentVolumeClaim"].outcome == "applied"


async def test_only_the_finalizer_of_the_go_operator_is_removed_and_once(
    at: Room, router: SemanticRouter
) -> None:
    body = await stored(at, router)
    assert await at.cluster.adoption.adopt(body)
    after = await stored(at, router)
    assert after["metadata"]["finalizers"] == ["example.com/before", THEIRS]
    assert after["metadata"]["generation"] == body["metadata"]["generation"]
    assert after["spec"] == body["spec"]
    at.requests.clear()
    assert not await at.cluster.adoption.adopt(after)
    assert at.requests == []
    assert not await at.cluster.adoption.adopt(body)
    assert (await stored(at, router))["metadata"]["finalizers"] == ["example.com/before", THEIRS]


async def test_a_list_of_finalizers_that_changed_meanwhile_is_read_again(
    at: Room, router: SemanticRouter
) -> None:
    body = await stored(at, router)
    moved = {"metadata": {"finalizers": [names.FORMER_FINALIZER, THEIRS]}}
    await merged(at, router_path(router.namespace, "r"), moved)
    assert await at.cluster.adoption.adopt(body)
    assert (await stored(at, router))["metadata"]["finalizers"] == [THEIRS]


async def test_another_router_of_that_name_keeps_its_finalizers(
    at: Room, router: SemanticRouter
) -> None:
    body = await stored(at, router)
    other = {
        **body,
        "metadata": {**body["metadata"], "uid": "00000000-0000-0000-0000-000000000000"},
    }
    assert not await at.cluster.adoption.adopt(other)
    assert (await stored(at, router))["metadata"]["finalizers"] == FINALIZERS


@pytest.mark.parametrize(
    ("persistence", "kept"),
    [
        ({"storageClassName": CLASS}, True),
        ({"enabled": False}, True),
        (None, True),
        ({"retentionPolicy": "Delete"}, False),
    ],
    ids=str,
)
async def test_op_07_a_router_that_is_deleted_during_the_change_goes_and_its_claim_stays(
    at: Room,
    router: SemanticRouter,
    persistence: Object | None,
    kept: bool,  # noqa: FBT001
) -> None:
    path = router_path(router.namespace, "r")
    finalizers = [names.FORMER_FINALIZER]
    await merged(at, path, {"metadata": {"finalizers": finalizers}})
    await at.client.request(Call("DELETE", path))
    body = {**await stored(at, router), "spec": {"persistence": persistence}}
    assert parse(body).metadata.deletion_timestamp
    assert await at.cluster.adoption.adopt(body)
    assert await read(at, path) is None
    claim = await the(at, CLAIM, router.namespace, "r-models")
    assert ("ownerReferences" not in claim["metadata"]) is kept
    if kept:
        later = await created(at, router.namespace, "r")
        found = await applied(at, having(later, **CLAIMED), only=[CLAIM])
        assert found["PersistentVolumeClaim"].outcome == "applied"
