"""The end of a router: nothing of ours holds it, owner references clean up behind it."""

import time

from cluster.live_objects import Audit, Place, until
from controlplane import ControlPlane

KINDS = ("configmap", "deployment", "service", "serviceaccount", "hpa", "replicaset", "pod")
GARBAGE_SECONDS = 75.0
"""The garbage collector of a fresh control plane learns of a new kind only after 30 s."""
SCALED = {"autoscaling": {"enabled": True}, "resources": {"requests": {"cpu": "1"}}}


def test_a_deleted_router_takes_its_objects_along(
    place: Place, control_plane: ControlPlane
) -> None:
    place.service("model")
    place.router("r", **SCALED)
    router = place.ready("r")
    assert "finalizers" not in router["metadata"]
    assert "annotations" not in router["metadata"]
    audit = Audit.of(control_plane)
    place.delete("sr", "r")
    until(lambda: _left(place) == [], seconds=GARBAGE_SECONDS)
    assert audit.writes(namespace=place.namespace) == []


def test_a_router_held_by_a_finalizer_of_others_is_left_alone(
    place: Place, control_plane: ControlPlane
) -> None:
    place.service("model")
    place.router("r")
    place.merge("sr", "r", {"metadata": {"finalizers": ["example.com/hold"]}})
    place.ready("r")
    place.delete("sr", "r")
    place.delete("service", "r")
    audit = Audit.of(control_plane)
    time.sleep(1)  # time for a re-creation that must not come
    assert place.get("service", "r") is None
    assert audit.writes(namespace=place.namespace) == []
    place.merge("sr", "r", {"metadata": {"finalizers": None}})
    until(lambda: _left(place) == [], seconds=GARBAGE_SECONDS)


def test_a_router_of_the_same_name_made_at_once_gets_objects_of_its_own(place: Place) -> None:
    place.service("model")
    place.router("r", **SCALED)
    first = place.ready("r")["metadata"]["uid"]
    for _ in range(10):  # kopf may tell the end of one after the beginning of the next
        place.delete("sr", "r")
        place.router("r", **SCALED)
    router = place.ready("r", seconds=GARBAGE_SECONDS)
    uid = router["metadata"]["uid"]
    assert uid != first
    until(lambda: _owners(place) == {uid})
    place.ready("r")
    assert [event for event in place.events("r") if event["reason"] == "NameConflict"] == []


def _left(place: Place) -> list[str]:
    """What is there beside the objects of every namespace and the model's Service."""
    given = {"kube-root-ca.crt", "default", "model"}
    found = [item["metadata"]["name"] for kind in KINDS for item in place.all(kind)]
    return [name for name in found if name not in given]


def _owners(place: Place) -> set[str]:
    """uids of the routers that own something."""
    return {
        owner["uid"]
        for kind in KINDS
        for item in place.all(kind)
        for owner in item["metadata"].get("ownerReferences", ())
        if owner["kind"] == "SemanticRouter"
    }
