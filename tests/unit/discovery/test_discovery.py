"""What all kinds share: dispatch, spellings, the Gateway, order."""

from typing import Any

import pytest

from fakes.cluster_objects import DELETED, gateway, inference_service, port, service
from fakes.cluster_view import FakeView
from fakes.discovering import entry, reasons, resolved, router_body, unresolved
from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.resolution import (
    Discovery,
    GatewayFound,
    GatewayMissing,
    Resolved,
    Unresolved,
)

SERVICE = {"name": "vllm-a", "port": 8000}
VLLM_A = service("vllm-a", port(8000))


def run(body: dict[str, Any], view: FakeView) -> Discovery:
    return discover(parse(body), view, policy=DiscoveryPolicy(), last_known={})


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("service", "service"),
        ("serviceSelector", "serviceSelector"),
        ("endpointslice", "endpointSlice"),
        ("kserve", "kserve"),
        ("llamastack", "llamastack"),
        ("endpoint", "endpoint"),
        ("url", "url"),
        ("provider", "provider"),
    ],
)
def test_a_type_without_its_field_is_invalid_with_the_path_of_the_field(
    kind: str, field: str
) -> None:
    result = unresolved({"type": kind})
    assert result.reason == "Invalid"
    assert result.message == (
        f"spec.vllmEndpoints[0].backend.{field}: type {kind} needs this field"
    )


def test_a_field_of_another_type_is_invalid_with_its_path() -> None:
    result = unresolved(
        {"type": "service", "service": SERVICE, "url": "http://x.example"}, [VLLM_A]
    )
    assert result.reason == "Invalid"
    assert result.message.startswith("spec.vllmEndpoints[0].backend.url: ")
    assert "change backend.type" in result.message


def test_a_field_that_the_go_operator_ignores_is_noted() -> None:
    backend = {"type": "service", "service": SERVICE, "discoveryLabels": {"app": "x"}}
    result = resolved(backend, [VLLM_A])
    assert reasons(result) == ["IgnoredField"]
    assert result.notes[0].message.startswith("spec.vllmEndpoints[0].backend.discoveryLabels: ")


def test_an_empty_field_of_the_go_operator_counts_as_absent() -> None:
    backend = {
        "type": "service",
        "service": SERVICE,
        "discoveryLabels": {},
        "inferenceServiceName": "",
    }
    assert resolved(backend, [VLLM_A]).notes == ()


def test_two_spellings_of_one_thing_must_agree() -> None:
    name = {"type": "kserve", "kserve": {"name": "a"}, "inferenceServiceName": "b"}
    result = unresolved(name)
    assert result.reason == "Invalid"
    assert result.message.startswith("spec.vllmEndpoints[0].backend.inferenceServiceName: ")
    labels = {
        "type": "llamastack",
        "llamastack": {"matchLabels": {"a": "b"}},
        "discoveryLabels": {"a": "c"},
    }
    assert unresolved(labels).reason == "Invalid"


def test_labels_in_the_short_form_and_settings_in_the_long_one_go_together() -> None:
    backend = {
        "type": "llamastack",
        "llamastack": {"basePath": "/v1"},
        "discoveryLabels": {"app": "x"},
    }
    view = FakeView(
        [service("a", port(8321), meta={"labels": {"app": "x"}})], forbidden=["EndpointSlice"]
    )
    (target,) = resolved(backend, view).targets
    assert target.url == "http://a.ml.svc.cluster.local:8321/v1"


def test_every_entry_has_its_resolution_in_the_order_written() -> None:
    entries = [
        {**entry({"type": "service", "service": {"name": name, "port": 8000}}), "name": name}
        for name in ("missing", "vllm-a")
    ]
    found = run(router_body(*entries), FakeView([VLLM_A]))
    assert [type(item) for item in found.endpoints] == [Unresolved, Resolved]
    assert found.gateway is None


def test_a_message_names_the_index_of_its_entry() -> None:
    entries = [entry({"type": "service", "service": SERVICE})] * 3
    found = run(router_body(*entries), FakeView())
    messages = [item.message for item in found.endpoints if isinstance(item, Unresolved)]
    for index, message in enumerate(messages):
        assert message.startswith(f"spec.vllmEndpoints[{index}].backend.service: ")


def test_a_router_without_endpoints_discovers_nothing_and_asks_nothing() -> None:
    view = FakeView()
    assert run(router_body(), view) == Discovery()
    assert view.asked == []


def test_ks_06_a_missing_kind_does_not_stop_the_other_backends() -> None:
    entries = [
        entry({"type": "kserve", "inferenceServiceName": "mnist"}),
        entry({"type": "service", "service": SERVICE}),
    ]
    found = run(router_body(*entries), FakeView([VLLM_A], not_installed=["InferenceService"]))
    assert [type(item) for item in found.endpoints] == [Unresolved, Resolved]


def test_ks_06_a_kind_that_is_installed_later_is_picked_up() -> None:
    body = router_body(entry({"type": "kserve", "inferenceServiceName": "mnist"}))
    status = {"address": {"url": "http://mnist.ml.svc.cluster.local"}}
    objects = [inference_service("mnist", status=status), service("mnist", port(80))]
    before = run(body, FakeView(not_installed=["InferenceService"]))
    assert isinstance(before.endpoints[0], Unresolved)
    assert isinstance(run(body, FakeView(objects)).endpoints[0], Resolved)


GATEWAY = {"existingRef": {"name": "gw", "namespace": "infra"}}


def test_the_gateway_that_exists_is_found() -> None:
    found = run(router_body(gateway=GATEWAY), FakeView([gateway("gw")]))
    assert found.gateway == GatewayFound()


@pytest.mark.parametrize(
    ("view", "reason", "uncertain"),
    [
        (FakeView(), "GatewayNotFound", False),
        (FakeView([gateway("gw", deletionTimestamp=DELETED)]), "GatewayNotFound", False),
        (FakeView([gateway("gw", "other")]), "GatewayNotFound", False),
        (FakeView(not_installed=["Gateway"]), "KindNotInstalled", False),
        (FakeView(forbidden=["Gateway"]), "Forbidden", True),
        (FakeView(silent=["Gateway"]), "Unreachable", True),
    ],
)
def test_a_gateway_that_is_not_there_is_missing_with_a_reason(
    view: FakeView,
    reason: str,
    uncertain: bool,  # noqa: FBT001
) -> None:
    found = run(router_body(gateway=GATEWAY), view).gateway
    assert isinstance(found, GatewayMissing)
    assert (found.reason, found.uncertain) == (reason, uncertain)
    assert found.message.startswith("spec.gateway.existingRef: ")
    assert "Gateway infra/gw" in found.message
