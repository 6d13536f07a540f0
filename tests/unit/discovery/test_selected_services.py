"""Kinds serviceSelector and llamastack: Services by label."""

from typing import Any

import pytest

from fakes.cluster_objects import DELETED, address, endpoint_slice, port, service
from fakes.cluster_view import FakeView
from fakes.discovering import ROUTER_UID, SECRET, reasons, resolved, unresolved, urls
from semantic_router_operator.discovery import DiscoveryPolicy
from semantic_router_operator.model.resolution import Target

LABELS = {"app": "llama-stack"}


def labelled(name: str, *ports: dict[str, Any], **meta: Any) -> dict[str, Any]:
    annotations = meta.pop("annotations", {})
    namespace = meta.pop("namespace", "ml")
    return service(
        name,
        *ports,
        meta={"labels": LABELS, "annotations": annotations, "namespace": namespace, **meta},
    )


def ready(name: str, **conditions: Any) -> dict[str, Any]:
    conditions = conditions or {"ready": True}
    return endpoint_slice(f"{name}-x", name, [address("10.0.0.1", **conditions)], [port(8321)])


def selector(**more: Any) -> dict[str, Any]:
    return {"type": "serviceSelector", "serviceSelector": {"matchLabels": LABELS, **more}}


def llama(**more: Any) -> dict[str, Any]:
    return {"type": "llamastack", "llamastack": {"matchLabels": LABELS, **more}}


SHORT = {"type": "llamastack", "discoveryLabels": LABELS}


def test_every_matching_service_gives_a_target_sorted_and_named_after_it() -> None:
    result = resolved(selector(), [labelled("b", port(80)), labelled("a", port(81)), service("c")])
    assert [(target.suffix, target.url) for target in result.targets] == [
        ("a", "http://a.ml.svc.cluster.local:81"),
        ("b", "http://b.ml.svc.cluster.local:80"),
    ]


def test_no_match_is_reported() -> None:
    assert unresolved(selector()).reason == "NoMatch"
    gone = labelled("a", port(80), deletionTimestamp=DELETED)
    assert unresolved(selector(), [gone]).reason == "NoMatch"


def test_the_routers_own_service_is_no_backend_of_it() -> None:
    own = labelled("router", port(8801), ownerReferences=[{"uid": ROUTER_UID}])
    assert unresolved(selector(), [own]).reason == "NoMatch"


def test_match_expressions_select_too() -> None:
    expression = {"key": "app", "operator": "In", "values": ["llama-stack", "other"]}
    backend = {"type": "serviceSelector", "serviceSelector": {"matchExpressions": [expression]}}
    assert urls(backend, [labelled("a", port(80))]) == ["http://a.ml.svc.cluster.local:80"]


@pytest.mark.parametrize(
    ("expression", "field"),
    [
        ({"operator": "Exists"}, "key"),
        ({"key": "app", "operator": "Equals", "values": ["x"]}, "operator"),
        ({"key": "app", "operator": "In"}, "values"),
        ({"key": "app", "operator": "Exists", "values": ["x"]}, "values"),
    ],
)
def test_a_malformed_requirement_is_invalid_with_its_path(
    expression: dict[str, Any], field: str
) -> None:
    result = unresolved(selector(matchExpressions=[expression]))
    assert result.reason == "Invalid"
    path = f"spec.vllmEndpoints[0].backend.serviceSelector.matchExpressions[0].{field}: "
    assert result.message.startswith(path)


@pytest.mark.parametrize(
    "backend",
    [
        {"type": "serviceSelector", "serviceSelector": {}},
        {"type": "llamastack", "llamastack": {}},
        {"type": "llamastack", "llamastack": {"matchLabels": {}, "port": 8321}},
    ],
)
def test_ls_01_an_empty_selector_is_refused_instead_of_matching_everything(
    backend: dict[str, Any],
) -> None:
    result = unresolved(backend, [labelled("a", port(80))])
    assert result.reason == "Invalid"
    assert "empty selector" in result.message


def test_a_service_without_a_usable_port_is_noted_while_others_serve() -> None:
    objects = [labelled("a", port(9090, "metrics")), labelled("b", port(80, "http"))]
    result = resolved(selector(), objects)
    assert [target.suffix for target in result.targets] == ["b"]
    assert reasons(result) == ["PortNotFound"]
    assert "Service ml/a" in result.notes[0].message


