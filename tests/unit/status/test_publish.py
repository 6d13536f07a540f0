"""The status object: its shape, its times, and that it rests."""

import json
import re
from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_router_operator.errors import InvalidSpec, NameConflict
from semantic_router_operator.model.resolution import Resolved
from semantic_router_operator.model.status import Assessment
from semantic_router_operator.model.status_document import REASON_PATTERN, StatusDocument
from semantic_router_operator.status import (
    assess_failure,
    assess_invalid,
    assess_suspended,
    last_known,
    previous_default,
    publish,
)
from semantic_router_operator.status.publish import CONDITION_ORDER
from unit.status.lifecycle import (
    COMPLETE,
    DIGEST,
    ENDED,
    HEALTHY,
    LATER,
    NOW,
    OLD_DIGEST,
    PASSES,
    Point,
    accepted,
    conditions,
    deployment,
    endpoint,
    observed,
    rejected,
    resolved,
    router,
    target,
    told,
    unresolved,
)

ASSESSMENTS: dict[str, Assessment] = {
    **{name: point.assess() for name, (point, _) in PASSES.items()},
    **{name: ending for name, (ending, _, _) in ENDED.items()},
}
GO_STATUS: dict[str, Any] = {
    "conditions": [
        {
            "type": "Available",
            "status": "True",
            "reason": "AllReplicasReady",
            "message": "All replicas are ready",
            "lastTransitionTime": "2026-08-01T08:00:00Z",
        }
    ],
    "observedGeneration": 2,
    "replicas": 1,
    "readyReplicas": 1,
    "phase": "Running",
    "gatewayMode": "standalone",
    "openshiftFeatures": {"routesEnabled": False},
}
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = ["conditions", "backends", "config", "openshiftFeatures", "phase", "replicas", "url"]
PARTS = ["type", "status", "reason", "message", "lastTransitionTime", "name", "state", "targets"]
items = st.lists(
    st.dictionaries(st.sampled_from([*PARTS, "url", "suffix"]), anything, max_size=6), max_size=3
)
garbage = st.dictionaries(st.sampled_from(KEYS), anything | items, max_size=7)


@pytest.mark.parametrize("name", ASSESSMENTS)
def test_op_12_the_same_assessment_again_gives_the_same_status_whatever_the_time(name: str) -> None:
    for before in ({}, GO_STATUS, *(point.status() for point, _ in PASSES.values())):
        once = publish(ASSESSMENTS[name], before, generation=3, now=NOW)
        assert publish(ASSESSMENTS[name], once, generation=3, now=LATER) == once


@given(garbage, st.sampled_from(sorted(ASSESSMENTS)))
def test_op_12_that_holds_after_any_garbage_in_the_status(
    before: dict[str, Any], name: str
) -> None:
    once = publish(ASSESSMENTS[name], before, generation=3, now=NOW)
    assert publish(ASSESSMENTS[name], once, generation=3, now=LATER) == once
    assert tuple(item["type"] for item in once["conditions"]) == CONDITION_ORDER


@given(garbage)
def test_reading_a_status_back_never_fails(before: dict[str, Any]) -> None:
    last_known(before)
    previous_default(before)


