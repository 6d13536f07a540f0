"""What is kept of our own objects and of pods."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from semantic_router_operator import names
from semantic_router_operator.cluster.child_facts import (
    child,
    deployment_facts,
    pod_facts,
    route_facts,
)
from semantic_router_operator.model.manifests import CONFIG_MAP, DEPLOYMENT, PodTrouble

DATA = Path(__file__).parent / "data"


def live(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / f"{kind}.json").read_text())["live"]
    return found


def test_a_child_says_whose_it_is() -> None:
    raw = live("configmap")
    found = child(CONFIG_MAP, raw)
    assert found.owner == raw["metadata"]["ownerReferences"][0]["uid"]
    assert found.router == "real"
    assert str(found.key) == "ConfigMap default/real-config"
    assert found.config_digest == raw["metadata"]["annotations"][names.ANNOTATION_CONFIG_DIGEST]


def test_a_child_without_its_owner_is_known_by_annotation_then_label() -> None:
    raw = live("configmap")
    del raw["metadata"]["ownerReferences"]
    assert child(CONFIG_MAP, raw).owner is None
    assert child(CONFIG_MAP, raw).router == "real"
    raw["metadata"]["annotations"][names.ANNOTATION_ROUTER] = "a-long-name"
    assert child(CONFIG_MAP, raw).router == "a-long-name"


def test_a_new_version_that_says_nothing_new_is_the_same_child() -> None:
    raw = live("deployment")
    later = copy.deepcopy(raw)
    later["metadata"]["resourceVersion"] = "999999999"
    later["metadata"]["annotations"] = {**later["metadata"].get("annotations", {}), "theirs": "1"}
    assert child(DEPLOYMENT, raw) == child(DEPLOYMENT, later)
    later["status"] = {**later.get("status", {}), "readyReplicas": 9}
    assert child(DEPLOYMENT, raw) != child(DEPLOYMENT, later)


def test_replicas_are_ours_only_when_we_applied_them() -> None:
    raw = live("deployment")
    assert not child(DEPLOYMENT, raw).owns_replicas
    raw["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:replicas"] = {}
    assert child(DEPLOYMENT, raw).owns_replicas


def test_a_deployment_that_nobody_has_looked_at_has_no_replicas() -> None:
    facts = deployment_facts({"metadata": {"generation": 1}, "spec": {"replicas": 0}})
    assert (facts.wanted, facts.ready, facts.observed_generation) == (0, 0, 0)


def entry(status: str, host: str = "h", **more: str) -> dict[str, Any]:
    return {"host": host, "conditions": [{"type": "Admitted", "status": status, **more}]}


@pytest.mark.parametrize(
    ("ingress", "host", "admitted"),
    [
        ([], None, "Unknown"),
        ([{"host": "h"}], None, "Unknown"),
        ([entry("False", reason="HostAlreadyClaimed")], None, "False"),
        ([entry("False"), entry("True", "other")], "other", "True"),
    ],
)
def test_one_admitted_entry_is_enough(ingress: list[Any], host: str | None, admitted: str) -> None:
    """Field case OS-03."""
    facts = route_facts({"metadata": {}, "status": {"ingress": ingress}})
    assert (facts.host, facts.admitted) == (host, admitted)


def pod(**status: Any) -> dict[str, Any]:
    labels = {names.LABEL_INSTANCE: "r"}
    return {"metadata": {"name": "p", "namespace": "n", "labels": labels}, "status": status}


def waiting(reason: str, message: str = "", **more: Any) -> dict[str, Any]:
    state = {"waiting": {"reason": reason, "message": message}}
    return {"name": "c", "image": "i:1", "state": state, **more}


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("ErrImagePull", "denied"),
        ("ImagePullBackOff", 'Back-off pulling image "i:1": ErrImagePull: denied'),
    ],
)
def test_an_image_that_cannot_be_pulled_is_the_same_trouble_in_every_attempt(
    reason: str, message: str
) -> None:
    found = pod_facts(pod(containerStatuses=[waiting(reason, message)]))
    assert found.trouble == PodTrouble("p", "ImagePullBackOff", "container c: image i:1: denied")


def test_an_older_kubelet_gives_no_detail() -> None:
    message = 'Back-off pulling image "i:1"'
    found = pod_facts(pod(containerStatuses=[waiting("ImagePullBackOff", message)]))
    assert found.trouble == PodTrouble("p", "ImagePullBackOff", "container c: image i:1")


def test_a_crash_loop_says_how_it_ended_and_not_how_often() -> None:
    ended = {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}
    status = waiting("CrashLoopBackOff", "back-off 40s restarting", lastState=ended)
    found = pod_facts(pod(initContainerStatuses=[status]))
    text = "container c ended with exit code 137 (OOMKilled)"
    assert found.trouble == PodTrouble("p", "CrashLoopBackOff", text)


def test_a_pod_that_finds_no_node_says_why() -> None:
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/3 nodes are available: 2 node(s) had untolerated taint(s), 1 Insufficient "
        "cpu. preemption: 0/3 nodes are available: 3 Preemption is not helpful.",
    }
    found = pod_facts(pod(conditions=[condition]))
    text = "no node is available: Insufficient cpu, node(s) had untolerated taint(s)"
    assert found.trouble == PodTrouble("p", "Unschedulable", text)


@pytest.mark.parametrize("raw", [pod(), pod(containerStatuses=[waiting("ContainerCreating")])])
def test_a_pod_that_is_on_its_way_has_no_trouble(raw: dict[str, Any]) -> None:
    assert pod_facts(raw).trouble is None


def test_a_pod_that_is_being_deleted_has_no_trouble() -> None:
    raw = pod(containerStatuses=[waiting("CrashLoopBackOff")])
    raw["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert pod_facts(raw).trouble is None