def test_no_usable_port_at_all_is_unresolved_and_names_every_service() -> None:
    objects = [labelled("b", port(53, protocol="UDP")), labelled("a", port(9090))]
    result = unresolved(selector(), objects)
    assert result.reason == "PortNotFound"
    assert "Service ml/a" in result.message
    assert "Service ml/b" in result.message


def test_ports_that_can_not_be_told_apart_are_ambiguous() -> None:
    objects = [labelled("a", port(80, "http"), port(8080, "http-alt"))]
    assert unresolved(selector(), objects).reason == "Ambiguous"
    assert urls(selector(port=8080), objects) == ["http://a.ml.svc.cluster.local:8080"]
    assert urls(selector(port="http"), objects) == ["http://a.ml.svc.cluster.local:80"]


def test_the_protocol_of_the_connection_chooses_between_http_and_https() -> None:
    objects = [labelled("a", port(80, "http"), port(443, "https"))]
    assert unresolved(selector(), objects).reason == "Ambiguous"
    found = urls(selector(), objects, connection={"protocol": "https"})
    assert found == ["https://a.ml.svc.cluster.local:443"]


def test_annotations_of_a_discovered_service_fill_what_nothing_else_says() -> None:
    annotations = {
        "vllm.ai/protocol": "https",
        "vllm.ai/base-path": "v1/",
        "vllm.ai/port": "7002",
        "vllm.ai/api-version": "2024-10-21",
        "vllm.ai/chat-path": "/chat",
    }
    one = labelled("a", port(7001, "x"), port(7002, "y"), annotations=annotations)
    (target,) = resolved(selector(), [one]).targets
    assert target == Target(
        "https", "a.ml.svc.cluster.local", 7002, "/v1", "a", "2024-10-21", "/chat"
    )


def test_annotations_have_the_lowest_precedence() -> None:
    annotations = {
        "vllm.ai/protocol": "https",
        "vllm.ai/port": "9000",
        "vllm.ai/base-path": "/annotated",
    }
    one = labelled("a", port(80, "http"), port(9000, "x"), annotations=annotations)
    found = urls(selector(), [one], connection={"basePath": "/v1"})
    assert found == ["http://a.ml.svc.cluster.local:80/v1"]


def test_a_bad_annotation_is_noted_and_ignored() -> None:
    annotations = {
        "vllm.ai/protocol": "gopher",
        "vllm.ai/port": "0",
        "vllm.ai/base-path": "/a?b",
        "vllm.ai/chat-path": "",
        "vllm.ai/api-version": "a b",
    }
    result = resolved(selector(), [labelled("a", port(80), annotations=annotations)])
    assert reasons(result) == ["BadAnnotation"] * 5
    assert [target.url for target in result.targets] == ["http://a.ml.svc.cluster.local:80"]


def test_a_list_that_can_not_be_had_is_uncertain() -> None:
    known = (Target("http", "a.ml.svc.cluster.local", 80, suffix="a"),)
    for backend in (selector(), llama()):
        forbidden = unresolved(backend, FakeView(forbidden=["Service"]))
        assert (forbidden.reason, forbidden.uncertain) == ("Forbidden", True)
        silent = unresolved(backend, FakeView(silent=["Service"]), last_known=known)
        assert (silent.reason, silent.last_known) == ("Unreachable", known)


def test_one_service_that_can_not_be_asked_about_makes_the_whole_answer_uncertain() -> None:
    headless = labelled("b", port(80, "http", targetPort="web"))
    headless["spec"]["clusterIP"] = "None"
    view = FakeView([labelled("a", port(80)), headless], silent=["EndpointSlice"])
    assert unresolved(selector(), view).uncertain


def test_selected_services_of_another_namespace_get_no_credential() -> None:
    there = labelled("a", port(8321), namespace="models")
    for backend in (selector(namespace="models"), llama(namespace="models")):
        for more in ({"connection": SECRET}, {"policy": DiscoveryPolicy(cross_namespace=False)}):
            assert unresolved(backend, [there], **more).reason == "Invalid"


