"""Events: what changed, once."""

from collections.abc import Mapping
from typing import Any

import pytest

from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.manifests import RouteFacts
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.status import events, publish
from unit.status.lifecycle import (
    ENDED,
    HEALTHY,
    LATER,
    OLD_DIGEST,
    PASSES,
    Point,
    accepted,
    deployment,
    endpoint,
    life_cycle,
    observed,
    rejected,
    resolved,
    router,
    unresolved,
)

STATUSES = [resource["status"] for resource, _ in life_cycle().values()]
TWO = router(vllmEndpoints=[endpoint("a"), endpoint("b")])


def between(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(note.type, note.reason) for note in events(before, after)]


@pytest.mark.parametrize("status", STATUSES)
def test_e5_nothing_is_told_at_rest(status: dict[str, Any]) -> None:
    assert events(status, status) == ()


def test_e5_no_reason_is_told_twice_in_one_step() -> None:
    for before in STATUSES:
        for after in STATUSES:
            told = [note.reason for note in events(before, after)]
            assert len(told) == len(set(told))


def test_every_note_fits_into_an_event() -> None:
    for before in STATUSES:
        for note in (note for after in STATUSES for note in events(before, after)):
            assert 0 < len(note.message.encode()) <= 1024
            assert 0 < len(note.reason) <= 128


def test_a_start_tells_document_backends_and_progress_and_later_that_it_runs() -> None:
    starting = Point(observed=observed(deployment(0))).status()
    assert between({"observedGeneration": -1}, starting) == [
        ("Normal", "ConfigAccepted"),
        ("Normal", "BackendResolved"),
        ("Normal", "Pending"),
    ]
    assert between(starting, HEALTHY.status(starting)) == [("Normal", "Running")]


def test_r9_a_rejected_edit_is_one_warning_with_path_and_reason() -> None:
    edited = Point(verdict=rejected(), observed=observed(deployment(), live_digest=OLD_DIGEST))
    (note,) = events(HEALTHY.status(), edited.status(HEALTHY.status()))
    assert (note.type, note.reason) == ("Warning", "InvalidConfig")
    assert note.message.startswith("spec.config.routing.decisions[1].name: ")


@pytest.mark.parametrize(
    "name",
    [name for name in PASSES if name not in {"running", "no backends at all", "scaled to zero"}],
)
def test_r9_each_trouble_of_a_running_router_is_told(name: str) -> None:
    before = HEALTHY.status()
    assert events(before, PASSES[name][0].status(before)) != ()


@pytest.mark.parametrize("name", ["name conflict", "object rejected", "write forbidden"])
def test_r9_an_object_that_is_not_applied_is_one_warning(name: str) -> None:
    before = HEALTHY.status()
    (note,) = events(before, PASSES[name][0].status(before))
    assert note.type == "Warning"
    assert note.message.startswith("Service ns/r: ")


def test_another_mistake_of_the_same_sort_is_told_again() -> None:
    first = Point(verdict=rejected()).status()
    second = Point(verdict=rejected("InvalidConfig", *rejected("x").errors * 2)).status(first)
    assert events(first, second) == ()
    issue = rejected().errors[0]
    other = type(issue)(issue.code, "spec.defaultModel", "is unknown")
    third = Point(verdict=rejected("InvalidConfig", other)).status(second)
    assert between(second, third) == [("Warning", "InvalidConfig")]


def test_a_new_document_is_told_with_the_head_of_its_digest() -> None:
    older = Point(observed=observed(deployment(), live_digest=OLD_DIGEST)).status()
    older["config"] = {"digest": OLD_DIGEST}
    (note, *_) = events(older, HEALTHY.status(older))
    assert note.reason == "ConfigAccepted"
    assert "aaaaaaaaaaaa" in note.message
    assert "a" * 13 not in note.message


def test_sr_12_a_key_that_nobody_knows_is_one_warning_though_the_document_is_accepted() -> None:
    issue = Issue("UnknownKey", "spec.config.routing.foo", "is passed on, but not known here")
    warned = Point(verdict=accepted(issue)).status(HEALTHY.status())
    (note,) = events(HEALTHY.status(), warned)
    assert (note.type, note.reason) == ("Warning", "AcceptedWithWarnings")
    assert "spec.config.routing.foo: is passed on" in note.message
    assert events(warned, warned) == ()
    assert events(warned, HEALTHY.status(warned)) == ()


