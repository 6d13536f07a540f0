"""What keeps the pods from running is told in the router's own conditions, and goes again."""

import pytest

from cluster.live_objects import Object, Place, Refused, container, new_place, until
from controlplane import ControlPlane
from installation import OperatorProcess


def test_a_quota_that_is_used_up_is_told_and_a_raised_one_heals(place: Place) -> None:
    place.service("model")
    place.create("quota", "none", spec={"hard": {"pods": "0"}})
    place.router("r")
    found = place.condition("r", "Ready", "False", reason="ReplicaFailure")
    assert "exceeded quota: none" in found["message"]
    assert place.condition("r", "Reconciling", "True")["reason"] == "ReplicaFailure"
    assert place.condition("r", "Available", "False")["reason"] == "ReplicaFailure"
    place.delete("quota", "none")
    # the ReplicaSet controller backs off by itself; an edit makes it look at once
    place.edit("r", podAnnotations={"example.com/again": "1"})
    place.ready("r")


def test_a_refusal_by_pod_security_is_told_with_its_words(
    control_plane: ControlPlane, operator: OperatorProcess
) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    with new_place(control_plane, "refusing", **labels) as place:
        place.service("model")
        place.router("r", securityContext={"allowPrivilegeEscalation": True})
        found = place.condition("r", "Ready", "False", reason="ReplicaFailure")
        assert 'violates PodSecurity "restricted' in found["message"]
        assert "allowPrivilegeEscalation" in found["message"]
        place.edit("r", securityContext=None)
        place.ready("r")


def test_a_pod_that_no_node_fits_is_told_with_the_schedulers_words(place: Place) -> None:
    place.service("model")
    place.router("r", nodeSelector={"example.com/no": "node"})
    found = place.condition("r", "Ready", "False", reason="Unschedulable")
    assert "didn't match Pod's node affinity/selector" in found["message"]
    assert "nodes are available" not in found["message"]
    place.edit("r", nodeSelector=None)
    place.ready("r")


@pytest.mark.parametrize(
    ("waiting", "reason", "words"),
    [
        (
            {"reason": "ImagePullBackOff", "message": "Back-off pulling image x: not found"},
            "ImagePullBackOff",
            "spec.image",
        ),
        (
            {"reason": "ErrImagePull", "message": "unauthorized"},
            "ImagePullBackOff",
            "unauthorized",
        ),
        (
            {"reason": "CreateContainerConfigError", "message": 'secret "keys" not found'},
            "CreateContainerConfigError",
            'secret "keys" not found',
        ),
        (
            {"reason": "CrashLoopBackOff", "message": "back-off 10s restarting failed container"},
            "CrashLoopBackOff",
            "exit code 3",
        ),
        (
            {"reason": "InvalidImageName", "message": "couldn't parse image name"},
            "InvalidImageName",
            "spec.image",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_container_that_does_not_start_is_told(
    place: Place, waiting: Object, reason: str, words: str
) -> None:
    _hold(place)
    (pod,) = until(lambda: place.all("pod"))
    _say(place, pod, waiting)
    found = place.condition("r", "Ready", "False", reason=reason)
    assert words in found["message"]
    assert pod["metadata"]["name"] not in found["message"]
    stalled = "True" if reason == "InvalidImageName" else "False"
    place.condition("r", "Stalled", stalled)
    place.merge("pod", pod["metadata"]["name"], {"metadata": {"annotations": HELD | {KEY: None}}})
    place.ready("r")
    warnings = [event["reason"] for event in place.events("r") if event["type"] == "Warning"]
    assert warnings.count(reason) == 1


KEY = "controlplane/hold"
HELD = {KEY: "true"}


def _hold(place: Place, **spec: object) -> None:
    """A router whose pods stay Pending."""
    place.service("model")
    place.router("r", podAnnotations=HELD, **spec)


def _say(place: Place, pod: Object, waiting: Object) -> None:
    """The kubelet's word on the container."""
    image = container({"spec": {"template": pod}})["image"]
    status = {
        "name": "semantic-router",
        "image": image,
        "imageID": "",
        "ready": False,
        "restartCount": 1,
        "state": {"waiting": waiting},
        "lastState": {"terminated": {"exitCode": 3, "reason": "Error"}},
    }
    patch = {"status": {"containerStatuses": [status]}}
    place.merge("pod", pod["metadata"]["name"], patch, sub="status")


def test_trouble_of_one_new_pod_among_serving_ones_is_degraded_not_an_outage(
    place: Place,
) -> None:
    place.service("model")
    place.router("r", replicas=2)
    place.ready("r")
    place.edit("r", nodeSelector={"example.com/no": "node"})
    found = place.condition("r", "Degraded", "True", reason="Unschedulable")
    assert found["message"].startswith("no node fits the pod")
    assert place.condition("r", "Available", "True")
    assert place.the("sr", "r")["status"]["phase"] == "Degraded"
    assert place.condition("r", "Ready", "False", reason="Unschedulable")


def test_a_progress_deadline_that_has_passed_stalls_the_router_until_the_pods_come(
    place: Place,
) -> None:
    _hold(place, progressDeadlineSeconds=1)
    found = place.condition("r", "Stalled", "True", reason="ProgressDeadlineExceeded")
    assert "has timed out progressing" in found["message"]
    assert place.condition("r", "Progressing", "False")["reason"] == "ProgressDeadlineExceeded"
    assert place.condition("r", "Reconciling", "False")["reason"] == "Stalled"
    (pod,) = place.all("pod")
    place.merge("pod", pod["metadata"]["name"], {"metadata": {"annotations": {KEY: None}}})
    place.ready("r")


def test_an_object_that_admission_refuses_is_told_and_tried_again(place: Place) -> None:
    place.service("model")
    place.create("quota", "one", spec={"hard": {"services": "1"}})
    until(lambda: _is_refused(place))
    place.router("r")
    found = place.condition("r", "ResourcesApplied", "False", reason="ObjectRejected")
    assert found["message"].startswith("Service")
    assert "exceeded quota: one" in found["message"]
    place.condition("r", "Available", "True", reason="AllReplicasReady")
    place.condition("r", "Progressing", "False")  # from here on nothing else wakes the router
    place.merge("quota", "one", {"spec": {"hard": {"services": "5"}}})
    place.ready("r")


def _is_refused(place: Place) -> bool:
    """Whether the quota is in force already."""
    body = {"metadata": {"name": "try"}, "spec": {"ports": [{"port": 80}]}}
    try:
        place.kube.ask("POST", place.path("service") + "?dryRun=All", body)
    except Refused:
        return True
    return False


def test_pods_that_stop_answering_after_the_rollout_are_told(place: Place) -> None:
    place.service("model")
    place.router("r", replicas=2)
    place.ready("r")
    (pod, _) = place.all("pod")
    conditions = [{"type": "Ready", "status": "False"}]
    path = place.path("pod", pod["metadata"]["name"], "status")
    body = {"status": {"conditions": conditions}}
    place.kube.ask("PATCH", path, body, "application/strategic-merge-patch+json")
    found = place.condition("r", "Ready", "False", reason="ReplicasUnavailable")
    assert "fewer pods are available than wanted" in found["message"]
    assert place.condition("r", "Available", "True", reason="SomeReplicasReady")
    place.delete("pod", pod["metadata"]["name"])
    place.ready("r")
