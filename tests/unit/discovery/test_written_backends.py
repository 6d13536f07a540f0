"""Kinds endpoint, url and provider: nothing is looked up."""

from typing import Any

import pytest

from fakes.cluster_view import FakeView
from fakes.discovering import SECRET, reasons, resolved, unresolved, urls
from semantic_router_operator.discovery import DiscoveryPolicy


def endpoint(value: Any) -> dict[str, Any]:
    return {"type": "endpoint", "endpoint": value}


def url(text: str) -> dict[str, Any]:
    return {"type": "url", "url": text}


def provider(kind: str, base_url: str | None = None) -> dict[str, Any]:
    return {"type": "provider", "provider": {"type": kind, "baseURL": base_url}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"host": "10.0.0.1", "port": 8000}, "http://10.0.0.1:8000"),
        ({"host": "fd00::1", "port": "8000"}, "http://[fd00::1]:8000"),
        ({"host": "[fd00::1]", "port": 8000, "extra": None}, "http://[fd00::1]:8000"),
        ("[fd00:0::1]:8000", "http://[fd00::1]:8000"),
        ("Model.Example:443", "http://model.example:443"),
    ],
)
def test_an_endpoint_is_host_and_port_in_either_form(value: Any, expected: str) -> None:
    assert urls(endpoint(value)) == [expected]


def test_an_endpoint_takes_the_protocol_of_its_connection() -> None:
    found = urls(endpoint("model.example:443"), connection={"protocol": "https"})
    assert found == ["https://model.example:443"]


@pytest.mark.parametrize(
    "value",
    [
        "x.example",
        "x.example:",
        "x.example:0",
        "x.example:99999",
        "fd00::1:8000",
        "u@x.example:80",
        "x_y:80",
        {"host": "x"},
        {"port": 80},
        {"host": "x", "port": 80, "protocol": "https"},
        {"host": "http://x", "port": 80},
        {"host": 5, "port": 80},
        {"host": "x", "port": 80.5},
        {},
    ],
)
def test_a_malformed_endpoint_is_invalid_with_its_path(value: Any) -> None:
    result = unresolved(endpoint(value))
    assert result.reason == "Invalid"
    assert result.message.startswith("spec.vllmEndpoints[0].backend.endpoint: ")


def test_sr_03_a_url_in_endpoint_is_sent_to_type_url() -> None:
    for text in ("http://10.0.0.1:8000/v1", "dashscope.aliyuncs.com/compatible-mode/v1"):
        assert "use type url" in unresolved(endpoint(text)).message


def test_sr_03_a_path_goes_to_the_base_path_and_the_scheme_to_the_protocol() -> None:
    (target,) = resolved(url("http://10.0.0.1:8000/v1")).targets
    assert (target.protocol, target.authority, target.base_path) == ("http", "10.0.0.1:8000", "/v1")


def test_sr_03_a_versioned_root_stays_as_it_is() -> None:
    text = "https://generativelanguage.googleapis.com/v1beta/openai"
    assert urls(provider("gemini", text)) == [text]


def test_sr_03_a_trailing_slash_is_cut() -> None:
    assert urls(provider("openai", "https://x.example/v1/")) == ["https://x.example/v1"]


def test_sr_03_https_without_a_port_keeps_it_out() -> None:
    (target,) = resolved(url("https://dashscope.aliyuncs.com/compatible-mode/v1")).targets
    assert (target.protocol, target.port) == ("https", None)


@pytest.mark.parametrize(
    "text",
    [
        "http://u:hunter2@x.example",
        "http://x.example?k=hunter2",
        "http://x.example#hunter2",
        "s3://hunter2",
    ],
)
def test_sr_03_user_info_query_fragment_and_other_schemes_are_refused(text: str) -> None:
    result = unresolved(url(text))
    assert result.reason == "Invalid"
    assert result.message.startswith("spec.vllmEndpoints[0].backend.url: ")
    assert "hunter2" not in result.message


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("vllm-a", "vllm-a.ml.svc.corp.test"),
        ("vllm-a.models", "vllm-a.models.svc.corp.test"),
        ("vllm-a.models.svc", "vllm-a.models.svc.corp.test"),
        ("vllm-a.models.svc.", "vllm-a.models.svc.corp.test"),
    ],
)
def test_sr_05_short_names_are_qualified_with_the_routers_namespace_and_the_configured_domain(
    host: str, expected: str
) -> None:
    policy = DiscoveryPolicy(cluster_domain="corp.test")
    assert urls(endpoint(f"{host}:8000"), policy=policy) == [f"http://{expected}:8000"]
    assert urls(url(f"http://{host}:8000/v1"), policy=policy) == [f"http://{expected}:8000/v1"]


