"""Edits of a running router: which pods they replace, how soon they are in effect, what fails."""

from typing import Any

import pytest

from cluster.live_objects import by_service, until
from e2e.figures import Figures
from e2e.stage import POD_SECONDS, Stage, entry
from e2e.traffic import traffic

EDITS = 10
LONG_DRAIN_SECONDS = 15
EFFECT_SECONDS = 10.0
"""Promised from the edit to the last pod that goes by it; left to itself the kubelet takes 90 s."""


def test_an_edit_is_in_effect_within_seconds_and_no_pod_is_replaced(
    stage: Stage, figures: Figures
) -> None:
    stage.models("a", "b")
    stage.quick("r", entry("a"), entry("b"), replicas=2)
    ran = uids(stage)
    with traffic(stage, "r", ["model"]) as client:
        mark = client.mark()
        took = [
            stage.edited("r", vllmEndpoints=[entry("a", weight=weight), entry("b")])
            for weight in range(2, 2 + EDITS)
        ]
        seen = client.window(mark)
    figures.duration("a weight edited, until both pods go by it", *took)
    figures.disruption(f"{EDITS} edits of weights", seen)
    assert seen.failed == 0, seen.errors
    assert max(took) < EFFECT_SECONDS
    assert uids(stage) == ran
    assert stage.restarts("r") == 0


@pytest.mark.parametrize("replicas", [1, 2])
def test_pods_are_replaced_without_a_failed_request(
    stage: Stage, figures: Figures, replicas: int
) -> None:
    stage.models("model")
    stage.quick("r", replicas=replicas)
    ran = uids(stage)
    with traffic(stage, "r", ["model"]) as client:
        mark = client.mark()
        seconds = rolled(stage, env=[{"name": "EDITED", "value": "yes"}])
        seen = client.window(mark)
    figures.duration(f"an env edit, until the old pods are gone ({replicas} replicas)", seconds)
    figures.disruption(f"an env edit replaces the pods ({replicas} replicas)", seen)
    assert seen.failed == 0, seen.errors
    assert not set(uids(stage)) & set(ran)


def test_clients_that_keep_their_connections_lose_no_request_either(
    stage: Stage, figures: Figures
) -> None:
    stage.models("model")
    stage.quick("r", replicas=2)
    with traffic(stage, "r", ["model"], keep_alive=True) as client:
        mark = client.mark()
        rolled(stage, env=[{"name": "EDITED", "value": "yes"}])
        seen = client.window(mark)
    figures.disruption("the same, on connections that are kept", seen)
    assert seen.failed == 0, seen.errors


def test_an_edit_that_makes_no_sense_changes_nothing_for_clients(
    stage: Stage, figures: Figures
) -> None:
    stage.models("model")
    stage.quick("r")
    ran, live = uids(stage), stage.digest("r")
    with traffic(stage, "r", ["model"]) as client:
        mark = client.mark()
        stage.edit("r", config={"routing": {"decisions": [nonsense("model")]}})
        found = stage.condition("r", "ConfigAccepted", "False")
        assert "spec.config.routing.decisions[0]" in found["message"]
        assert stage.digest("r") == live
        client.watch(5)
        stage.edit("r", config=None)
        stage.ready("r")
        seen = client.window(mark)
    figures.disruption("an edit that is refused, and taken back", seen)
    assert seen.failed == 0, seen.errors
    assert set(seen.first) == {live}
    assert uids(stage) == ran


def nonsense(model: str) -> dict[str, Any]:
    """A decision on a signal that nobody has declared."""
    condition = {"type": "keyword", "name": "nobody-declared-it"}
    rules = {"operator": "AND", "conditions": [condition]}
    return {"name": "d", "rules": rules, "modelRefs": [{"model": model}]}


def test_a_model_is_added_while_others_are_used(stage: Stage, figures: Figures) -> None:
    stage.models("model", "more")
    stage.quick("r")
    with traffic(stage, "r", ["model"]) as client:
        mark = client.mark()
        both = [by_service("model", model="model"), by_service("more", model="more")]
        stage.edited("r", vllmEndpoints=both)
        assert stage.answers("r", "more") == {"more"}
        seen = client.window(mark)
    figures.disruption("a model added", seen)
    assert seen.failed == 0, seen.errors


def uids(stage: Stage) -> list[str]:
    """Of the router's pods that are ready."""
    return sorted(pod["metadata"]["uid"] for pod in stage.running("r").values())


def rolled(stage: Stage, **spec: Any) -> float:
    """Edits and waits until the last old pod is gone; the seconds that it took."""
    old = set(uids(stage))
    return stage.timed(lambda: stage.edit("r", **spec), lambda: gone(stage, old))


def gone(stage: Stage, old: set[str]) -> bool:
    """Whether only new pods are there, as many as are wanted, none on its way out."""
    found = stage.all("pod", "app.kubernetes.io/instance=r")
    there = {pod["metadata"]["uid"] for pod in found}
    wanted = stage.the("deployment", "r")["spec"]["replicas"]
    return not there & old and len(uids(stage)) == len(there) == wanted


def test_a_pod_that_ends_serves_through_its_drain(stage: Stage, figures: Figures) -> None:
    """Long enough for another one to start, which nothing else waits for."""
    stage.models("model")
    stage.quick("r", drainSeconds=LONG_DRAIN_SECONDS)
    (name,) = stage.running("r")
    with traffic(stage, "r", ["model"]) as client:
        mark = client.mark()
        seconds = stage.timed(
            lambda: stage.delete("pod", name), lambda: stage.get("pod", name) is None
        )
        until(lambda: stage.running("r"), seconds=POD_SECONDS)
        seen = client.window(mark)
    figures.disruption("the only pod deleted by hand", seen)
    assert seconds >= LONG_DRAIN_SECONDS
    assert seen.failed == 0, seen.errors
