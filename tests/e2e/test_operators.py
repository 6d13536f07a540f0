"""The operator dies, is replaced, and routers go with their namespaces."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus

import pytest

from cluster.live_objects import Refused, until
from e2e import images
from e2e.figures import Figures
from e2e.operators import Operators, Signal
from e2e.stage import POD_SECONDS, Stage, entry
from e2e.traffic import traffic
from kind.operator_image import tag_of_the_manifests

FAILOVER_SECONDS = 30.0
"""13 s for the Lease, and what it costs a busy machine."""


@dataclass(frozen=True)
class Lost:
    """A leader that may be stopped."""

    stage: Stage
    operators: Operators
    leader: str


@pytest.fixture
def lost(stage: Stage, operators: Operators) -> Iterator[Lost]:
    """In the end it may go on, finds that its time is over, and is started again."""
    found = Lost(stage, operators, operators.leader())
    yield found
    operators.signal(found.leader, "CONT")
    operators.rolled_out()


@pytest.mark.parametrize(
    ("signal", "what"),
    [("KILL", "the leader's process killed"), ("STOP", "the leader hangs")],
)
def test_a_leader_that_is_lost_delays_an_edit_and_nothing_else(
    lost: Lost, figures: Figures, signal: Signal, what: str
) -> None:
    """A process that is killed is started again in its pod, and still leads; one that hangs loses
    the Lease to the other replica."""
    stage, operators = lost.stage, lost.operators
    stage.models("a", "b")
    stage.quick("r", entry("a"), entry("b"), replicas=2)
    ran = set(stage.running("r"))
    with traffic(stage, "r", ["model"]) as client:
        mark = client.mark()
        operators.signal(lost.leader, signal)
        took = stage.edited("r", vllmEndpoints=[entry("a", weight=9), entry("b")])
        seen = client.window(mark)
    figures.duration(f"{what}, then an edit, until both pods go by it", took)
    figures.disruption(f"{what}, then an edit", seen)
    assert took < FAILOVER_SECONDS
    assert (operators.leader() == lost.leader) == (signal == "KILL")
    assert seen.failed == 0, seen.errors
    assert set(stage.running("r")) == ran


def test_a_leader_that_dies_in_the_middle_of_a_rollout_is_not_missed(
    stage: Stage, operators: Operators, figures: Figures
) -> None:
    stage.models("model")
    stage.quick("r", replicas=2)
    old = set(stage.running("r"))
    with traffic(stage, "r", ["model"]) as client:
        mark = client.mark()
        stage.edit("r", env=[{"name": "EDITED", "value": "yes"}])
        until(lambda: set(stage.running("r")) - old, seconds=POD_SECONDS)
        operators.kill_leader()
        until(lambda: not set(stage.running("r")) & old, seconds=POD_SECONDS)
        stage.ready("r", seconds=POD_SECONDS)
        seen = client.window(mark)
    figures.disruption("the leader killed in the middle of a rollout", seen)
    assert seen.failed == 0, seen.errors
    operators.rolled_out()


def test_an_upgrade_of_the_operator_leaves_the_routers_alone(
    stage: Stage, operators: Operators, figures: Figures
) -> None:
    stage.models("model")
    stage.quick("r", replicas=2)
    ran = set(stage.running("r"))
    generation = stage.the("deployment", "r")["metadata"]["generation"]
    old = {pod["metadata"]["name"] for pod in operators.pods()}
    image = images.NEXT if operators.image != images.NEXT else tag_of_the_manifests()
    with traffic(stage, "r", ["model"]) as client:
        mark, began = client.mark(), time.monotonic()
        operators.upgrade(image)
        figures.duration("an upgrade of two operators", time.monotonic() - began)
        assert operators.leader() not in old
        stage.edited("r", vllmEndpoints=[entry("model", weight=3)])
        seen = client.window(mark)
    figures.disruption("the operator upgraded", seen)
    assert seen.failed == 0, seen.errors
    assert set(stage.running("r")) == ran
    assert stage.restarts("r") == 0
    assert stage.the("deployment", "r")["metadata"]["generation"] == generation
    assert operators.image == image


def test_a_namespace_is_deleted_with_all_that_is_in_it(
    stage: Stage, operators: Operators, figures: Figures
) -> None:
    stage.models("model")
    stage.quick("r", persistence={"size": "16Mi"})
    path = f"/api/v1/namespaces/{stage.namespace}"
    operators.kill_leader()
    stage.kube.ask("DELETE", path)
    began = time.monotonic()
    until(lambda: gone(stage, path), seconds=90)
    figures.duration("a namespace deleted, router, claim and models", time.monotonic() - began)
    about = [line for line in operators.logs().splitlines() if stage.namespace in line]
    assert [line for line in about if " ERROR " in line] == []


def gone(stage: Stage, path: str) -> bool:
    """Whether the namespace isn't there any more."""
    try:
        stage.kube.ask("GET", path)
    except Refused as error:
        return error.code == HTTPStatus.NOT_FOUND
    return False