@pytest.mark.parametrize("host", ["LOCALHOST", "127.0.0.1", "127.8.0.1", "[::1]", "a.localhost"])
def test_sr_05_loopback_gets_a_warning(host: str) -> None:
    result = resolved(endpoint(f"{host}:8000"))
    assert reasons(result) == ["Loopback"]
    assert result.notes[0].message.startswith("spec.vllmEndpoints[0].backend.endpoint: ")


@pytest.mark.parametrize("host", ["1.2.3", "a_b", "a" * 254])
def test_sr_05_what_is_no_host_name_is_refused(host: str) -> None:
    assert unresolved(endpoint(f"{host}:8000")).reason == "Invalid"


def test_a_scheme_that_contradicts_the_connection_is_invalid() -> None:
    result = unresolved(url("http://x.example"), connection={"protocol": "https"})
    assert "contradicts connection.protocol" in result.message


def test_https_to_an_ip_address_is_invalid_because_the_router_refuses_it() -> None:
    assert unresolved(url("https://10.0.0.1/v1")).reason == "Invalid"
    assert (
        unresolved(endpoint("[fd00::1]:443"), connection={"protocol": "https"}).reason == "Invalid"
    )


def test_the_base_path_of_the_connection_wins_over_the_urls() -> None:
    assert urls(url("http://x.example/v1"), connection={"basePath": "api/v2/"}) == [
        "http://x.example/api/v2"
    ]


def test_a_malformed_base_path_is_invalid_with_its_path() -> None:
    result = unresolved(url("http://x.example"), connection={"basePath": "/v1?x"})
    assert result.message.startswith("spec.vllmEndpoints[0].connection.basePath: ")


def test_openai_and_anthropic_have_a_fixed_address() -> None:
    assert urls(provider("openai")) == ["https://api.openai.com/v1"]
    assert urls(provider("anthropic")) == ["https://api.anthropic.com"]


@pytest.mark.parametrize(
    "kind", ["azure-openai", "bedrock", "gemini", "vertex-ai", "minimax", "vllm"]
)
def test_other_providers_need_a_base_url(kind: str) -> None:
    result = unresolved(provider(kind))
    assert result.reason == "Invalid"
    assert result.message.startswith("spec.vllmEndpoints[0].backend.provider.baseURL: ")


def test_a_malformed_base_url_of_a_provider_is_invalid_with_its_path() -> None:
    result = unresolved(provider("openai", "x.example"))
    assert result.message.startswith("spec.vllmEndpoints[0].backend.provider.baseURL: ")


def test_a_service_of_another_namespace_gets_no_credential_whatever_the_kind() -> None:
    for backend in (
        endpoint("vllm-a.models:8000"),
        url("http://vllm-a.models.svc/v1"),
        provider("openai", "http://vllm-a.models.svc.cluster.local/v1"),
    ):
        assert unresolved(backend, connection=SECRET).reason == "Invalid"
        off = DiscoveryPolicy(cross_namespace=False)
        assert unresolved(backend, policy=off).reason == "Invalid"
        resolved(backend)


def test_a_credential_may_go_outside_and_to_the_own_namespace() -> None:
    resolved(url("https://api.example.com/v1"), connection=SECRET)
    resolved(url("https://vllm-a.ml/v1"), connection=SECRET)


def test_written_backends_ask_the_cluster_nothing() -> None:
    view = FakeView()
    for backend in (endpoint("vllm-a:80"), url("http://vllm-a/v1"), provider("openai")):
        resolved(backend, view)
    assert view.asked == []
