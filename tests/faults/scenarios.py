"""What is done to a router, and how it is seen that the operator has followed."""

from collections.abc import Callable
from dataclasses import dataclass

from cluster.live_objects import Object, Place, by_service, conditions

ROUTER = "r"
REQUESTS = {"requests": {"cpu": "100m"}}
SCALING = {"enabled": True, "minReplicas": 2, "maxReplicas": 4}
BOTH = [by_service("model"), by_service("second")]


def ready(place: Place) -> bool:
    """The router is Ready, by what it says about its latest generation."""
    found = place.get("sr", ROUTER)
    return found is not None and conditions(found).get("Ready", {}).get("status") == "True"


@dataclass(frozen=True)
class Scenario:
    """`prepare` until it is `idle`, then `change`; `done` is what the run without faults waits
    for."""

    name: str
    change: Callable[[Place], object]
    done: Callable[[Place], bool]
    prepare: Callable[[Place], object]
    idle: Callable[[Place], bool] = ready
    writes: bool = True
    """Whether the operator has anything to write, so that a write can be disturbed."""


def gone(place: Place) -> bool:
    """Nothing of the router is left."""
    kinds = ("sr", "deployment", "configmap", "controllerrevision", "pod")
    names = [item["metadata"]["name"] for kind in kinds for item in place.all(kind)]
    return set(names) <= {"kube-root-ca.crt"}


def _always(place: Place) -> bool:
    return True


def _services(place: Place) -> None:
    place.service("model")
    place.service("second")


def _with(*endpoints: Object, **spec: object) -> Callable[[Place], None]:
    def prepare(place: Place) -> None:
        _services(place)
        place.router(ROUTER, vllmEndpoints=list(endpoints), resources=REQUESTS, **spec)

    return prepare


def _edit(**spec: object) -> Callable[[Place], object]:
    return lambda place: place.edit(ROUTER, **spec)


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


def _rolled(place: Place) -> bool:
    """Every pod is of the new image, and no other is left."""
    status = place.the("deployment", ROUTER)["status"]
    return ready(place) and len({status.get(key) for key in _REPLICAS}) == 1


def _there(place: Place) -> bool:
    return all(place.get(kind, ROUTER) for kind in _OPTIONAL) and ready(place)


def _away(place: Place) -> bool:
    return not any(place.get(kind, ROUTER) for kind in _OPTIONAL) and ready(place)


def _unresolved(place: Place) -> bool:
    return place.conditions(ROUTER).get("BackendsResolved", {}).get("status") == "False"


def _without_second(place: Place) -> None:
    place.service("model")
    place.router(ROUTER, vllmEndpoints=BOTH, resources=REQUESTS)


_REPLICAS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
_OPTIONAL = ("ingress", "pdb", "networkpolicy")
_OPTIONS: Object = {
    "ingress": {"enabled": True, "hosts": [{"host": "r.example.com", "paths": [{"path": "/"}]}]},
    "podDisruptionBudget": {"enabled": True},
    "networkPolicy": {"enabled": True},
}
_NO_OPTIONS = {name: {"enabled": False} for name in _OPTIONS}
_ONE = by_service("model")

SCENARIOS = (
    Scenario(
        "create",
        lambda place: place.router(ROUTER, vllmEndpoints=[_ONE], resources=REQUESTS),
        ready,
        _services,
        _always,
    ),
    Scenario("HPA on", _edit(autoscaling=SCALING), _scaled, _with(_ONE)),
    Scenario(
        "HPA off",
        _edit(autoscaling={"enabled": False}),
        _unscaled,
        _with(_ONE, autoscaling=SCALING),
        _scaled,
    ),
    Scenario("image change", _edit(image={"tag": "v9"}), _rolled, _with(_ONE)),
    Scenario("options on", _edit(**_OPTIONS), _there, _with(_ONE)),
    Scenario("options off", _edit(**_NO_OPTIONS), _away, _with(_ONE, **_OPTIONS), _there),
    Scenario("endpoint added", _edit(vllmEndpoints=BOTH), _backends(2), _with(_ONE)),
    Scenario("endpoint removed", _edit(vllmEndpoints=[_ONE]), _backends(1), _with(*BOTH)),
    Scenario(
        "backend deleted",
        lambda place: place.delete("service", "second"),
        _unresolved,
        _with(*BOTH),
    ),
    Scenario(
        "backend back",
        lambda place: place.service("second"),
        ready,
        _without_second,
        _unresolved,
    ),
    Scenario(
        "delete",
        lambda place: place.delete("sr", ROUTER),
        gone,
        _with(_ONE),
        writes=False,
    ),
)