def test_backends_that_are_lost_are_one_event_that_names_them() -> None:
    both = Point(router=TWO, resolutions=(resolved(), resolved())).status()
    gone = Point(router=TWO, resolutions=(unresolved(), unresolved("NoMatch", "nothing"))).status(
        both
    )
    (note,) = events(both, gone)
    assert (note.type, note.reason) == ("Warning", "BackendsUnresolved")
    assert "backend a: NotFound: " in note.message
    assert "backend b: NoMatch: nothing" in note.message


def test_a_backend_whose_reason_changes_is_told_again_and_alone() -> None:
    first = Point(router=TWO, resolutions=(unresolved(), resolved())).status()
    other = unresolved("PortNotFound", "no port 80")
    second = Point(router=TWO, resolutions=(other, resolved())).status(first)
    (note,) = events(first, second)
    assert note.message.startswith("backend a: PortNotFound: no port 80")


def test_a_backend_that_comes_back_is_told_and_that_all_is_well() -> None:
    lost = Point(router=TWO, resolutions=(unresolved(), resolved())).status()
    back = Point(router=TWO, resolutions=(resolved(), resolved())).status(lost)
    assert between(lost, back) == [("Normal", "BackendResolved"), ("Normal", "AsExpected")]


def test_a_backend_that_the_user_takes_out_is_no_news() -> None:
    both = Point(router=TWO, resolutions=(resolved(), resolved())).status()
    assert events(both, HEALTHY.status(both)) == ()


def test_two_entries_of_one_name_are_not_told_again_and_again() -> None:
    spec = router(vllmEndpoints=[endpoint("a"), endpoint("a")])
    point = Point(router=spec, resolutions=(unresolved(), unresolved("PortNotFound", "no port")))
    once = point.status(HEALTHY.status())
    assert events(once, point.status(once)) == ()


def test_sr_09_draining_is_told() -> None:
    spec = router(vllmEndpoints=[endpoint("a", weight=0), endpoint("b")])
    both = Point(router=TWO, resolutions=(resolved(), resolved())).status()
    drained = Point(router=spec, resolutions=(resolved(), resolved())).status(both)
    assert between(both, drained) == [("Normal", "BackendDrained")]


def test_going_to_zero_and_back_is_told() -> None:
    zero = PASSES["scaled to zero"][0].status(HEALTHY.status())
    assert between(HEALTHY.status(), zero) == [("Normal", "ScaledToZero")]
    assert between(zero, HEALTHY.status(zero)) == [("Normal", "Running")]


def test_another_way_in_is_told() -> None:
    gateway = {"existingRef": {"name": "g", "namespace": "gw"}}
    spec = router(vllmEndpoints=[endpoint("a")], gateway=gateway)
    after = Point(router=spec).status(HEALTHY.status())
    (note,) = events(HEALTHY.status(), after)
    assert (note.reason, note.message) == (
        "GatewayModeChanged",
        "from standalone to gateway-integration",
    )


def test_os_03_a_route_that_is_refused_is_told_with_the_routers_reason() -> None:
    spec = router(vllmEndpoints=[endpoint("a")], openshift={"routes": {"enabled": True}})
    route = RouteFacts(None, "False", "HostAlreadyClaimed", "taken")
    refused = Point(
        router=spec,
        observed=observed(deployment(), route=route),
        platform=Platform(openshift=True, routes=True),
    ).status(HEALTHY.status())
    (note,) = events(HEALTHY.status(), refused)
    assert (note.type, note.reason) == ("Warning", "RouteNotAdmitted")
    assert "HostAlreadyClaimed" in note.message


def test_a_failed_pass_is_one_warning_and_its_end_one_notice() -> None:
    ending, before, _ = ENDED["pass failed after running"]
    failed = publish(ending, before, generation=3, now=LATER)
    assert between(before, failed) == [("Warning", "ApiUnreachable")]
    assert between(failed, HEALTHY.status(failed)) == [("Normal", "Running")]


def test_an_unreadable_spec_is_one_warning() -> None:
    ending, before, _ = ENDED["spec unreadable after running"]
    after = publish(ending, before, generation=3, now=LATER)
    assert between(before, after) == [("Warning", "InvalidSpec")]
