"""Backends that come, go and move while requests go on; weights in what a client sees."""

import pytest

from cluster.live_objects import until
from e2e.figures import Figures
from e2e.operators import Operators
from e2e.stage import RETRIES, Stage, entries, entry
from e2e.traffic import Window, traffic


def test_requests_are_shared_by_weight(stage: Stage) -> None:
    stage.models("heavy", "light")
    stage.quick("r", entry("heavy", weight=80), entry("light", weight=20))
    with traffic(stage, "r", ["model"], rate=20) as client:
        seen = client.watch(8)
        assert seen.failed == 0, seen.errors
        assert seen.share("light") == pytest.approx(0.2, abs=0.05)
        stage.edit("r", vllmEndpoints=[entry("heavy", weight=50), entry("light", weight=50)])
        stage.observed("r")
        stage.in_effect("r")
        client.watch(2)  # the second in which the edit came is over, and has been told
        after = client.watch(8)
    assert after.failed == 0, after.errors
    assert after.share("light") == pytest.approx(0.5, abs=0.05)


def test_a_model_is_scaled_moved_and_deleted_without_a_failed_request(
    stage: Stage, operators: Operators, figures: Figures
) -> None:
    """Two Services serve the model, and its retry policy lets the other one help out."""
    stage.models("stays", "goes")
    stage.quick("r", *entries(["stays", "goes"]))
    with traffic(stage, "r", ["model"]) as client:
        mark = client.mark()
        stage.merge("deployment", "goes", {"spec": {"replicas": 3}})
        stage.settled("goes")
        stage.merge("deployment", "goes", {"spec": {"replicas": 1}})
        stage.settled("goes")
        figures.disruption("a backend scaled to three and back", scaled := client.window(mark))
        mark = client.mark()
        before = nodes_of(stage, "goes")
        stage.strategic("deployment", "goes", {"spec": {"template": elsewhere(stage, "goes")}})
        stage.settled("goes")
        assert (nodes_of(stage, "goes") != before) == (len(nodes(stage)) > 1)
        figures.disruption("a backend's pod moved to another node", moved := client.window(mark))
        mark = client.mark()
        operators.kill_leader()
        stage.delete("deployment", "goes")
        stage.delete("service", "goes")
        until(lambda: alone(client.watch(2), "stays"), seconds=150)
        figures.disruption("a backend deleted, the leader killed", deleted := client.window(mark))
    assert [seen.errors for seen in (scaled, moved, deleted) if seen.failed] == []
    assert moved.models["goes"] > 0


def alone(seen: Window, model: str) -> bool:
    """Whether the router asks that model's server alone: others aren't even tried."""
    return seen.share(model) == 1 and seen.attempts == seen.ok


def nodes(stage: Stage) -> list[str]:
    """Their host names."""
    found = stage.kube.ask("GET", "/api/v1/nodes")["items"]
    return [node["metadata"]["labels"]["kubernetes.io/hostname"] for node in found]


def nodes_of(stage: Stage, app: str) -> set[str]:
    """Where its pods are."""
    return {pod["spec"]["nodeName"] for pod in stage.all("pod", f"app={app}")}


def elsewhere(stage: Stage, app: str) -> object:
    """A pod template that leaves the node where the pod is, if there is another one."""
    labels = nodes(stage)
    others = [name for name in labels if name not in nodes_of(stage, app)] or labels
    selector = {"kubernetes.io/hostname": others[0]}
    return {"metadata": {"annotations": {"moved": "once"}}, "spec": {"nodeSelector": selector}}


def test_ready_addresses_are_followed_one_by_one(stage: Stage, figures: Figures) -> None:
    """The router balances between the pods itself, so it must hear of each that goes."""
    stage.models("pods", replicas=2)
    backend = {"type": "endpointslice", "endpointSlice": {"serviceName": "pods"}}
    stage.quick("r", {"name": "pods", "model": "model", "backend": backend, "reliability": RETRIES})
    with traffic(stage, "r", ["model"]) as client:
        mark = client.mark()
        for pod in stage.all("pod", "app=pods"):
            stage.delete("pod", pod["metadata"]["name"])
            until(lambda: len(stage.running_models("pods")) == 2, seconds=60)
        until(lambda: len(stage.all("pod", "app=pods")) == 2, seconds=60)
        stage.in_effect("r")
        seen = client.watch(2)
        figures.disruption(
            "pods behind an endpointslice backend replaced", whole := client.window(mark)
        )
    assert whole.failed == 0, whole.errors
    assert seen.failed == 0
    assert seen.attempts == seen.ok, "the router still tries pods that are gone"
