"""One condition at a time."""

import pytest

from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    SERVICE,
    PodTrouble,
    RouteFacts,
)
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.resolution import GatewayMissing
from unit.status.lifecycle import (
    COMPLETE,
    FIRST,
    HEALTHY,
    PASSES,
    Point,
    accepted,
    applied,
    conditions,
    deployment,
    endpoint,
    observed,
    rejected,
    resolved,
    router,
    told,
    unresolved,
)

OPENSHIFT = Platform(openshift=True, routes=True)
SR15 = Point(router=router(), resolutions=())


def message(point: Point, kind: str) -> str:
    return str(conditions(point.status())[kind]["message"])


def test_warnings_about_an_accepted_document_are_told_and_leave_it_accepted() -> None:
    warning = Issue("Deprecated", "spec.vllmEndpoints[0].reasoningFamily", "write reasoning.family")
    point = Point(verdict=accepted(warning))
    assert told(point.status(), "ConfigAccepted") == ("True", "AcceptedWithWarnings")
    assert told(point.status(), "Ready") == ("True", "Running")
    assert message(point, "ConfigAccepted") == (
        "spec.vllmEndpoints[0].reasoningFamily: write reasoning.family"
    )


def test_of_many_findings_the_first_ten_are_told_and_the_rest_counted() -> None:
    many = [Issue("Bad", f"spec.config.routing.decisions[{i}]", "is bad") for i in range(25)]
    text = message(Point(verdict=rejected("InvalidConfig", *many)), "ConfigAccepted")
    assert text.endswith("decisions[9]: is bad; and 15 more")


def test_a_path_that_a_finding_repeats_in_its_message_is_told_once() -> None:
    issue = Issue("GatewayNotFound", "spec.gateway.existingRef", "spec.gateway.existingRef: no")
    point = Point(verdict=rejected("GatewayNotFound", issue))
    assert message(point, "ConfigAccepted") == "spec.gateway.existingRef: no"


def test_sr_15_a_router_without_backends_says_so_and_is_as_ready_as_its_pods() -> None:
    assert told(SR15.status(), "BackendsResolved") == ("True", "NoBackends")
    assert told(SR15.status(), "Ready") == ("True", "Running")
    starting = Point(router=router(), resolutions=(), observed=observed(deployment(0)))
    assert told(starting.status(), "Ready") == ("False", "Pending")


def test_an_unresolved_backend_is_told_with_path_name_and_reason() -> None:
    point = PASSES["one of two backends lost"][0]
    assert told(point.status(), "BackendsResolved") == ("False", "BackendsUnresolved")
    assert told(point.status(), "Degraded") == ("True", "BackendsUnresolved")
    assert told(point.status(), "Ready") == ("True", "Degraded")
    text = message(point, "BackendsResolved")
    assert text.startswith("spec.vllmEndpoints[0].backend.service.name: ")
    assert text.endswith("(backend a: NotFound)")


def test_a_message_without_a_path_gets_the_path_of_its_entry() -> None:
    two = router(vllmEndpoints=[endpoint("a"), endpoint("b")])
    point = Point(router=two, resolutions=(resolved(), unresolved("NoMatch", "no Service matches")))
    assert message(point, "BackendsResolved") == (
        "spec.vllmEndpoints[1]: no Service matches (backend b: NoMatch)"
    )


def test_ks_05_what_kserve_says_of_its_failure_reaches_our_condition() -> None:
    text = "InferenceService ns/long: ReconcileFailed: name is too long"
    point = Point(resolutions=(unresolved("NotReady", text),))
    assert text in message(point, "BackendsResolved")


def test_a_missing_gateway_degrades_a_router_whose_document_is_accepted() -> None:
    gateway = GatewayMissing("GatewayNotFound", "spec.gateway.existingRef: isn't there")
    point = Point(gateway=gateway)
    assert told(point.status(), "Ready") == ("False", "GatewayNotFound")
    assert told(point.status(), "Degraded") == ("True", "GatewayNotFound")


def test_a_gateway_that_can_not_be_asked_for_leaves_an_accepted_router_ready() -> None:
    gateway = GatewayMissing("Unreachable", "spec.gateway.existingRef: no answer", uncertain=True)
    point = Point(gateway=gateway)
    assert told(point.status(), "Ready") == ("True", "Degraded")
    assert told(point.status(), "Degraded") == ("True", "Unreachable")


def test_of_several_refused_objects_the_gravest_gives_the_reason() -> None:
    objects = (
        applied(CONFIG_MAP, "failed", reason="ApiThrottled", message="429"),
        applied(SERVICE, "conflict", message="belongs to Deployment ns/other"),
    )
    point = Point(observed=observed(deployment(), objects=objects))
    assert told(point.status(), "ResourcesApplied") == ("False", "NameConflict")
    assert message(point, "ResourcesApplied") == (
        "Service ns/r: belongs to Deployment ns/other; ConfigMap ns/r: 429"
    )


def test_os_03_an_object_refused_for_a_field_is_told_with_the_field_path() -> None:
    text = "spec.openshift.routes.hostname: is no DNS name"
    objects = (applied(SERVICE, "rejected", reason="InvalidSpec", message=text),)
    point = Point(observed=observed(deployment(), objects=objects))
    assert told(point.status(), "Stalled") == ("True", "ObjectRejected")
    assert message(point, "Ready") == text


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("ApiForbidden", "ApiForbidden"), ("Odd", "ApiError"), ("", "ApiError")],
)
def test_a_failed_write_is_waited_for_under_a_known_reason(reason: str, expected: str) -> None:
    objects = (applied(SERVICE, "failed", reason=reason),)
    point = Point(observed=observed(deployment(), objects=objects))
    assert told(point.status(), "Reconciling") == ("True", expected)


