from typing import Any

import pytest

from fakes.cluster_objects import DELETED, address, endpoint_slice, port, service
from fakes.cluster_view import FakeView
from fakes.discovering import SECRET, resolved, unresolved, urls
from semantic_router_operator.discovery import DiscoveryPolicy
from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model.resolution import Target

HOST = "vllm-a.ml.svc.cluster.local"


def backend(number: Any = 8000, **more: Any) -> dict[str, Any]:
    return {"type": "service", "service": {"name": "vllm-a", "port": number, **more}}


def test_a_service_is_found_under_its_qualified_name() -> None:
    result = resolved(backend(), [service("vllm-a", port(8000))])
    assert [target.url for target in result.targets] == [f"http://{HOST}:8000"]
    assert str(result.source) == "Service ml/vllm-a"
    assert result.targets[0].suffix == ""


def test_sr_05_the_namespace_is_the_backends_and_the_domain_the_configured_one() -> None:
    there = service("vllm-a", port(8000), meta={"namespace": "models"})
    policy = DiscoveryPolicy(cluster_domain="corp.test")
    assert urls(backend(namespace="models"), [there], policy=policy) == [
        "http://vllm-a.models.svc.corp.test:8000"
    ]


def test_an_absent_service_keeps_the_declared_address() -> None:
    result = unresolved(backend(), connection={"basePath": "/v1"})
    assert (result.reason, result.uncertain) == ("NotFound", False)
    assert result.declared == Target("http", HOST, 8000, "/v1")
    assert result.message == (
        "spec.vllmEndpoints[0].backend.service: Service ml/vllm-a does not exist; create it, or "
        "correct the name and namespace"
    )


def test_a_named_port_of_an_absent_service_declares_no_address() -> None:
    assert unresolved(backend("http")).declared is None


def test_a_service_being_deleted_is_not_found() -> None:
    gone = service("vllm-a", port(8000), meta={"deletionTimestamp": DELETED})
    result = unresolved(backend(), [gone])
    assert result.reason == "NotFound"
    assert "is being deleted" in result.message


@pytest.mark.parametrize(
    ("item", "connection", "expected"),
    [
        (port(8000), {}, "http"),
        (port(8000, "https"), {}, "https"),
        (port(8000, "https-web"), {}, "https"),
        (port(8000, "http-web"), {}, "http"),
        (port(8000, "https", appProtocol="http"), {}, "http"),
        (port(8000, "http", appProtocol="HTTPS"), {}, "https"),
        (port(8000, "http", appProtocol="http"), {"protocol": "https"}, "https"),
        (port(8000, "https", appProtocol="unheard-of"), {}, "https"),
    ],
)
def test_the_protocol_is_the_connections_then_app_protocol_then_the_name_then_http(
    item: dict[str, Any], connection: dict[str, Any], expected: str
) -> None:
    (target,) = resolved(backend(), [service("vllm-a", item)], connection=connection).targets
    assert target.protocol == expected


@pytest.mark.parametrize("value", [0, 65536, -1, "", "Not_A_Name"])
def test_ds_05_a_port_out_of_range_or_shape_is_refused_with_its_path(value: Any) -> None:
    with pytest.raises(InvalidSpec, match=r"^spec\.vllmEndpoints\[0\]\.backend\.service\.port: "):
        unresolved(backend(value), [service("vllm-a", port(8000))])


@pytest.mark.parametrize("value", ["0", "70000", "99999999999"])
def test_ds_05_a_number_in_text_that_is_out_of_range_is_invalid(value: str) -> None:
    result = unresolved(backend(value), [service("vllm-a", port(8000))])
    assert (result.reason, result.declared) == ("Invalid", None)
    assert result.message.startswith("spec.vllmEndpoints[0].backend.service.port: ")


def test_ds_05_a_number_in_text_is_a_number_and_a_name_must_resolve() -> None:
    objects = [service("vllm-a", port(8000, "http"))]
    assert urls(backend("8000"), objects) == [f"http://{HOST}:8000"]
    assert urls(backend("http"), objects) == [f"http://{HOST}:8000"]
    assert unresolved(backend("grpc"), objects).reason == "PortNotFound"


def test_ds_05_a_missing_port_lists_the_ports_there_are() -> None:
    ports = (port(9000, "metrics"), port(80, "http"))
    result = unresolved(backend(), [service("vllm-a", *ports)])
    assert result.reason == "PortNotFound"
    assert "it has http (80/TCP), metrics (9000/TCP)" in result.message
    assert result.declared == Target("http", HOST, 8000)


def test_ds_05_a_udp_port_of_that_number_does_not_count() -> None:
    result = unresolved(backend(), [service("vllm-a", port(8000, "dns", protocol="UDP"))])
    assert result.reason == "PortNotFound"
    assert "8000/UDP" in result.message


