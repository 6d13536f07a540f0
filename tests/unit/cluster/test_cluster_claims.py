"""Claims: what can't change, whose they are, and what a patch lets go of."""

from pathlib import Path
from typing import Any

import pytest

import objects_kit as kit
from semantic_router_operator import names
from semantic_router_operator.cluster.adoption import release_finalizer
from semantic_router_operator.cluster.belonging import belongs, refuse_foreign
from semantic_router_operator.cluster.child_facts import Child, child
from semantic_router_operator.cluster.claims import feasible, goes_with, release_patch, unmet
from semantic_router_operator.errors import ApiConflict, NameConflict, ObjectRejected
from semantic_router_operator.model.manifests import CLAIM, CONFIG_MAP, ChildKey, Manifest
from unit.cluster.fake_api import FakeApi, connected, fails, says

KEY = ChildKey(CLAIM, "models", "demo-models")
MINE = {"kind": "SemanticRouter", "name": "demo", "uid": "uid-1", "controller": True}


def live(
    *owners: dict[str, Any], kept_for: str | None = "demo", spec: dict[str, Any] | None = None
) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "name": "demo-models",
        "namespace": "models",
        "uid": "claim-1",
        "resourceVersion": "7",
        "labels": kit.LABELS,
        "annotations": {} if kept_for is None else {names.ANNOTATION_ROUTER: kept_for},
        "ownerReferences": list(owners),
    }
    given = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "10Gi"}},
        "storageClassName": "slow",
    }
    return {"metadata": metadata, "spec": spec or given}


def known(**parts: Any) -> Child:
    return child(CLAIM, live(**parts))


def wanted(**persistence: Any) -> Manifest:
    found = kit.found(kit.built({"persistence": persistence}), "PersistentVolumeClaim")
    assert found is not None
    return found


@pytest.mark.parametrize("size", ["10Gi", "10240Mi", "11Gi", "1Ti"])
def test_a_size_that_is_no_smaller_is_asked_for(size: str) -> None:
    manifest = wanted(size=size)
    assert feasible(manifest, known()) == manifest
    assert unmet(manifest, known()) == ()


def test_what_cannot_change_is_left_and_told_field_by_field() -> None:
    manifest = wanted(size="1Gi", storageClassName="fast", accessMode="ReadWriteMany")
    assert feasible(manifest, known()).body["spec"] == live()["spec"]
    assert [path for path, _ in unmet(manifest, known())] == [
        "spec.storageClassName",
        "spec.accessModes",
        "spec.resources.requests.storage",
    ]


def test_a_claim_without_a_class_is_told_of_as_such() -> None:
    plain = {key: value for key, value in live()["spec"].items() if key != "storageClassName"}
    ((path, why),) = unmet(wanted(storageClassName="fast"), known(spec=plain))
    assert path == "spec.storageClassName"
    assert why.startswith("the claim has no class and can't get one; ")


def test_a_class_that_somebody_else_chose_is_not_written() -> None:
    assert "storageClassName" not in feasible(wanted(), known()).body["spec"]


def test_a_class_that_we_wrote_goes_on_being_written() -> None:
    raw = live()
    raw["metadata"]["managedFields"] = [
        {
            "manager": names.FIELD_MANAGER,
            "operation": "Apply",
            "fieldsV1": {"f:spec": {"f:storageClassName": {}}},
        }
    ]
    assert feasible(wanted(), child(CLAIM, raw)).body["spec"]["storageClassName"] == "slow"


def test_an_object_of_another_kind_is_as_it_is_wanted() -> None:
    manifest = kit.found(kit.built(), "ConfigMap")
    assert manifest is not None
    other = child(CONFIG_MAP, {**live(), "data": {}})
    assert feasible(manifest, other) is manifest
    assert unmet(manifest, other) == unmet(manifest, None) == ()


