"""The autoscaler (field case OP-20)."""

from typing import Any

import pytest

import objects_kit as kit
from semantic_router_operator.objects import Built

REQUESTS = {"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}


def result(**scaling: Any) -> Built:
    return kit.built({**REQUESTS, "autoscaling": {"enabled": True, **scaling}})


@pytest.mark.parametrize(
    ("scaling", "error"),
    [
        (
            {"targetCPUUtilizationPercentage": 0},
            (
                "targetCPUUtilizationPercentage: this and targetMemoryUtilizationPercentage "
                "are off; set one, or disable autoscaling"
            ),
        ),
        (
            {"minReplicas": 5, "maxReplicas": 2},
            "minReplicas: is above spec.autoscaling.maxReplicas; lower it",
        ),
        ({"minReplicas": 0}, "minReplicas: must be at least 1"),
        (
            {"targetCPUUtilizationPercentage": -1},
            "targetCPUUtilizationPercentage: must be a percentage above 0, or 0 for off",
        ),
    ],
)
def test_op_20_an_autoscaler_that_could_not_work_is_an_error(
    scaling: dict[str, Any], error: str
) -> None:
    made = result(**scaling)
    assert kit.errors(made) == [f"spec.autoscaling.{error}"]
    assert kit.found(made, "HorizontalPodAutoscaler") is None


def test_op_20_memory_alone_is_a_metric() -> None:
    made = result(targetCPUUtilizationPercentage=0, targetMemoryUtilizationPercentage=70)
    metrics = kit.body(made, "HorizontalPodAutoscaler")["spec"]["metrics"]
    assert [metric["resource"]["name"] for metric in metrics] == ["memory"]


def test_op_20_a_missing_request_is_a_warning_and_the_autoscaler_is_made() -> None:
    made = kit.built({"autoscaling": {"enabled": True}})
    assert kit.warnings(made) == [
        (
            "spec.resources.requests.cpu: the autoscaler can't tell the cpu use without it; "
            "set it, or turn targetCPUUtilizationPercentage off"
        )
    ]
    assert kit.found(made, "HorizontalPodAutoscaler") is not None


def test_op_20_a_limit_is_a_request_too() -> None:
    spec = {"autoscaling": {"enabled": True}, "resources": {"limits": {"cpu": 2}}}
    assert kit.built(spec).issues == ()


def test_nothing_is_checked_while_autoscaling_is_off() -> None:
    made = kit.built({"autoscaling": {"minReplicas": 9, "maxReplicas": 1}})
    assert made.issues == ()
    assert kit.found(made, "HorizontalPodAutoscaler") is None