def test_ds_05_an_external_name_is_the_host() -> None:
    alias = service("vllm-a", type="ExternalName", externalName="LLM.Example.COM.", clusterIP=None)
    assert urls(backend(443), [alias], connection={"protocol": "https"}) == [
        "https://llm.example.com:443"
    ]


@pytest.mark.parametrize("name", ["", "short", "a_b.example", "1.2.3"])
def test_ds_05_an_external_name_that_is_no_full_host_name_is_invalid(name: str) -> None:
    alias = service("vllm-a", type="ExternalName", externalName=name)
    result = unresolved(backend(443), [alias])
    assert (result.reason, result.declared) == ("Invalid", None)


def test_an_external_name_does_not_lead_a_credential_into_another_namespace() -> None:
    alias = service("vllm-a", type="ExternalName", externalName="vllm.models.svc.cluster.local")
    resolved(backend(80), [alias])
    assert unresolved(backend(80), [alias], connection=SECRET).reason == "Invalid"


def test_ds_05_forbidden_is_forbidden_and_not_absent() -> None:
    result = unresolved(backend(), FakeView(forbidden=["Service"]))
    assert (result.reason, result.uncertain) == ("Forbidden", True)
    assert result.declared == Target("http", HOST, 8000)


def test_an_api_error_keeps_the_last_known_target() -> None:
    known = (Target("https", HOST, 8443),)
    result = unresolved(backend(), FakeView(silent=["Service"]), last_known=known)
    assert (result.reason, result.uncertain, result.last_known) == ("Unreachable", True, known)


def test_a_last_known_target_of_another_object_is_no_answer() -> None:
    known = (Target("http", "other.ml.svc.cluster.local", 8000),)
    view = FakeView(silent=["Service"])
    result = unresolved(backend(), view, last_known=known, source="Service ml/other")
    assert result.last_known == ()


def test_a_certain_answer_forgets_the_last_known_target() -> None:
    known = (Target("https", HOST, 8443),)
    assert unresolved(backend(), last_known=known).last_known == ()


def test_a_last_known_target_of_another_namespace_gets_no_credential() -> None:
    known = (Target("http", "vllm-a.models.svc.cluster.local", 8000),)
    view = FakeView(silent=["Service"])
    assert unresolved(backend(), view, last_known=known).last_known == known
    kept = unresolved(backend(), view, last_known=known, connection=SECRET)
    assert kept.last_known == ()


def test_another_namespace_is_refused_with_a_credential_or_by_policy() -> None:
    there = service("vllm-a", port(8000), meta={"namespace": "models"})
    far = backend(namespace="models")
    resolved(far, [there])
    for more in ({"connection": SECRET}, {"policy": DiscoveryPolicy(cross_namespace=False)}):
        result = unresolved(far, [there], **more)
        assert (result.reason, result.declared) == ("Invalid", None)
        assert result.message.startswith("spec.vllmEndpoints[0].backend.service.namespace: ")
        resolved(backend(namespace="ml"), [service("vllm-a", port(8000))], **more)


@pytest.mark.parametrize("name", ["Vllm", "a.b", "a_b", "a" * 64])
def test_a_name_that_no_service_has_is_invalid(name: str) -> None:
    result = unresolved({"type": "service", "service": {"name": name, "port": 80}})
    assert result.reason == "Invalid"
    assert result.message.startswith("spec.vllmEndpoints[0].backend.service.name: ")


def test_a_headless_service_is_reached_at_its_target_port() -> None:
    item = port(80, "http", targetPort=8000)
    assert urls(backend(80), [service("vllm-a", item, clusterIP="None")]) == [f"http://{HOST}:8000"]
    item = {"port": 80, "protocol": "TCP"}
    assert urls(backend(80), [service("vllm-a", item, clusterIP="None")]) == [f"http://{HOST}:80"]


def test_a_named_target_port_of_a_headless_service_comes_from_its_slices() -> None:
    headless = service("vllm-a", port(80, "web", targetPort="http"), clusterIP="None")
    ready = [address("10.0.0.1", ready=True)]
    pieces = [
        endpoint_slice("a", "vllm-a", ready, [port(8000, "web"), port(9000, "metrics")]),
        endpoint_slice("b", "vllm-a", [address("10.0.0.2", ready=False)], [port(7000, "web")]),
        endpoint_slice("c", "vllm-abc", ready, [port(6000, "web")]),
    ]
    assert urls(backend(80), [headless, *pieces]) == [f"http://{HOST}:8000"]
    assert unresolved(backend(80), [headless]).reason == "NoReadyEndpoints"
    other = endpoint_slice("d", "vllm-a", ready, [port(8001, "web")])
    assert unresolved(backend(80), [headless, *pieces, other]).reason == "Ambiguous"
    silent = FakeView([headless], silent=["EndpointSlice"])
    assert unresolved(backend(80), silent).uncertain
