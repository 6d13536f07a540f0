"""Ready, Reconciling, Stalled and what kstatus makes of them, over all combinations."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from semantic_router_operator.model.canonical import Rejected, Verdict
from semantic_router_operator.model.manifests import DEPLOYMENT, PodTrouble
from semantic_router_operator.model.resolution import GatewayMissing, Resolution
from semantic_router_operator.model.status import Finding
from semantic_router_operator.status import reasons
from unit.status.lifecycle import (
    COMPLETE,
    DIGEST,
    FIRST,
    HEALTHY,
    OLD_DIGEST,
    PASSES,
    Point,
    accepted,
    applied,
    conditions,
    deployment,
    endpoint,
    life_cycle,
    observed,
    rejected,
    resolved,
    router,
    target,
    told,
    unresolved,
)

VERDICTS: list[Verdict] = [
    accepted(),
    rejected(),
    rejected("WaitingForBackends"),
    rejected("GatewayNotFound"),
    rejected("not legal"),
]
RESOLUTIONS: list[Resolution] = [
    resolved(),
    unresolved(),
    unresolved("Invalid"),
    unresolved(declared=target()),
    unresolved("Unreachable", uncertain=True, last_known=(target(),)),
]
DEADLINE = {"Progressing": ("False", "ProgressDeadlineExceeded", "timed out")}
DEPLOYMENTS = [
    None,
    deployment(),
    deployment(0),
    deployment(0, wanted=0),
    deployment(generation=9),
    deployment(1, wanted=3, conditions=FIRST),
    deployment(1, replicas=2),
    deployment(0, conditions=COMPLETE),
    deployment(0, conditions=DEADLINE),
]
OBJECTS = [
    (),
    (applied(),),
    (applied(outcome="applied", generation=7),),
    (applied(outcome="conflict"),),
    (applied(outcome="failed", reason="ApiThrottled"),),
    (applied(outcome="failed"), applied(outcome="rejected")),
]
PODS = [(), (PodTrouble("p", "InvalidImageName", ""),)]
LIVE = [DIGEST, OLD_DIGEST]
GATEWAYS = [
    GatewayMissing("GatewayNotFound", "spec.gateway.existingRef: isn't there"),
    GatewayMissing("Unreachable", "spec.gateway.existingRef: no answer", uncertain=True),
]
LIFE_CYCLE = life_cycle()


ROUTERS = {n: router(replicas=n, vllmEndpoints=[endpoint("a")]) for n in (0, 1, 3)}


def combinations() -> Iterator[Point]:
    for facts, objects, pods, live in product(DEPLOYMENTS, OBJECTS, PODS, LIVE):
        seen = observed(facts, *pods, objects=objects, live_digest=live)
        wanted = ROUTERS[1 if facts is None else facts.wanted]
        for verdict, resolution in product(VERDICTS, RESOLUTIONS):
            yield Point(wanted, (resolution,), verdict, seen)
        for verdict, gateway in product(VERDICTS, GATEWAYS):
            nothing_live = replace(seen, live_digest=None)
            yield Point(wanted, (resolved(),), verdict, seen, gateway)
            yield Point(wanted, (unresolved(),), verdict, nothing_live, gateway)


Findings = dict[str, Finding]


@pytest.fixture(scope="module")
def judged() -> list[tuple[Point, Findings]]:
    """Every combination with its findings."""
    return [(point, {f.type: f for f in point.assess().findings}) for point in combinations()]


def kstatus(resource: Mapping[str, Any]) -> str:
    """The generic rules of sigs.k8s.io/cli-utils/pkg/kstatus, in their order."""
    status = resource["status"]
    if status["observedGeneration"] != resource["metadata"]["generation"]:
        return "InProgress"
    for condition in status["conditions"]:
        if condition["status"] == "True" and condition["type"] == "Reconciling":
            return "InProgress"
        if condition["status"] == "True" and condition["type"] == "Stalled":
            return "Failed"
    return "Current" if conditions(status)["Ready"]["status"] == "True" else "InProgress"


def test_exactly_one_of_ready_reconciling_and_stalled_is_true_in_every_combination(
    judged: list[tuple[Point, Findings]],
) -> None:
    for point, findings in judged:
        assert len(findings) == 9
        true = [
            kind for kind in ("Ready", "Reconciling", "Stalled") if findings[kind].status == "True"
        ]
        assert len(true) == 1, point
        assert all(reasons.legal(finding.reason) for finding in findings.values())
        assert all(finding.message for finding in findings.values())


def test_ready_is_true_only_when_every_part_is_in_every_combination(
    judged: list[tuple[Point, Findings]],
) -> None:
    ready = 0
    for point, findings in judged:
        if findings["Ready"].status != "True":
            continue
        ready += 1
        facts = point.observed.deployment
        assert facts is not None
        assert (facts.updated, facts.replicas) == (facts.wanted, facts.wanted)
        assert facts.observed_generation == facts.generation
        assert findings["ConfigAccepted"].status == "True"
        assert findings["ResourcesApplied"].status == "True"
        assert point.observed.live_digest == DIGEST
        assert (findings["Available"].status == "True") is (facts.wanted > 0)
    assert ready > 0


@pytest.mark.parametrize("name", LIFE_CYCLE)
def test_kstatus_reads_each_point_of_the_life_cycle_as_it_is(name: str) -> None:
    resource, expected = LIFE_CYCLE[name]
    assert kstatus(resource) == expected


def test_a_healthy_router_is_ready_and_running() -> None:
    status = HEALTHY.status()
    assert told(status, "Ready") == ("True", "Running")
    assert status["phase"] == "Running"
    assert status["replicasSummary"] == "1/1"


def test_sr_11_a_rejected_edit_is_stalled_while_the_last_good_document_serves() -> None:
    status = PASSES["edit rejected, last good runs"][0].status()
    assert told(status, "Ready") == ("False", "InvalidConfig")
    assert told(status, "Stalled") == ("True", "InvalidConfig")
    assert told(status, "Reconciling") == ("False", "Stalled")
    assert told(status, "ConfigAccepted") == ("False", "InvalidConfig")
    assert told(status, "Available") == ("True", "AllReplicasReady")
    assert told(status, "Degraded") == ("True", "InvalidConfig")
    assert status["observedGeneration"] == 3
    assert status["config"] == {"digest": OLD_DIGEST}


def test_sr_11_the_message_of_a_rejection_begins_with_the_field_path() -> None:
    for kind in ("Ready", "ConfigAccepted", "Stalled"):
        message = conditions(Point(verdict=rejected()).status())[kind]["message"]
        assert message.startswith("spec.config.routing.decisions[1].name: ")


def test_sr_11_mending_the_spec_clears_the_rejection_at_once() -> None:
    before = Point(verdict=rejected()).status()
    assert told(HEALTHY.status(before), "Ready") == ("True", "Running")


def test_what_somebody_must_do_is_told_before_what_is_waited_for() -> None:
    point = replace(
        PASSES["name conflict"][0],
        resolutions=(unresolved(),),
        verdict=rejected("WaitingForBackends"),
    )
    assert told(point.status(), "Ready") == ("False", "NameConflict")


def test_waiting_for_a_backend_that_only_the_user_can_mend_is_stalled() -> None:
    point = Point(resolutions=(unresolved("Invalid"),), verdict=rejected("WaitingForBackends"))
    status = point.status()
    assert told(status, "Stalled") == ("True", "BackendsInvalid")
    assert told(status, "ConfigAccepted") == ("False", "WaitingForBackends")


@pytest.mark.parametrize("reason", ["Forbidden", "KindNotInstalled", "Unreachable", "OddOne"])
def test_a_gateway_that_is_missing_for_whatever_reason_is_waited_for(reason: str) -> None:
    gateway = GatewayMissing(reason, "spec.gateway.existingRef: isn't there", uncertain=True)
    status = Point(verdict=rejected(reason), gateway=gateway).status()
    assert told(status, "Reconciling") == ("True", reason)


def test_a_rejection_with_an_illegal_reason_is_told_as_invalid_config() -> None:
    assert told(Point(verdict=Rejected("no word", ())).status(), "Ready") == (
        "False",
        "InvalidConfig",
    )


def test_a_deployment_that_the_cache_shows_older_than_our_write_is_not_ready() -> None:
    objects = (applied(DEPLOYMENT, "applied", generation=3),)
    status = Point(observed=observed(deployment(), objects=objects)).status()
    assert told(status, "Reconciling") == ("True", "Progressing")


def test_a_deployment_with_another_scale_than_the_spec_is_not_ready() -> None:
    point = Point(router=router(replicas=2, vllmEndpoints=[endpoint("a")]))
    assert told(point.status(), "Ready") == ("False", "Progressing")


def test_while_an_hpa_scales_any_scale_is_ready() -> None:
    scaled = router(replicas=2, vllmEndpoints=[endpoint("a")], autoscaling={"enabled": True})
    point = Point(router=scaled, observed=observed(deployment(7, wanted=7)))
    assert told(point.status(), "Ready") == ("True", "Running")


def test_a_model_whose_backends_are_all_drained_does_not_keep_the_router_from_ready() -> None:
    drained = router(vllmEndpoints=[endpoint("a", weight=0), endpoint("b", model="other")])
    status = Point(router=drained, resolutions=(resolved(), resolved())).status()
    assert told(status, "BackendsResolved") == ("False", "ModelDrained")
    assert told(status, "Ready") == ("True", "Degraded")


def test_scaled_to_zero_is_ready_because_nothing_is_wanted_and_not_available() -> None:
    status = PASSES["scaled to zero"][0].status()
    assert told(status, "Ready") == ("True", "ScaledToZero")
    assert told(status, "Available") == ("False", "ScaledToZero")
    assert told(status, "Progressing") == ("False", "ScaledToZero")
    assert status["phase"] == "Pending"


def test_scaling_to_zero_is_not_ready_before_the_last_pod_is_gone() -> None:
    point = Point(
        router=router(replicas=0),
        resolutions=(),
        observed=observed(deployment(0, wanted=0, replicas=1)),
    )
    assert told(point.status(), "Ready")[0] == "False"
