"""What is done to a router, and how it is seen that the operator has followed."""

from collections.abc import Callable

from cluster.live_objects import Object, Place, until
from faults.fleet import FLEET
from faults.handovers import HANDOVERS
from faults.scenario import (
    BOTH,
    ONE,
    REQUESTS,
    ROUTER,
    Scenario,
    complete,
    edited,
    ready,
    rolled,
    routed,
    services,
)
from faults.storage import STORAGE

SCALING = {"enabled": True, "minReplicas": 2, "maxReplicas": 4}
OPTIONS: Object = {
    "ingress": {"enabled": True, "hosts": [{"host": "r.example.com", "paths": [{"path": "/"}]}]},
    "podDisruptionBudget": {"enabled": True},
    "networkPolicy": {"enabled": True},
}
_OPTIONAL = ("ingress", "pdb", "networkpolicy")
_NO_OPTIONS = {name: {"enabled": False} for name in OPTIONS}
_CHILDREN = ("deployment", "service", "configmap", "serviceaccount", "controllerrevision", "pod")


def _gone(place: Place) -> bool:
    """Nothing of the router is left."""
    kinds = ("sr", "deployment", "configmap", "controllerrevision", "pod")
    names = [item["metadata"]["name"] for kind in kinds for item in place.all(kind)]
    return set(names) <= {"kube-root-ca.crt"}


def _namespace_gone(place: Place) -> bool:
    found = place.kube.ask("GET", "/api/v1/namespaces")["items"]
    return all(item["metadata"]["name"] != place.namespace for item in found)


def _delete_namespace(place: Place) -> None:
    place.kube.ask("DELETE", f"/api/v1/namespaces/{place.namespace}")


def _always(place: Place) -> bool:
    return True


def _backends(number: int) -> Callable[[Place], bool]:
    def done(place: Place) -> bool:
        found = place.the("sr", ROUTER).get("status", {}).get("backends", ())
        return len(found) == number and ready(place)

    return done


def _scaled(place: Place) -> bool:
    deployment = place.get("deployment", ROUTER)
    if deployment is None or place.get("hpa", ROUTER) is None or not ready(place):
        return False
    counts = (deployment["spec"].get("replicas"), deployment["status"].get("readyReplicas"))
    return counts == (2, 2)


def _unscaled(place: Place) -> bool:
    return place.get("hpa", ROUTER) is None and ready(place)


def _there(place: Place) -> bool:
    return all(place.get(kind, ROUTER) for kind in _OPTIONAL) and ready(place)


def _away(place: Place) -> bool:
    return not any(place.get(kind, ROUTER) for kind in _OPTIONAL) and ready(place)


def _unresolved(place: Place) -> bool:
    return place.conditions(ROUTER).get("BackendsResolved", {}).get("status") == "False"


def _without_second(place: Place) -> None:
    place.service("model")
    place.router(ROUTER, vllmEndpoints=BOTH, resources=REQUESTS)


def _replace_backend(place: Place) -> None:
    """Another Service of that name, which asks for TLS."""
    place.delete("service", "second")
    place.create("service", "second", spec=_TLS)


_TLS: Object = {"ports": [{"port": 8000, "name": "https", "appProtocol": "https"}]}


def _reached_by_tls(place: Place) -> bool:
    return ready(place) and "https://second." in str(place.the("sr", ROUTER)["status"])


def _replace_router(place: Place) -> None:
    """Another router of that name, with another document, while the old objects are collected."""
    place.delete("sr", ROUTER)
    until(lambda: place.get("sr", ROUTER) is None)
    place.router(ROUTER, vllmEndpoints=BOTH, resources=REQUESTS)


def _replaced(place: Place) -> bool:
    uid = place.the("sr", ROUTER)["metadata"]["uid"]
    objects = [item["metadata"] for kind in _CHILDREN[:3] for item in place.all(kind)]
    owners = {owner["uid"] for item in objects for owner in item.get("ownerReferences", ())}
    return owners == {uid} and rolled(place)


def _behind(place: Place) -> Object:
    return {"existingRef": {"name": "edge", "namespace": place.namespace}}


def _edge(place: Place) -> None:
    place.create("gateway", "edge", spec={"gatewayClassName": "any", "listeners": []})


def _beside_gateway(place: Place) -> None:
    _edge(place)
    routed(ONE)(place)


def _behind_gateway(place: Place) -> None:
    _edge(place)
    routed(ONE, gateway=_behind(place))(place)


def _mode(word: str) -> Callable[[Place], bool]:
    def done(place: Place) -> bool:
        return rolled(place) and place.the("sr", ROUTER)["status"].get("gatewayMode") == word

    return done


_NOWHERE: Object = {
    "nodeSelector": {"example.com/there-is": "none"},
    "progressDeadlineSeconds": 9,  # more than a list that tells of a lost event takes, as in life
}


def _gone_back(place: Place) -> bool:
    """The last good revision runs, and no pod of the failed one is left."""
    found = place.conditions(ROUTER).get("Degraded", {})
    return found.get("reason") == "RolledBack" and complete(place)


SCENARIOS = (
    Scenario(
        "create",
        lambda place: place.router(ROUTER, vllmEndpoints=[ONE], resources=REQUESTS),
        ready,
        services,
        _always,
    ),
    Scenario("HPA on", edited(autoscaling=SCALING), _scaled, routed(ONE)),
    Scenario(
        "HPA off",
        edited(autoscaling={"enabled": False}),
        _unscaled,
        routed(ONE, autoscaling=SCALING),
        _scaled,
    ),
    Scenario("image change", edited(image={"tag": "v9"}), rolled, routed(ONE)),
    Scenario("never ready", edited(**_NOWHERE), _gone_back, routed(ONE), keeps_pods=True),
    Scenario("options on", edited(**OPTIONS), _there, routed(ONE)),
    Scenario("options off", edited(**_NO_OPTIONS), _away, routed(ONE, **OPTIONS), _there),
    *STORAGE,
    Scenario(
        "endpoint added", edited(vllmEndpoints=BOTH), _backends(2), routed(ONE), keeps_pods=True
    ),
    Scenario(
        "endpoint removed",
        edited(vllmEndpoints=[ONE]),
        _backends(1),
        routed(*BOTH),
        keeps_pods=True,
    ),
    Scenario(
        "backend deleted",
        lambda place: place.delete("service", "second"),
        _unresolved,
        routed(*BOTH),
        keeps_pods=True,
    ),
    Scenario(
        "backend back",
        lambda place: place.service("second"),
        ready,
        _without_second,
        _unresolved,
        keeps_pods=True,
    ),
    Scenario("backend replaced", _replace_backend, _reached_by_tls, routed(*BOTH), keeps_pods=True),
    Scenario(
        "to gateway",
        lambda place: place.edit(ROUTER, gateway=_behind(place)),
        _mode("gateway-integration"),
        _beside_gateway,
        rolled,
        needs=("gateway",),
    ),
    Scenario(
        "to standalone",
        edited(gateway=None),
        _mode("standalone"),
        _behind_gateway,
        _mode("gateway-integration"),
        needs=("gateway",),
    ),
    Scenario("router replaced", _replace_router, _replaced, routed(ONE)),
    Scenario(
        "delete",
        lambda place: place.delete("sr", ROUTER),
        _gone,
        routed(ONE),
        writes=False,
    ),
    Scenario("namespace deleted", _delete_namespace, _namespace_gone, routed(ONE), writes=False),
    *HANDOVERS,
    FLEET,
)
