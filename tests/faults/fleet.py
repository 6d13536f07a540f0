"""One router that can't succeed among 99 that can."""

from cluster.live_objects import Place, by_service, conditions
from faults.scenario import REQUESTS, Scenario

GOOD = 99
POISONED = "poisoned"
_ENDPOINTS = [by_service("model"), by_service("second")]


def _prepare(place: Place) -> None:
    place.service("model")
    place.service("second")
    labels = {"app": "somebody-elses"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [_CONTAINER]}}
    spec = {"selector": {"matchLabels": labels}, "template": template, "replicas": 0}
    place.create("deployment", POISONED, spec=spec)
    for name in (POISONED, *_good()):
        place.router(name, vllmEndpoints=_ENDPOINTS, resources=REQUESTS)


_CONTAINER = {"name": "c", "image": "somebody-elses"}


def _good() -> list[str]:
    return [f"r{number:02}" for number in range(GOOD)]


def _told(place: Place) -> dict[str, dict[str, str]]:
    """What each router says: the status of its conditions, by type."""
    return {
        item["metadata"]["name"]: {key: value["status"] for key, value in conditions(item).items()}
        for item in place.all("sr")
    }


def _all_ready(place: Place) -> bool:
    told = _told(place)
    poisoned = told.pop(POISONED, {})
    fine = all(said.get("Ready") == "True" for said in told.values())
    return fine and len(told) == GOOD and poisoned.get("ResourcesApplied") == "False"


def _all_followed(place: Place) -> bool:
    told = _told(place)
    return all(said.get("BackendsResolved") == "False" for said in told.values())


FLEET = Scenario(
    "1 bad, 99 good",
    lambda place: place.delete("service", "second"),
    _all_followed,
    _prepare,
    _all_ready,
    keeps_pods=True,
    kill_points=3,
    perturbations=frozenset(
        (
            "429 once, Retry-After 1",
            "500 once for each write",
            "first write hangs",
            "events of 3 s dropped",
            "each watch mute",
            "restart on stale lists",
            "operator down at the change",
            "outage of 10 s",
        )
    ),
    seconds=240.0,
)