@pytest.mark.parametrize(
    ("owners", "kept_for", "ours"),
    [
        ((), "demo", True),
        ((), "other", False),
        ((), None, False),
        ((MINE,), None, True),
        (({**MINE, "uid": "uid-2", "name": "other"},), "demo", False),
    ],
)
def test_op_07_whose_a_claim_is(
    owners: tuple[dict[str, Any], ...],
    kept_for: str | None,
    ours: bool,  # noqa: FBT001 - a column of the table
) -> None:
    router, raw = kit.router(), live(*owners, kept_for=kept_for)
    assert belongs(child(CLAIM, raw), router) is ours
    if ours:
        refuse_foreign(KEY, raw, router)
    else:
        with pytest.raises(NameConflict, match=r"spec\.persistence\.existingClaim"):
            refuse_foreign(KEY, raw, router)


def test_a_mark_without_our_label_is_nobodys_word() -> None:
    raw = live()
    raw["metadata"]["labels"] = {}
    with pytest.raises(NameConflict, match="belongs to nobody"):
        refuse_foreign(KEY, raw, kit.router())


def test_only_claims_belong_by_a_mark() -> None:
    raw = {**live(), "data": {}}
    assert not belongs(child(CONFIG_MAP, raw), kit.router())
    key = ChildKey(CONFIG_MAP, "models", "demo-config")
    with pytest.raises(NameConflict):
        refuse_foreign(key, raw, kit.router())


@pytest.mark.parametrize(
    ("persistence", "goes"),
    [
        (None, False),
        ({}, False),
        ({"retentionPolicy": "Delete"}, True),
        ({"retentionPolicy": "Delete", "enabled": False}, True),
        ({"retentionPolicy": "Delete", "existingClaim": "demo-models"}, False),
        ({"retentionPolicy": "Delete", "existingClaim": "other"}, True),
    ],
    ids=str,
)
def test_op_07_only_what_is_said_to_go_goes(
    persistence: dict[str, Any] | None,
    goes: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert goes_with(kit.router({"persistence": persistence}), KEY) is goes


def test_letting_go_leaves_other_owners() -> None:
    other = {"kind": "Backup", "name": "b", "uid": "uid-9"}
    patch = release_patch(live(MINE, other), "uid-1")
    assert patch is not None
    assert patch[0] == {"op": "replace", "path": "/metadata/ownerReferences", "value": [other]}
    assert patch[1]["value"] == "7"
    alone = release_patch(live(MINE), "uid-1")
    assert alone is not None
    assert alone[0] == {"op": "remove", "path": "/metadata/ownerReferences"}
    assert release_patch(live(other), "uid-1") is None


def router_body(*finalizers: str) -> dict[str, Any]:
    metadata = {"name": "demo", "namespace": "models", "uid": "uid-1"}
    return {"metadata": {**metadata, "finalizers": list(finalizers)}}


async def test_without_the_finalizer_nothing_is_asked(tmp_path: Path) -> None:
    api = FakeApi()
    async with connected(api, tmp_path) as client:
        assert not await release_finalizer(client, router_body("theirs"))
        assert api.asked == []


async def test_a_refusal_that_lasts_is_told(tmp_path: Path) -> None:
    body = router_body(names.FORMER_FINALIZER)
    api = FakeApi({"PATCH": [fails(422, "denied")], "LIST": [says(body)]})
    async with connected(api, tmp_path) as client:
        with pytest.raises(ObjectRejected):
            await release_finalizer(client, body)


@pytest.mark.parametrize("answers", [{"PATCH": [fails(404)]}, {
    "PATCH": [fails(409)], "LIST": [fails(404)]
}])  # fmt: skip
async def test_a_router_that_is_gone_meanwhile_needs_nothing(
    tmp_path: Path, answers: dict[str, Any]
) -> None:
    async with connected(FakeApi(answers), tmp_path) as client:
        assert not await release_finalizer(client, router_body(names.FORMER_FINALIZER))


async def test_a_conflict_is_read_again(tmp_path: Path) -> None:
    body = router_body(names.FORMER_FINALIZER)
    api = FakeApi({"PATCH": [fails(409), says({})], "LIST": [says(body)]})
    async with connected(api, tmp_path) as client:
        assert await release_finalizer(client, body)


async def test_a_conflict_that_lasts_is_told(tmp_path: Path) -> None:
    body = router_body(names.FORMER_FINALIZER)
    api = FakeApi({"PATCH": [fails(409)], "LIST": [says(body)]})
    async with connected(api, tmp_path) as client:
        with pytest.raises(ApiConflict):
            await release_finalizer(client, body)
