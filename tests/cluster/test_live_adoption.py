"""Routers of the Go operator, met by a running operator (docs/adr/0010); the room: cluster/room."""

from cluster.live_objects import Object, Place, until
from semantic_router_operator import names

HELD: Object = {"finalizers": [names.FORMER_FINALIZER, "example.com/theirs"]}


def router(place: Place, **metadata: object) -> Object:
    place.service("model")
    backend = {"type": "service", "service": {"name": "model", "port": 8000}}
    spec = {"vllmEndpoints": [{"name": "model", "model": "m", "backend": backend}]}
    return place.create("sr", "r", metadata=metadata, spec=spec)


def finalizers(place: Place) -> list[str]:
    found: list[str] = place.the("sr", "r")["metadata"].get("finalizers", [])
    return found


def test_ko_04_a_router_is_taken_over_and_its_envoy_leaves(place: Place) -> None:
    uid = router(place, **HELD)["metadata"]["uid"]
    owner = {"apiVersion": "vllm.ai/v1alpha1", "kind": "SemanticRouter", "name": "r", "uid": uid}
    metadata = {"ownerReferences": [{**owner, "controller": True}]}
    place.create("configmap", "r-envoy-config", metadata=metadata, data={"envoy.yaml": ""})
    place.create("configmap", "other-envoy-config", data={"envoy.yaml": ""})
    place.ready("r")
    until(lambda: finalizers(place) == ["example.com/theirs"])
    until(lambda: place.get("configmap", "r-envoy-config") is None)
    assert place.get("configmap", "other-envoy-config")
    place.merge("sr", "r", {"metadata": {"finalizers": None}})


def test_ko_04_a_router_that_is_deleted_is_not_held_by_an_operator_that_is_gone(
    place: Place,
) -> None:
    router(place, finalizers=[names.FORMER_FINALIZER])
    place.delete("sr", "r")
    until(lambda: place.get("sr", "r") is None)