@pytest.mark.parametrize("name", ASSESSMENTS)
def test_a_status_is_what_the_schema_and_the_conventions_allow(name: str) -> None:
    status = publish(ASSESSMENTS[name], {}, generation=3, now=NOW)
    StatusDocument.model_validate(status)
    known = {field.alias for field in StatusDocument.model_fields.values()}
    assert status.keys() <= known
    for condition in status["conditions"]:
        assert set(condition) == {
            "type",
            "status",
            "observedGeneration",
            "lastTransitionTime",
            "reason",
            "message",
        }
        assert re.fullmatch(REASON_PATTERN, condition["reason"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", condition["lastTransitionTime"])
        assert len(condition["message"].encode()) <= 1024


def test_e4_all_conditions_are_there_in_their_order() -> None:
    assert tuple(item["type"] for item in HEALTHY.status()["conditions"]) == CONDITION_ORDER


def test_op_12_the_time_moves_only_with_the_status_of_a_condition() -> None:
    running = HEALTHY.status()
    starting = Point(observed=observed(deployment(0)))
    changed = publish(starting.assess(), running, generation=4, now=LATER)
    moved = {
        kind
        for kind, item in conditions(changed).items()
        if item["lastTransitionTime"] != conditions(running)[kind]["lastTransitionTime"]
    }
    assert moved == {"Ready", "Available", "Progressing", "Reconciling"}
    assert conditions(changed)["Ready"]["lastTransitionTime"] == "2026-11-30T11:30:59Z"
    assert {item["observedGeneration"] for item in changed["conditions"]} == {4}


def test_op_12_another_reason_with_the_same_status_moves_no_time() -> None:
    starting = Point(observed=observed(deployment(0))).status()
    crashing = publish(PASSES["crash loop"][0].assess(), starting, generation=3, now=LATER)
    assert told(crashing, "Ready") == ("False", "CrashLoopBackOff")
    assert conditions(crashing)["Ready"]["lastTransitionTime"] == "2026-11-30T10:00:00Z"


def test_a_time_of_another_zone_is_written_in_utc() -> None:
    now = NOW.astimezone(timezone(timedelta(hours=5, minutes=30)))
    status = publish(HEALTHY.assess(), {}, generation=3, now=now)
    assert conditions(status)["Ready"]["lastTransitionTime"] == "2026-11-30T10:00:00Z"


def test_the_go_operators_status_is_taken_over_with_its_time() -> None:
    status = publish(HEALTHY.assess(), GO_STATUS, generation=3, now=NOW)
    assert conditions(status)["Available"]["lastTransitionTime"] == "2026-08-01T08:00:00Z"
    assert conditions(status)["Ready"]["lastTransitionTime"] == "2026-11-30T10:00:00Z"


def test_config_says_digest_and_default_model() -> None:
    assert HEALTHY.status()["config"] == {"digest": DIGEST, "defaultModel": "m"}


def test_a_rejected_document_keeps_the_default_model_of_the_live_one() -> None:
    point = Point(verdict=rejected(), observed=observed(deployment(), live_digest=OLD_DIGEST))
    status = point.status(HEALTHY.status())
    assert status["config"] == {"digest": OLD_DIGEST, "defaultModel": "m"}
    assert previous_default(status) == "m"


def test_an_accepted_document_without_a_default_model_clears_it() -> None:
    point = Point(verdict=accepted(default_model=None))
    assert point.status(HEALTHY.status())["config"] == {"digest": DIGEST}


def test_the_selector_is_the_one_of_the_pods() -> None:
    assert HEALTHY.status()["selector"] == (
        "app.kubernetes.io/instance=r,app.kubernetes.io/name=semantic-router"
    )


def test_e4_the_status_of_twenty_backends_stays_under_8_kib() -> None:
    names = [f"vllm-backend-number-{i}" for i in range(20)]
    spec = router(vllmEndpoints=[endpoint(name, model=f"model-{name}") for name in names])
    found = [resolved(target(f"{name}.models.svc.cluster.local"), name=name) for name in names]
    healthy = Point(router=spec, resolutions=tuple(found)).status()
    assert len(json.dumps(healthy)) < 8192


def test_a_thousand_backends_are_shown_and_no_more() -> None:
    spec = router(vllmEndpoints=[endpoint(f"b{i}") for i in range(1200)])
    status = Point(router=spec, resolutions=(unresolved(),) * 1200).status()
    assert len(status["backends"]) == 1000
    assert len(json.dumps(status)) < 700_000


def test_targets_are_shown_as_long_as_there_is_room_for_them() -> None:
    spec = router(vllmEndpoints=[endpoint(f"b{i}") for i in range(100)])
    many = tuple(target(f"10.0.0.{i}", suffix=f"t{i}") for i in range(64))
    status = Point(router=spec, resolutions=(Resolved(many),) * 100).status()
    shown = [len(item.get("targets", ())) for item in status["backends"]]
    assert (sum(shown), shown[0], shown[-1]) == (4000, 64, 0)
    assert len(json.dumps(status)) < 700_000


def test_an_invalid_spec_keeps_what_is_known_and_advances_the_generation() -> None:
    before = HEALTHY.status()
    ending, _, _ = ENDED["spec unreadable after running"]
    status = publish(ending, before, generation=4, now=LATER)
    assert status["observedGeneration"] == 4
    assert told(status, "Ready") == ("False", "InvalidSpec")
    assert told(status, "Stalled") == ("True", "InvalidSpec")
    assert told(status, "Degraded") == ("True", "InvalidSpec")
    assert status["phase"] == "Degraded"
    for kind in ("ConfigAccepted", "BackendsResolved", "ResourcesApplied", "Available"):
        assert conditions(status)[kind] == conditions(before)[kind]
    for part in ("backends", "config", "url", "selector", "replicas", "replicasSummary"):
        assert status[part] == before[part]


def test_a_failed_pass_keeps_what_is_known_and_turns_ready_unknown() -> None:
    before = HEALTHY.status()
    ending, _, _ = ENDED["pass failed after running"]
    status = publish(ending, before, generation=3, now=LATER)
    assert told(status, "Ready") == ("Unknown", "ApiUnreachable")
    assert told(status, "Reconciling") == ("True", "ApiUnreachable")
    changed = {"Ready", "Reconciling", "Stalled"}
    assert [c for c in status["conditions"] if c["type"] not in changed] == [
        c for c in before["conditions"] if c["type"] not in changed
    ]
    assert publish(HEALTHY.assess(), status, generation=3, now=LATER)["phase"] == "Running"


def test_a_failed_pass_does_not_hide_why_the_router_was_not_ready() -> None:
    ending, before, _ = ENDED["pass failed after a rejection"]
    status = publish(ending, before, generation=3, now=LATER)
    assert conditions(status)["Ready"] == conditions(before)["Ready"]
    assert told(status, "Reconciling") == ("True", "InternalError")


def test_an_unexpected_error_leaves_no_text_of_its_own() -> None:
    assert "canary" not in str(ENDED["pass failed after a rejection"][0])


def test_a_backend_that_is_taken_out_of_the_spec_is_gone_from_the_status() -> None:
    spec = router(vllmEndpoints=[endpoint("a"), endpoint("b")])
    both = Point(router=spec, resolutions=(resolved(), resolved())).status()
    assert [item["name"] for item in both["backends"]] == ["a", "b"]
    assert [item["name"] for item in HEALTHY.status(both)["backends"]] == ["a"]


def test_a_condition_of_a_later_generation_is_never_claimed_by_a_kept_one() -> None:
    ending, before, _ = ENDED["pass failed after running"]
    status = publish(replace(ending), before, generation=9, now=LATER)
    assert conditions(status)["Available"]["observedGeneration"] == 3
    assert conditions(status)["Ready"]["observedGeneration"] == 9


def test_op_12_under_an_invalid_spec_available_follows_the_pods_of_today() -> None:
    before = HEALTHY.status()
    seen = observed(deployment(0, conditions=COMPLETE))
    ending = assess_invalid(InvalidSpec("spec.x: is bad"), before, observed=seen)
    status = publish(ending, before, generation=4, now=LATER)
    assert told(status, "Available") == ("False", "ReplicasUnavailable")
    assert told(status, "Stalled") == ("True", "InvalidSpec")
    assert (status["phase"], status["replicasSummary"]) == ("Pending", "0/1")


def test_a_suspended_router_without_a_deployment_has_no_pods() -> None:
    before = HEALTHY.status()
    status = publish(assess_suspended(before, observed=observed()), before, generation=4, now=LATER)
    assert told(status, "Available") == ("False", "DeploymentNotFound")
    assert (status["phase"], status["readyReplicas"]) == ("Pending", 0)


def test_a_suspended_router_is_not_ready_and_keeps_telling_of_its_pods() -> None:
    before = HEALTHY.status()
    ending = assess_suspended(before, observed=observed(deployment(1)))
    status = publish(ending, before, generation=4, now=LATER)
    assert told(status, "Ready") == ("False", "Suspended")
    assert told(status, "Reconciling") == ("True", "Suspended")
    assert told(status, "Available")[0] == "True"
    assert status["backends"] == before["backends"]


def test_a_known_failure_that_is_no_transient_error_is_told_as_internal() -> None:
    ending = assess_failure(NameConflict("x"), {})
    assert told(publish(ending, {}, generation=1, now=NOW), "Ready") == ("Unknown", "InternalError")