def test_ls_01_ready_services_fan_out_and_the_rest_is_named() -> None:
    objects = [
        labelled("b-service", port(8321)),
        ready("b-service"),
        labelled("a-metrics", port(9090)),
        ready("a-metrics"),
        labelled("a-service", port(8321)),
        ready("a-service", ready=False),
        labelled("c-gone", port(8321), deletionTimestamp=DELETED),
        ready("c-gone"),
        labelled("d-else", port(8321), namespace="other"),
    ]
    for order in (objects, objects[::-1]):
        result = resolved(llama(), order)
        assert [target.url for target in result.targets] == [
            "http://b-service.ml.svc.cluster.local:8321"
        ]
        assert result.targets[0].suffix == "b-service"
        assert reasons(result) == ["NoReadyEndpoints", "PortNotFound"]
        assert resolved(SHORT, order).targets == result.targets


def test_ls_01_several_servers_give_one_target_each() -> None:
    objects = [labelled("b", port(8321)), labelled("a", port(8321)), ready("a"), ready("b")]
    assert [target.suffix for target in resolved(llama(), objects).targets] == ["a", "b"]


def test_ls_01_none_ready_is_no_ready_endpoints() -> None:
    objects = [labelled("a", port(8321)), ready("a", ready=True, terminating=True)]
    assert unresolved(llama(), objects).reason == "NoReadyEndpoints"


def test_a_server_whose_slices_can_not_be_listed_is_kept() -> None:
    view = FakeView([labelled("a", port(8321))], forbidden=["EndpointSlice"])
    assert urls(llama(), view) == ["http://a.ml.svc.cluster.local:8321"]


@pytest.mark.parametrize(
    ("ports", "expected"),
    [
        ([port(9090, "metrics"), port(8321, "http")], "http://a.ml.svc.cluster.local:8321"),
        ([port(8321)], "http://a.ml.svc.cluster.local:8321"),
        ([port(9000, "x"), port(8321, "y")], "http://a.ml.svc.cluster.local:8321"),
        ([port(9000, "x"), port(5001, "llama-api")], "http://a.ml.svc.cluster.local:5001"),
        (
            [port(9000, "x"), port(443, "web", appProtocol="https")],
            "https://a.ml.svc.cluster.local:443",
        ),
        ([port(443, "https"), port(9000, "x")], "https://a.ml.svc.cluster.local:443"),
        ([port(80, "http"), port(8321, "llama")], "http://a.ml.svc.cluster.local:8321"),
        ([port(7000, "x")], "http://a.ml.svc.cluster.local:7000"),
    ],
)
def test_ls_02_the_port_is_known_by_name_app_protocol_or_number_never_by_place(
    ports: list[dict[str, Any]], expected: str
) -> None:
    for order in (ports, ports[::-1]):
        assert urls(llama(), [labelled("a", *order), ready("a")]) == [expected]


def test_ls_02_unknown_ports_are_ambiguous_not_guessed() -> None:
    objects = [labelled("a", port(7000, "x"), port(7001, "y")), ready("a")]
    assert unresolved(llama(), objects).reason == "Ambiguous"


def test_ls_02_the_api_root_is_an_explicit_setting() -> None:
    objects = [labelled("a", port(8321)), ready("a")]
    assert urls(llama(basePath="v1/openai/v1/"), objects) == [
        "http://a.ml.svc.cluster.local:8321/v1/openai/v1"
    ]
    result = unresolved(llama(basePath="/v1?x"), objects)
    assert result.message.startswith("spec.vllmEndpoints[0].backend.llamastack.basePath: ")


def test_ls_03_the_target_follows_the_labels_to_the_new_service() -> None:
    old = [labelled("old", port(8321), deletionTimestamp=DELETED), ready("old")]
    new = [labelled("new", port(8321)), ready("new")]
    assert urls(llama(), [*old, *new]) == ["http://new.ml.svc.cluster.local:8321"]
    assert urls(llama(), new) == ["http://new.ml.svc.cluster.local:8321"]


def test_ds_02_a_lost_label_removes_the_target_at_once() -> None:
    kept, lost = labelled("a", port(80)), labelled("b", port(80))
    assert len(resolved(selector(), [kept, lost]).targets) == 2
    lost["metadata"]["labels"] = {"app": "else"}
    assert [target.suffix for target in resolved(selector(), [kept, lost]).targets] == ["a"]
