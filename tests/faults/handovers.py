"""Scenarios in which one operator takes over from another: the Go operator, another version."""

import json
from pathlib import Path

from cluster.live_objects import Object, Place, until
from faults.scenario import (
    BOTH,
    ONE,
    REQUESTS,
    ROUTER,
    Scenario,
    edited,
    nothing,
    rolled,
    routed,
    services,
)
from faults.storage import PERSISTENCE, bound, volume
from semantic_router_operator import names

GO = "manager"
"""Field manager of the Go operator: the name of its program."""
_GO_OBJECTS = Path(__file__).parents[1] / "cluster" / "data" / "go_operator.json"
_KINDS = {
    "ConfigMap": "configmap",
    "Deployment": "deployment",
    "PersistentVolumeClaim": "claim",
    "Service": "service",
    "ServiceAccount": "serviceaccount",
}
_CLAIM = {**PERSISTENCE, "size": "10Gi"}
_TAKEN = ("apiVersion", "kind", "data", "spec")


def _as_go_left_it(place: Place) -> None:
    """A router with the Go operator's finalizer, and its objects by its own names."""
    services(place)
    volume(place, "10Gi")
    spec = {"vllmEndpoints": [ONE], "resources": REQUESTS, "persistence": _CLAIM}
    metadata = {"finalizers": [names.FORMER_FINALIZER]}
    owner = _owner(place.create("sr", ROUTER, metadata=metadata, spec=spec))
    for body in json.loads(_GO_OBJECTS.read_text())["items"]:
        body["metadata"]["ownerReferences"] = [owner]
        _made_by_go(place, body)


def _owner(router: Object) -> Object:
    about = {key: router["metadata"][key] for key in ("name", "uid")}
    return {
        **{key: router[key] for key in ("apiVersion", "kind")},
        **about,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _made_by_go(place: Place, body: Object) -> None:
    place.kube.ask("POST", f"{place.path(_KINDS[body['kind']])}?fieldManager={GO}", body)


def _runs(place: Place) -> bool:
    status = (place.get("deployment", ROUTER) or {}).get("status") or {}
    return status.get("readyReplicas") == 1


def _adopted(place: Place) -> bool:
    held = place.the("sr", ROUTER)["metadata"].get("finalizers")
    return not held and place.get("configmap", f"{ROUTER}-envoy-config") is None and bound(place)


def _as_if_by_go(place: Place) -> None:
    """What we made becomes what the Go operator would have made, pods and all: its manager's, and
    without our labels and history."""
    for item in place.all("controllerrevision"):
        place.delete("controllerrevision", item["metadata"]["name"])
    objects = [
        ("serviceaccount", "ServiceAccount", ROUTER),
        ("configmap", "ConfigMap", f"{ROUTER}-config"),
        ("service", "Service", ROUTER),
        ("deployment", "Deployment", ROUTER),
    ]
    for kind, word, name in objects:
        body = {"kind": word, **place.the(kind, name)}
        _delete_alone(place, kind, name)
        _made_by_go(place, _bare(body))
    metadata = {"finalizers": [names.FORMER_FINALIZER]}
    place.merge("sr", ROUTER, {"metadata": metadata})
    until(lambda: _runs(place))


def _delete_alone(place: Place, kind: str, name: str) -> None:
    """Its dependents stay, as orphans."""
    options = {"propagationPolicy": "Orphan"}
    place.kube.ask("DELETE", place.path(kind, name), options)
    until(lambda: place.get(kind, name) is None)


def _bare(body: Object) -> Object:
    """The object as somebody would create it, without what we and the API server put on it."""
    metadata = body["metadata"]
    kept = {key: metadata[key] for key in ("name", "ownerReferences")}
    found: Object = {key: body[key] for key in _TAKEN if key in body}
    if body["kind"] == "Service":
        addresses = ("clusterIP", "clusterIPs")
        found["spec"] = {key: body["spec"][key] for key in body["spec"] if key not in addresses}
    return {**found, "metadata": kept}


def _settled(place: Place) -> bool:
    held = place.the("sr", ROUTER)["metadata"].get("finalizers")
    return not held and bool(place.all("controllerrevision")) and rolled(place)


_unseen_edit = edited(vllmEndpoints=BOTH)
"""So that whoever takes over has something to write."""


def _followed(place: Place) -> bool:
    return len(place.the("sr", ROUTER)["status"].get("backends", ())) == len(BOTH) and rolled(place)


HANDOVERS = (
    Scenario(
        "adoption",
        nothing,
        _adopted,
        _as_go_left_it,
        _runs,
        before="nobody",
    ),
    Scenario(
        "adoption of same",
        nothing,
        _settled,
        routed(ONE),
        rolled,
        between=_as_if_by_go,
        keeps_pods=True,
    ),
    Scenario(
        "upgrade",
        nothing,
        _followed,
        routed(ONE),
        rolled,
        before="previous",
        between=_unseen_edit,
    ),
    Scenario(
        "downgrade",
        nothing,
        _followed,
        routed(ONE),
        rolled,
        after="previous",
        between=_unseen_edit,
    ),
)