def test_op_12_available_turns_false_as_soon_as_no_pod_is() -> None:
    before = HEALTHY.status()
    lost = Point(observed=observed(deployment(0, conditions=COMPLETE))).status(before)
    assert told(lost, "Available") == ("False", "ReplicasUnavailable")
    assert told(lost, "Degraded") == ("True", "ReplicasUnavailable")
    assert lost["phase"] == "Pending"


def test_some_pods_are_available_and_degraded_after_a_complete_rollout() -> None:
    spec = router(replicas=3, vllmEndpoints=[endpoint("a")])
    facts = deployment(1, wanted=3, conditions=COMPLETE)
    status = Point(router=spec, observed=observed(facts)).status()
    assert told(status, "Available") == ("True", "SomeReplicasReady")
    assert told(status, "Degraded") == ("True", "ReplicasUnavailable")
    assert status["phase"] == "Degraded"
    assert status["replicasSummary"] == "1/3"


def test_a_first_rollout_under_way_is_not_degraded() -> None:
    spec = router(replicas=3, vllmEndpoints=[endpoint("a")])
    status = Point(router=spec, observed=observed(deployment(1, wanted=3))).status()
    assert told(status, "Degraded") == ("False", "AsExpected")
    assert told(status, "Progressing") == ("True", "Progressing")
    assert status["phase"] == "Progressing"


def test_a_new_pod_in_trouble_beside_an_old_one_that_serves_is_degraded() -> None:
    facts = deployment(1, replicas=2, conditions=FIRST)
    point = Point(observed=observed(facts, PodTrouble("r-x", "CrashLoopBackOff", "back-off 10s")))
    assert told(point.status(), "Ready") == ("False", "CrashLoopBackOff")
    assert told(point.status(), "Available") == ("True", "AllReplicasReady")
    assert told(point.status(), "Degraded") == ("True", "CrashLoopBackOff")


def _with_route(route: RouteFacts | None, *, enabled: bool = True, **more: object) -> Point:
    spec = router(vllmEndpoints=[endpoint("a")], openshift={"routes": {"enabled": enabled}}, **more)
    return Point(router=spec, observed=observed(deployment(), route=route), platform=OPENSHIFT)


def test_os_03_a_route_that_is_not_admitted_is_degraded_with_the_routers_reason() -> None:
    point = _with_route(RouteFacts(None, "False", "HostAlreadyClaimed", "ns/x has the host"))
    assert told(point.status(), "Degraded") == ("True", "RouteNotAdmitted")
    assert message(point, "Degraded") == (
        "spec.openshift.routes: the Route isn't admitted: HostAlreadyClaimed: ns/x has the host"
    )
    assert told(point.status(), "Ready") == ("True", "Degraded")
    assert point.status()["openshiftFeatures"] == {"routesEnabled": True}
    assert point.status()["url"] == "http://r.ns.svc.cluster.local:8801"


def test_os_03_host_and_url_come_from_an_admitted_route() -> None:
    status = _with_route(RouteFacts("r.apps.example.com", "True", "", "")).status()
    assert status["openshiftFeatures"] == {
        "routesEnabled": True,
        "routeHostname": "r.apps.example.com",
    }
    assert status["url"] == "https://r.apps.example.com"


def test_os_03_a_host_of_a_route_that_is_not_admitted_is_not_shown() -> None:
    status = _with_route(RouteFacts("r.apps.example.com", "Unknown", "", "")).status()
    assert status["openshiftFeatures"] == {"routesEnabled": True}
    assert told(status, "Degraded") == ("False", "RoutePending")


def test_os_03_a_route_switched_off_leaves_no_trace() -> None:
    route = RouteFacts("r.apps.example.com", "False", "HostAlreadyClaimed", "")
    status = _with_route(route, enabled=False).status()
    assert status["openshiftFeatures"] == {"routesEnabled": False}
    assert told(status, "Degraded") == ("False", "AsExpected")


def test_a_route_behind_a_gateway_is_not_made_and_degraded() -> None:
    gateway = {"existingRef": {"name": "g", "namespace": "ns"}}
    routes = {"routes": {"enabled": True}}
    spec = router(vllmEndpoints=[endpoint("a")], openshift=routes, gateway=gateway)
    status = Point(router=spec, platform=OPENSHIFT).status()
    assert told(status, "Degraded") == ("True", "RouteNotSupported")
    assert status["openshiftFeatures"] == {"routesEnabled": False}


def test_a_route_on_a_cluster_without_routes_is_degraded() -> None:
    spec = router(vllmEndpoints=[endpoint("a")], openshift={"routes": {"enabled": True}})
    status = Point(router=spec).status()
    assert told(status, "Degraded") == ("True", "RouteNotSupported")
    assert status["openshiftFeatures"] == {"routesEnabled": False}


def test_the_url_of_a_router_behind_a_gateway_is_its_grpc_port() -> None:
    gateway = {"existingRef": {"name": "g", "namespace": "gw"}}
    spec = router(vllmEndpoints=[endpoint("a")], gateway=gateway, service={"grpc": {"port": 6000}})
    assert Point(router=spec).status()["url"] == "grpc://r.ns.svc.cluster.local:6000"
    assert Point(router=spec).status()["gatewayMode"] == "gateway-integration"


def test_there_is_no_url_before_there_is_a_deployment() -> None:
    assert "url" not in Point(observed=observed(None)).status()
