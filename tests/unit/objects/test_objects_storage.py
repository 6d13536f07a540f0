"""The models' volume: a claim of ours, a claim of the user's, an emptyDir."""

from typing import Any

import pytest

import objects_kit as kit
from semantic_router_operator.objects import Images, build

MODES = ["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod"]


def models(spec: dict[str, Any]) -> dict[str, Any]:
    (found,) = (v for v in kit.pod(spec)["spec"]["volumes"] if v["name"] == "models-volume")
    return dict(found)


def test_op_07_a_claim_names_no_owner_and_says_for_whom_it_is_kept() -> None:
    claim = kit.body(kit.built({"persistence": {}}), "PersistentVolumeClaim")
    assert claim == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "annotations": {"vllm.ai/router-name": "demo"},
            "labels": kit.LABELS,
            "name": "demo-models",
            "namespace": "models",
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "10Gi"}},
        },
    }


def test_op_07_a_claim_that_is_to_go_with_the_router_is_owned_by_it() -> None:
    spec = {"persistence": {"retentionPolicy": "Delete"}}
    claim = kit.body(kit.built(spec), "PersistentVolumeClaim")
    assert claim["metadata"]["ownerReferences"] == [kit.OWNER]


def test_a_claim_has_what_the_resource_says() -> None:
    spec = {
        "persistence": {
            "accessMode": "ReadWriteMany",
            "annotations": {"b": "2", "a": "1", "vllm.ai/router-name": "mine"},
            "size": "2.5Ti",
            "storageClassName": "fast",
        }
    }
    claim = kit.body(kit.built(spec), "PersistentVolumeClaim")
    assert claim["metadata"]["annotations"] == {"a": "1", "b": "2", "vllm.ai/router-name": "demo"}
    assert claim["spec"] == {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "2.5Ti"}},
        "storageClassName": "fast",
    }


@pytest.mark.parametrize("spec", [{}, {"persistence": None}, {"persistence": {"enabled": False}}])
def test_persistence_is_off_until_its_object_is_there(spec: dict[str, Any]) -> None:
    assert kit.found(kit.built(spec), "PersistentVolumeClaim") is None
    assert models(spec) == {"emptyDir": {}, "name": "models-volume"}
    strategy = kit.body(kit.built(spec), "Deployment")["spec"]["strategy"]
    assert strategy["type"] == "RollingUpdate"


def test_the_pods_use_the_claim() -> None:
    assert models({"persistence": {}})["persistentVolumeClaim"] == {"claimName": "demo-models"}


def test_op_07_a_claim_of_the_users_own_is_used_and_none_is_made() -> None:
    spec = {"persistence": {"existingClaim": "theirs", "storageClassName": "standard"}}
    assert kit.found(kit.built(spec), "PersistentVolumeClaim") is None
    assert models(spec)["persistentVolumeClaim"] == {"claimName": "theirs"}
    assert kit.built(spec).issues == ()


def test_a_volume_that_may_only_be_read_is_mounted_so() -> None:
    spec = {"persistence": {"existingClaim": "theirs", "accessMode": "ReadOnlyMany"}}
    assert models(spec)["persistentVolumeClaim"] == {"claimName": "theirs", "readOnly": True}


@pytest.mark.parametrize("claim", [{}, {"existingClaim": "theirs"}])
@pytest.mark.parametrize("mode", MODES)
def test_op_15_pods_that_cannot_share_the_volume_are_recreated(
    mode: str, claim: dict[str, str]
) -> None:
    spec = {"persistence": {"accessMode": mode, **claim}}
    deployment = kit.body(kit.built(spec), "Deployment")["spec"]
    recreated = deployment["strategy"] == {"type": "Recreate"}
    assert recreated is ("Once" in mode)


@pytest.mark.parametrize(
    "spec", [{"replicas": 3}, {"autoscaling": {"enabled": True}, "resources": {"limits": {}}}]
)
def test_op_15_a_volume_for_one_node_and_several_replicas_is_warned_of(
    spec: dict[str, Any],
) -> None:
    codes = [issue.code for issue in kit.built({**spec, "persistence": {}}).issues]
    assert "SharedVolume" in codes
    shared = {"accessMode": "ReadWriteMany"}
    codes = [issue.code for issue in kit.built({**spec, "persistence": shared}).issues]
    assert "SharedVolume" not in codes


@pytest.mark.parametrize(
    ("field", "value", "held"),
    [
        ("size", "10GB x", ["PersistentVolumeClaim"]),
        ("size", "-1Gi", ["PersistentVolumeClaim"]),
        ("size", "0", ["PersistentVolumeClaim"]),
        ("size", "", ["PersistentVolumeClaim"]),
        ("storageClassName", "Fast!", ["PersistentVolumeClaim"]),
        ("accessMode", "RWO", ["PersistentVolumeClaim", "Deployment"]),
        ("existingClaim", "a_b", ["Deployment"]),
    ],
)
def test_op_03_nonsense_is_said_of_its_field(field: str, value: str, held: list[str]) -> None:
    result = kit.built({"persistence": {field: value}})
    assert {issue.path for issue in result.issues} == {f"spec.persistence.{field}"}
    assert [key.kind.kind for key in result.withheld] == held


def test_op_13_the_name_of_a_claim_is_cut_like_the_others() -> None:
    router = kit.router({"persistence": {}}, name="r" * 80)
    result = build(router, kit.CONFIG, platform=kit.KUBERNETES, images=Images())
    claim = kit.body(result, "PersistentVolumeClaim")["metadata"]
    assert len(claim["name"]) == 63
    assert claim["name"].endswith("-models")
    assert claim["annotations"]["vllm.ai/router-name"] == "r" * 80
