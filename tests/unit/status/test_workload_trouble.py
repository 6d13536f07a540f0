"""Trouble of the Deployment and its pods, in words that don't move."""

import random
from itertools import permutations
from typing import Any

import pytest

from semantic_router_operator.model.manifests import PodTrouble
from semantic_router_operator.status import wording
from semantic_router_operator.status.workload import rollout
from unit.status.lifecycle import (
    COMPLETE,
    Point,
    conditions,
    deployment,
    observed,
    told,
)

IMAGE = "registry.example.com/router:v1"


def trouble(reason: str, message: str = "", *, pod: str = "r-7d9f-x") -> PodTrouble:
    return PodTrouble(pod, reason, message)


def starting(*pods: PodTrouble, **facts: Any) -> tuple[str, str, bool]:
    seen = observed(deployment(0, **facts), *pods)
    found = rollout(seen, replicas=1)
    return found.reason, found.message, found.stalled


def test_gpu_02_an_unschedulable_pod_is_told_with_the_schedulers_reasons() -> None:
    text = (
        "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint "
        "{nvidia.com/gpu: true}. preemption: 0/3 nodes are available: 3 Preemption is not helpful."
    )
    assert starting(trouble("Unschedulable", text)) == (
        "Unschedulable",
        (
            "no node fits the pod: Insufficient nvidia.com/gpu, "
            "node(s) had untolerated taint {nvidia.com/gpu: true}"
        ),
        False,
    )


def test_gpu_02_more_nodes_of_the_same_sort_change_no_word() -> None:
    def told_of(count: int) -> str:
        return wording.unschedulable(
            f"0/{count} nodes are available: {count} Insufficient cpu. "
            f"no new claims to deallocate, preemption: 0/{count} nodes are available."
        )

    assert told_of(3) == told_of(40) == "Insufficient cpu, no new claims to deallocate"


@pytest.mark.parametrize("reason", ["ErrImagePull", "ImagePullBackOff"])
def test_both_words_of_the_kubelet_for_an_image_are_one_reason(reason: str) -> None:
    found = starting(trouble(reason, f"container semantic-router: image {IMAGE}: not found"))
    assert found == (
        "ImagePullBackOff",
        (
            "the image can't be pulled; check spec.image and spec.imagePullSecrets: "
            f"container semantic-router: image {IMAGE}: not found"
        ),
        False,
    )


def test_an_illegal_image_name_is_stalled_at_once() -> None:
    reason, message, stalled = starting(trouble("InvalidImageName", "container x: bad name"))
    assert (reason, stalled) == ("InvalidImageName", True)
    assert message == "correct spec.image: container x: bad name"


def test_a_crash_loop_is_told_with_how_it_ended() -> None:
    found = starting(
        trouble("CrashLoopBackOff", "container x ended with exit code 137 (OOMKilled)")
    )
    assert found[0] == "CrashLoopBackOff"
    assert found[1].endswith(": container x ended with exit code 137 (OOMKilled)")


def test_a_crash_loop_in_the_kubelets_own_words_is_told_without_the_back_off() -> None:
    first, second = (
        starting(trouble("CrashLoopBackOff", f"back-off {time} restarting failed container"))
        for time in ("10s", "5m0s")
    )
    assert first == second


def test_a_missing_secret_is_named() -> None:
    found = starting(trouble("CreateContainerConfigError", 'secret "openai" not found'))
    assert found == (
        "CreateContainerConfigError",
        'create what is missing: secret "openai" not found',
        False,
    )


def test_another_trouble_of_a_pod_is_told_without_names_ids_and_times() -> None:
    one = starting(trouble("RunContainerError", "r-7d9f-x: 0123456789abcdef failed after 3.2s"))
    two = starting(
        trouble("RunContainerError", "r-7d9f-y: fedcba9876543210 failed after 11s", pod="r-7d9f-y")
    )
    assert one == two == ("PodFailing", "RunContainerError: …: … failed after …", False)


def test_of_several_pods_in_trouble_the_same_one_is_told_in_any_order() -> None:
    pods = (
        trouble("Unschedulable", "no node"),
        trouble("CrashLoopBackOff", pod="a"),
        trouble("CrashLoopBackOff", pod="b"),
        trouble("ErrImagePull"),
    )
    found = {starting(*order) for order in permutations(pods)}
    assert {reason for reason, _, _ in found} == {"ImagePullBackOff"}
    assert len(found) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        'pods "r-7d9f-" is forbidden: exceeded quota: q, requested: cpu=500m, limited: cpu=10m',
        'pods "r-7d9f-" is forbidden: violates PodSecurity "restricted:latest"',
        'pods "r-7d9f-" is forbidden: unable to validate against any security context constraint',
    ],
    ids=["quota", "pod-security", "os-01-scc"],
)
def test_a_refusal_of_pods_is_lifted_with_its_message(refusal: str) -> None:
    found = starting(conditions={"ReplicaFailure": ("True", "FailedCreate", refusal)})
    assert found == ("ReplicaFailure", refusal.replace('pods "r-7d9f-"', "pod"), False)


def test_past_its_deadline_a_rollout_is_stalled_and_says_why() -> None:
    late = {"Progressing": ("False", "ProgressDeadlineExceeded", 'ReplicaSet "r-1" has timed out.')}
    reason, message, stalled = starting(trouble("CrashLoopBackOff"), conditions=late)
    assert (reason, stalled) == ("ProgressDeadlineExceeded", True)
    assert message.startswith('ReplicaSet "r-1" has timed out; CrashLoopBackOff: ')


def test_what_the_deployment_says_of_an_older_template_does_not_count() -> None:
    late = {"Progressing": ("False", "ProgressDeadlineExceeded", "timed out")}
    found = starting(trouble("InvalidImageName"), conditions=late, generation=5)
    assert found[0] == "Progressing"


def test_the_trouble_of_a_pod_that_is_on_its_way_out_does_not_count() -> None:
    point = Point(observed=observed(deployment(), trouble("CrashLoopBackOff")))
    assert told(point.status(), "Ready") == ("True", "Running")


def test_no_message_names_a_pod() -> None:
    for reason in ("ErrImagePull", "CrashLoopBackOff", "Unschedulable", "Odd", "InvalidImageName"):
        pod = trouble(reason, 'r-7d9f-x has it; pod "r-7d9f-x" too')
        point = Point(observed=observed(deployment(0, conditions=COMPLETE), pod))
        assert "7d9f" not in str(conditions(point.status()).values())


def test_a_message_is_cut_at_a_whole_character_and_keeps_to_its_bytes() -> None:
    text = wording.bounded("é" * 2000)
    assert len(text.encode()) <= 1024
    assert set(text) == {"é", "…"}


def test_a_lone_surrogate_does_not_break_a_message() -> None:
    assert wording.bounded("a\ud800b") == "a?b"


def test_joined_parts_fit_whatever_their_lengths() -> None:
    chance = random.Random(7)  # noqa: S311 - no secret
    for _ in range(300):
        parts = [f"{i}:" + "x" * chance.randrange(2000) for i in range(chance.randrange(1, 30))]
        text = wording.joined(parts)
        assert len(text.encode()) <= 1024
        assert text.startswith("0:")
