"""What is done to a router, and how it is seen that the operator has followed."""

from collections.abc import Callable
from dataclasses import dataclass

from cluster.live_objects import Object, Place, by_service, conditions

ROUTER = "r"
REQUESTS = {"requests": {"cpu": "100m"}}
SCALING = {"enabled": True, "minReplicas": 2, "maxReplicas": 4}
BOTH = [by_service("model"), by_service("second")]


@dataclass(frozen=True)
class Scenario:
    """`prepare`, then `change`; `done` is what the run without faults waits for."""

    name: str
    change: Callable[[Place], object]
    done: Callable[[Place], bool]
    prepare: Callable[[Place], object] = lambda _: None


def ready(place: Place) -> bool:
    """The router is Ready, by what it says about its latest generation."""
    found = place.get("sr", ROUTER)
    return found is not None and conditions(found).get("Ready", {}).get("status") == "True"


def gone(place: Place) -> bool:
    """Nothing of the router is left."""
    kinds = ("sr", "deployment", "configmap", "controllerrevision", "pod")
    names = [item["metadata"]["name"] for kind in kinds for item in place.all(kind)]
    return set(names) <= {"kube-root-ca.crt"}


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


def _backends(number: int, state: str = "") -> Callable[[Place], bool]:
    def done(place: Place) -> bool:
        found = place.the("sr", ROUTER).get("status", {}).get("backends", ())
        return len(found) == number and ready(place)

    return done


def _scaled(place: Place) -> bool:
    deployment = place.the("deployment", ROUTER)
    return (
        place.get("hpa", ROUTER) is not None
        and deployment["spec"].get("replicas") == 2
        and deployment["status"].get("readyReplicas") == 2
        and ready(place)
    )


_ONE = by_service("model")

SCENARIOS = (
    Scenario(
        "create",
        lambda place: place.router(ROUTER, vllmEndpoints=[_ONE], resources=REQUESTS),
        ready,
        _services,
    ),
    Scenario("HPA on", _edit(autoscaling=SCALING), _scaled, _with(_ONE)),
    Scenario("endpoint added", _edit(vllmEndpoints=BOTH), _backends(2), _with(_ONE)),
    Scenario("endpoint removed", _edit(vllmEndpoints=[_ONE]), _backends(1), _with(*BOTH)),
    Scenario("delete", lambda place: place.delete("sr", ROUTER), gone, _with(_ONE)),
)
