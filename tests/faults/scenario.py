"""What a scenario is, and the sentences that scenarios are made of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cluster.live_objects import Object, Place, by_service, conditions

ROUTER = "r"
REQUESTS = {"requests": {"cpu": "100m"}}
BOTH = [by_service("model"), by_service("second")]
ONE = by_service("model")

Who = Literal["tested", "previous", "nobody"]
"""Which operator runs: the one that is scored, the version before it, or none."""
Act = Callable[[Place], object]
Check = Callable[[Place], bool]


def ready(place: Place) -> bool:
    """The router is Ready, by what it says about its latest generation."""
    found = place.get("sr", ROUTER)
    return found is not None and conditions(found).get("Ready", {}).get("status") == "True"


def nothing(place: Place) -> None:
    """Does nothing."""


@dataclass(frozen=True)
class Scenario:
    """`prepare` until it is `idle`, then `change`; `done` is what the run without faults waits
    for."""

    name: str
    change: Act
    done: Check
    prepare: Act
    idle: Check = ready
    writes: bool = True
    """Whether the operator has anything to write, so that a write can be disturbed."""
    before: Who = "tested"
    """Who runs until it is idle."""
    after: Who = "tested"
    """Who runs from the change on."""
    between: Act | None = None
    """What is done after it was idle, while no operator runs."""
    keeps_pods: bool = False
    """Whether every pod has to be the same one in the end."""
    kill_points: int | None = None
    """At how many of its writes the operator is killed, evenly chosen; at all by default."""
    perturbations: frozenset[str] = frozenset()
    """Those that it is run with, if not with all."""
    without: frozenset[str] = frozenset()
    """Perturbations that say nothing about it."""
    needs: tuple[str, ...] = ()
    """Kinds that not every cluster has, by the short names of `Place`."""
    seconds: float = 90.0
    """How long anything in it may take."""

    @property
    def hands_over(self) -> bool:
        """Whether one operator ends and another one begins."""
        return self.between is not None or self.before != self.after


def services(place: Place) -> None:
    """What the routers' endpoints refer to."""
    place.service("model")
    place.service("second")


def routed(*endpoints: Object, **spec: object) -> Act:
    """Services, and a router with these endpoints."""

    def prepare(place: Place) -> None:
        services(place)
        place.router(ROUTER, vllmEndpoints=list(endpoints), resources=REQUESTS, **spec)

    return prepare


def edited(**spec: object) -> Act:
    """Fields of the router's spec are changed; None removes one."""
    return lambda place: place.edit(ROUTER, **spec)


def rolled(place: Place) -> bool:
    """The router is Ready, and every pod is of the latest template."""
    return ready(place) and complete(place)


def complete(place: Place) -> bool:
    """Every pod is of the latest template, and no other is left."""
    status = (place.get("deployment", ROUTER) or {}).get("status") or {}
    counts = {status.get(key) for key in _REPLICAS}
    return len(counts) == 1 and counts != {None}


_REPLICAS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
