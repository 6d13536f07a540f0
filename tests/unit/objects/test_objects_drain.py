"""Requests under way finish when a pod ends: spec.drainSeconds."""

from typing import Any

import pytest

import objects_kit as kit
from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model.platform import Platform

OLD = Platform(sleep_action=False)


def slept(seconds: int) -> dict[str, Any]:
    return {"preStop": {"sleep": {"seconds": seconds}}}


def ending(spec: dict[str, Any], platform: Platform = kit.KUBERNETES) -> tuple[Any, Any]:
    """The hooks, and the seconds that the pod has to end."""
    pod = kit.pod(spec, platform=platform)["spec"]
    return pod["containers"][0].get("lifecycle"), pod.get("terminationGracePeriodSeconds")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, (slept(30), 60)),
        ({"drainSeconds": 5}, (slept(5), 35)),
        ({"drainSeconds": 0}, (None, None)),
        ({"drainSeconds": 0, "terminationGracePeriodSeconds": 7}, (None, 7)),
        ({"terminationGracePeriodSeconds": 300}, (slept(30), 300)),
    ],
)
def test_a_pod_serves_on_for_a_while_and_then_has_time_to_stop(
    spec: dict[str, Any], expected: tuple[Any, Any]
) -> None:
    assert ending(spec) == expected
    assert kit.built(spec).issues == ()


@pytest.mark.parametrize(
    ("grace", "hooks"), [(30, slept(30)), (10, slept(10)), (1, slept(1)), (0, None)]
)
def test_a_grace_period_that_cuts_the_drain_is_obeyed_with_a_warning(
    grace: int, hooks: dict[str, Any] | None
) -> None:
    """The API server would refuse a sleep that is longer."""
    spec = {"terminationGracePeriodSeconds": grace}
    assert ending(spec) == (hooks, grace)
    (issue,) = kit.built(spec).issues
    assert (issue.code, issue.severity) == ("DrainCut", "warning")
    assert str(issue) == (
        "spec.terminationGracePeriodSeconds: is no more than spec.drainSeconds (30): the pod is "
        "killed before it is drained; leave it out for 60, or lower spec.drainSeconds"
    )


def test_before_1_30_the_sleep_is_the_images_own_program() -> None:
    command = {"preStop": {"exec": {"command": ["sleep", "5"]}}}
    assert ending({"drainSeconds": 5}, OLD) == (command, 35)
    assert ending({"drainSeconds": 0}, OLD) == (None, None)


def test_it_is_the_same_in_both_modes() -> None:
    assert ending(kit.EXTPROC) == ending({})


@pytest.mark.parametrize("value", [-1, "30", 1.5, 2**31])
def test_another_value_is_refused_with_its_path(value: object) -> None:
    with pytest.raises(InvalidSpec, match=r"^spec\.drainSeconds: "):
        kit.router({"drainSeconds": value})
