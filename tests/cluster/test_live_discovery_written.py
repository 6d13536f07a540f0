"""Backends that the router itself states in full: endpoint, url, provider. Nothing is looked up."""

import pytest

from cluster.live_objects import Object
from cluster.live_routers import Live, endpoint

KEY = {"auth": {"secretKeyRef": {"name": "key", "key": "token"}}}


def by_endpoint(value: object) -> Object:
    return {"type": "endpoint", "endpoint": value}


def by_url(url: str) -> Object:
    return {"type": "url", "url": url}


def by_provider(kind: str, **base: str) -> Object:
    return {"type": "provider", "provider": {"type": kind, **base}}


@pytest.mark.parametrize(
    ("backend", "target", "ref"),
    [
        (
            by_endpoint("models.example.com:8000"),
            "http://models.example.com:8000",
            {"endpoint": "models.example.com:8000", "protocol": "http"},
        ),
        (
            by_endpoint({"host": "FD00::0001", "port": 8000}),
            "http://[fd00::1]:8000",
            {"endpoint": "[fd00::1]:8000", "protocol": "http"},
        ),
        (
            by_endpoint("vllm:8000"),
            "http://vllm.{ns}.svc.cluster.local:8000",
            {"endpoint": "vllm.{ns}.svc.cluster.local:8000", "protocol": "http"},
        ),
        (
            by_url("https://models.example.com"),
            "https://models.example.com",
            {"endpoint": "models.example.com:443", "protocol": "https"},
        ),
        (
            by_url("https://models.example.com:8443/v1/"),
            "https://models.example.com:8443/v1",
            {"base_url": "https://models.example.com:8443/v1", "provider": "openai"},
        ),
        (
            by_provider("openai"),
            "https://api.openai.com/v1",
            {"base_url": "https://api.openai.com/v1", "provider": "openai"},
        ),
        (
            by_provider("anthropic"),
            "https://api.anthropic.com",
            {"base_url": "https://api.anthropic.com", "provider": "anthropic"},
        ),
        (
            by_provider("azure-openai", baseURL="https://x.openai.azure.com"),
            "https://x.openai.azure.com",
            {"base_url": "https://x.openai.azure.com", "provider": "azure-openai"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_stated_is_written_exactly(
    here: Live, backend: Object, target: str, ref: Object
) -> None:
    here.route(endpoint(backend))
    here.resolved("b", target.format(ns=here.namespace))
    text = {key: value.format(ns=here.namespace) for key, value in ref.items()}
    assert here.refs("m") == [{"name": "b", **text, "weight": 1}]


@pytest.mark.parametrize(
    ("before", "after", "target"),
    [
        (
            by_endpoint("a.example.com:8000"),
            by_endpoint("b.example.com:9000"),
            "http://b.example.com:9000",
        ),
        (by_url("https://a.example.com"), by_url("http://b.example.com/v1"), None),
        (
            by_provider("openai"),
            by_provider("openai", baseURL="https://proxy.example.com/v1"),
            "https://proxy.example.com/v1",
        ),
    ],
    ids=["endpoint", "url", "provider"],
)
def test_an_edit_is_followed_and_no_pod_is_rolled(
    here: Live, before: Object, after: Object, target: str | None
) -> None:
    here.route(endpoint(before))
    here.until(lambda found: found.get("state") == "Resolved", "b", "b to be Resolved")
    generation = here.deployment_generation()
    here.route(endpoint(after))
    here.resolved("b", target or after["url"])
    assert len(here.refs("m")) == 1
    here.route()
    here.until(lambda found: not found, "b", "b to be gone")
    assert here.refs("m") == []
    assert here.deployment_generation() == generation


@pytest.mark.parametrize(
    ("backend", "why"),
    [
        (by_endpoint("http://models.example.com:8000"), "use type url"),
        (by_endpoint("1.2.3:8000"), "looks like an IPv4 address and is none"),
        (by_url("https://user:word@models.example.com"), "a URL here has no user info"),
        (by_url("ftp://models.example.com"), "the scheme is neither http nor https"),
        (by_url("https://10.0.0.1"), "the router refuses https to an IP address"),
        (by_provider("bedrock"), "type bedrock has no fixed address; give baseURL"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_leads_nowhere_is_refused_with_its_path_until_it_is_corrected(
    here: Live, backend: Object, why: str
) -> None:
    here.route(endpoint(backend))
    found = here.unresolved("b", "Invalid", why)
    assert found["message"].startswith("spec.vllmEndpoints[1].backend.")
    assert "word" not in found["message"]
    assert here.refs("m") == []
    here.route(endpoint(by_endpoint("models.example.com:8000")))
    here.resolved("b", "http://models.example.com:8000")


@pytest.mark.parametrize("kind", ["endpoint", "url", "provider"])
def test_a_credential_goes_to_no_service_of_another_namespace(here: Live, kind: str) -> None:
    def reaching(namespace: str) -> Object:
        host = f"vllm.{namespace}.svc.cluster.local"
        return {
            "endpoint": by_endpoint(f"{host}:8000"),
            "url": by_url(f"http://{host}:8000"),
            "provider": by_provider("openai", baseURL=f"http://{host}:8000/v1"),
        }[kind]

    here.route(endpoint(reaching("elsewhere"), connection=KEY))
    why = "a backend with a credential must be in the router's own namespace"
    here.unresolved("b", "Invalid", why)
    assert here.refs("m") == []
    here.route(endpoint(reaching(here.namespace), connection=KEY))
    here.until(lambda found: found["state"] == "Resolved", "b", "b to be Resolved")
    (ref,) = here.refs("m")
    assert ref["api_key_env"].startswith("VSR_KEY_M_")
    here.route(endpoint(reaching("elsewhere")))
    here.until(lambda found: "elsewhere" in str(found.get("targets")), "b", "no credential, so yes")
