"""The models' claim on a real API server: it outlives its router and never loses data."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_room import Room, install_crd, room
from cluster.live_objects import owners
from cluster.workloads import (
    Kubectl,
    Object,
    applied,
    at_rest,
    created,
    having,
    made,
    router_path,
    the,
)
from semantic_router_operator.cluster.call import MERGE_PATCH, Call
from semantic_router_operator.model.manifests import CLAIM, CONFIG_MAP
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import blame

CLASS = "nobody-provisions-it"
"""The cluster has few volumes, for the tests that need one."""
KEPT: Object = {"persistence": {"storageClassName": CLASS}}
BOUND_TO_IT: Object = {"persistence": {"storageClassName": CLASS, "retentionPolicy": "Delete"}}
ONLY = (CLAIM, CONFIG_MAP)
"""No pods: a claim that they use would go away only with them."""


@pytest.fixture(scope="module")
def crd(kubectl: Kubectl) -> None:
    install_crd(kubectl)


@pytest.fixture
async def at(admin: Path, crd: None) -> AsyncIterator[Room]:
    async with room(admin) as found:
        yield found


@pytest.fixture
async def router(at: Room, namespace: str) -> SemanticRouter:
    return await created(at, namespace, "r")


def claim_path(namespace: str, name: str = "r-models") -> str:
    return f"/api/v1/namespaces/{namespace}/persistentvolumeclaims/{name}"


async def claim(at: Room, router: SemanticRouter) -> Object:
    return await the(at, CLAIM, router.namespace, "r-models")


async def test_op_07_a_router_that_is_made_again_finds_its_claim(
    at: Room, router: SemanticRouter
) -> None:
    await applied(at, having(router, **KEPT), only=[CLAIM])
    before = await claim(at, router)
    assert "ownerReferences" not in before["metadata"]
    await at_rest(at, having(router, **KEPT), only=[CLAIM])
    await at.client.request(Call("DELETE", router_path(router.namespace, "r")))
    later = await created(at, router.namespace, "r")
    assert later.metadata.uid != router.metadata.uid
    await at_rest(at, having(later, **KEPT), only=[CLAIM])
    found = await applied(at, having(later, **KEPT), only=[CLAIM])
    assert found["PersistentVolumeClaim"].outcome == "unchanged"
    assert (await claim(at, later))["metadata"]["uid"] == before["metadata"]["uid"]


async def test_the_default_class_is_the_clusters_affair(at: Room, router: SemanticRouter) -> None:
    wanted = having(router, persistence={})
    await applied(at, wanted, only=ONLY)
    found = await claim(at, router)
    assert found["spec"]["storageClassName"] == "standard"
    assert owners(found, "spec", "storageClassName") == set()
    await at_rest(at, wanted, only=ONLY)


async def test_op_07_a_claim_that_is_to_go_goes_with_the_router(
    at: Room, router: SemanticRouter
) -> None:
    await applied(at, having(router, **BOUND_TO_IT), only=ONLY)
    (owner,) = (await claim(at, router))["metadata"]["ownerReferences"]
    assert owner.items() >= {"uid": router.metadata.uid, "controller": True}.items()
    await at_rest(at, having(router, **BOUND_TO_IT), only=ONLY)


@pytest.mark.parametrize("policy", ["Retain", "Delete"])
async def test_op_07_switched_off_and_on_again_it_is_the_same_claim(
    at: Room, router: SemanticRouter, policy: str
) -> None:
    on: Object = {"persistence": {"storageClassName": CLASS, "retentionPolicy": policy}}
    await applied(at, having(router, **on), only=ONLY)
    before = await claim(at, router)
    off = having(router, persistence={"enabled": False, "retentionPolicy": policy})
    await applied(at, off, only=ONLY)
    await at_rest(at, off, only=ONLY)
    assert (await claim(at, router))["metadata"] == before["metadata"]
    await applied(at, having(router, **on), only=ONLY)
    assert (await claim(at, router))["metadata"]["uid"] == before["metadata"]["uid"]


@pytest.mark.parametrize("after", [KEPT, {}, {"persistence": {"existingClaim": "r-models"}}])
async def test_op_07_a_claim_that_was_to_go_is_let_go_when_nobody_says_so_any_more(
    at: Room, router: SemanticRouter, after: Object
) -> None:
    await applied(at, having(router, **BOUND_TO_IT), only=ONLY)
    await applied(at, having(router, **after), only=ONLY)
    assert "ownerReferences" not in (await claim(at, router))["metadata"]
    await at_rest(at, having(router, **after), only=ONLY)


@pytest.mark.parametrize("kept_for", [None, "other"])
async def test_op_07_a_claim_of_somebody_else_is_not_touched(
    at: Room, router: SemanticRouter, kept_for: str | None
) -> None:
    metadata: Object = {"name": "r-models"}
    if kept_for:
        metadata["labels"] = {"app.kubernetes.io/managed-by": "semantic-router-operator"}
        metadata["annotations"] = {"vllm.ai/router-name": kept_for}
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": CLASS,
    }
    before = await made(at, CLAIM, router.namespace, {"metadata": metadata, "spec": spec})
    found = (await applied(at, having(router, **KEPT), only=ONLY))["PersistentVolumeClaim"]
    assert (found.outcome, found.reason) == ("conflict", "NameConflict")
    assert "spec.persistence.existingClaim" in found.message
    assert ("SemanticRouter other" in found.message) is (kept_for is not None)
    now = await claim(at, router)
    assert (now["metadata"]["uid"], now["spec"]) == (before["metadata"]["uid"], before["spec"])
    assert now["metadata"].get("annotations") == before["metadata"].get("annotations")


async def test_op_07_what_cannot_change_is_said_and_the_rest_is_written(
    at: Room, router: SemanticRouter
) -> None:
    first = {"storageClassName": CLASS, "size": "2Gi"}
    await applied(at, having(router, persistence=first), only=ONLY)
    edited = having(
        router,
        persistence={
            "accessMode": "ReadWriteMany",
            "annotations": {"example.com/a": "1"},
            "size": "1Gi",
            "storageClassName": "fast",
        },
    )
    found = await applied(at, edited, only=ONLY)
    item = found["PersistentVolumeClaim"]
    assert (item.outcome, item.reason) == ("rejected", "ObjectRejected")
    said = blame(item, router) or ""
    assert said.startswith(f"spec.persistence.storageClassName: the claim's class is {CLASS} ")
    assert "spec.persistence.accessMode: " in said
    assert "spec.persistence.size: the claim has 2Gi and can't shrink" in said
    assert found["ConfigMap"].outcome == "unchanged"
    now = await claim(at, router)
    assert now["metadata"]["annotations"]["example.com/a"] == "1"
    assert now["spec"]["storageClassName"] == CLASS
    await at_rest(at, edited, only=ONLY)
    without = having(router, persistence={"size": "2048Mi"})
    item = (await applied(at, without, only=ONLY))["PersistentVolumeClaim"]
    assert item.outcome == "applied"
    assert "example.com/a" not in (await claim(at, router))["metadata"]["annotations"]
    await at_rest(at, without, only=ONLY)


async def test_op_03_the_same_size_in_other_words_is_no_change(
    at: Room, router: SemanticRouter
) -> None:
    def sized(size: str) -> SemanticRouter:
        return having(router, persistence={"storageClassName": CLASS, "size": size})

    await applied(at, sized("10Gi"), only=ONLY)
    for size in ("10240Mi", "10737418240", "10Gi"):
        await at_rest(at, sized(size), only=ONLY)


async def bound(at: Room, router: SemanticRouter, **storage_class: Any) -> None:
    """A claim that has its volume, and the class of both."""
    name = f"class-{router.namespace}"
    body = {"metadata": {"name": name}, "provisioner": "example.com/none", **storage_class}
    kind = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass"}
    await at.client.request(
        Call("POST", "/apis/storage.k8s.io/v1/storageclasses", body=kind | body)
    )
    persistence = {"storageClassName": name, "size": "1Gi"}
    await applied(at, having(router, persistence=persistence), only=ONLY)
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"volume-{router.namespace}"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "claimRef": {"namespace": router.namespace, "name": "r-models"},
            "csi": {"driver": "example.com", "volumeHandle": "v"},
            "storageClassName": name,
        },
    }
    await at.client.request(Call("POST", "/api/v1/persistentvolumes", body=volume))
    deadline = time.monotonic() + 30
    while (await claim(at, router)).get("status", {}).get("phase") != "Bound":
        assert time.monotonic() < deadline
        await asyncio.sleep(0.1)


async def asked(at: Room, router: SemanticRouter) -> str:
    return str((await claim(at, router))["spec"]["resources"]["requests"]["storage"])


async def test_a_claim_grows_where_its_class_allows_it(at: Room, router: SemanticRouter) -> None:
    await bound(at, router, allowVolumeExpansion=True)
    persistence = {"storageClassName": f"class-{router.namespace}", "size": "2Gi"}
    larger = having(router, persistence=persistence)
    item = (await applied(at, larger, only=ONLY))["PersistentVolumeClaim"]
    assert (item.outcome, await asked(at, router)) == ("applied", "2Gi")
    await at_rest(at, larger, only=ONLY)


async def test_a_claim_that_may_not_grow_stays_and_the_reason_is_told(
    at: Room, router: SemanticRouter
) -> None:
    await bound(at, router, allowVolumeExpansion=False)
    persistence = {"storageClassName": f"class-{router.namespace}", "size": "2Gi"}
    found = await applied(at, having(router, persistence=persistence), only=ONLY)
    item = found["PersistentVolumeClaim"]
    assert (item.outcome, await asked(at, router)) == ("rejected", "1Gi")
    assert (blame(item, router) or "").startswith("spec.persistence")
    assert "resize" in item.message
    assert found["ConfigMap"].outcome == "unchanged"


async def test_what_others_write_on_the_claim_stays(at: Room, router: SemanticRouter) -> None:
    wanted = having(router, **KEPT)
    await applied(at, wanted, only=ONLY)
    theirs = {"metadata": {"annotations": {"backup.example.com/at": "night"}}}
    path = claim_path(router.namespace)
    await at.client.request(Call("PATCH", path, body=theirs, content_type=MERGE_PATCH))
    persistence = {"storageClassName": CLASS, "annotations": {"example.com/a": "1"}}
    more = having(router, persistence=persistence)
    await applied(at, more, only=ONLY)
    await applied(at, wanted, only=ONLY)
    annotations = (await claim(at, router))["metadata"]["annotations"]
    assert annotations == {"backup.example.com/at": "night", "vllm.ai/router-name": "r"}
