"""What KServe's controller says, takes back and says late (backend.type kserve)."""

from collections.abc import Iterator
from typing import Any

import pytest

from cluster.live_api import LiveApi, crds
from cluster.live_kinds import (
    CRDS,
    INFERENCE_SERVICE,
    LLM_INFERENCE_SERVICE,
    LiveKind,
    inference_service,
    kserve_status,
)
from cluster.live_objects import Kube, Object
from cluster.live_routers import Live, endpoint, said, service

BOTH = pytest.mark.parametrize(
    "kind", [INFERENCE_SERVICE, LLM_INFERENCE_SERVICE], ids=lambda kind: kind.id
)


@pytest.fixture(scope="module", autouse=True)
def kserve(kube: Kube) -> Iterator[None]:
    with crds(LiveApi(kube), *CRDS):
        yield


def says(here: Live, kind: LiveKind, url: str | None, **more: Any) -> None:
    """KServe writes the status."""
    here.patch(kind.main[0], "m", kserve_status(url, **more), sub="status")


def address_of(here: Live, name: str) -> str:
    return f"http://{name}.{here.namespace}.svc.cluster.local"


def resolved(here: Live, kind: LiveKind) -> str:
    """A backend that serves; its target."""
    kind.make(here, here.namespace)
    here.route(kind.endpoint())
    here.resolved("b", kind.target(here.namespace))
    return kind.target(here.namespace)


@BOTH
def test_ks_03_readiness_that_comes_and_goes_is_followed_in_kserves_words(
    here: Live, kind: LiveKind
) -> None:
    target = resolved(here, kind)
    generation = here.deployment_generation()
    for status in ("False", "Unknown"):
        says(here, kind, target, ready=status)
        here.unresolved("b", "NotReady", "is not ready (Said: so says KServe)")
        assert here.refs("m") == []
        says(here, kind, target)
        here.resolved("b", target)
        assert here.refs("m") == kind.refs(here.namespace)
    assert here.deployment_generation() == generation


@BOTH
def test_ks_03_a_status_that_lags_behind_the_spec_keeps_the_last_known_target(
    here: Live, kind: LiveKind
) -> None:
    target = resolved(here, kind)
    before = here.document()
    here.patch(kind.main[0], "m", {"spec": {"model": "another"}})
    found = here.unresolved("b", "NotReady", "KServe has not looked at it yet")
    assert "the last known targets are kept" in said(found)
    assert [item["url"] for item in found["targets"]] == [target]
    assert here.document() == before
    says(here, kind, target, observed=2)
    here.resolved("b", target)
    assert here.document() == before


@BOTH
def test_ks_03_a_status_that_comes_in_pieces_is_believed_only_when_it_is_whole(
    here: Live, kind: LiveKind
) -> None:
    target = kind.target(here.namespace)
    here.route(kind.endpoint())
    here.unresolved("b", "NotFound", "for an ")
    kind.make(here, here.namespace)
    here.resolved("b", target)
    here.delete(*kind.main)
    here.unresolved("b", "NotFound")
    here.apply(inference_service("m", here.namespace, kind=kind.main[0]))
    here.unresolved("b", "NotReady", "is not ready")
    says(here, kind, None)
    here.unresolved("b", "NotReady", "has no URL in its status yet")
    assert here.refs("m") == []
    says(here, kind, target)
    here.resolved("b", target)


@BOTH
def test_ks_06_a_name_that_only_the_other_kind_has_is_said(here: Live, kind: LiveKind) -> None:
    other = LLM_INFERENCE_SERVICE if kind is INFERENCE_SERVICE else INFERENCE_SERVICE
    other.make(here, here.namespace)
    here.route(kind.endpoint())
    here.unresolved("b", "NotFound", f"for an {other.main[0]} set kserve.kind")


def test_an_address_that_moves_is_followed(here: Live) -> None:
    resolved(here, INFERENCE_SERVICE)
    here.apply(service("new", {"name": "http", "port": 8080}))
    says(here, INFERENCE_SERVICE, address_of(here, "new"))
    here.resolved("b", f"{address_of(here, 'new')}:8080")
    assert [ref["endpoint"] for ref in here.refs("m")] == [
        f"new.{here.namespace}.svc.cluster.local:8080"
    ]


def test_ks_04_port_and_protocol_follow_the_service_behind_it(here: Live) -> None:
    target = resolved(here, INFERENCE_SERVICE)
    here.apply(service("m-svc", {"name": "https", "port": 8443}))
    here.resolved("b", f"https://m-svc.{here.namespace}.svc.cluster.local:8443")
    assert [ref["protocol"] for ref in here.refs("m")] == ["https"]
    here.apply(service("m-svc", {"name": "http", "port": 80}))
    here.resolved("b", target)


def predictor(name: str, *ports: Object, component: str = "predictor") -> Object:
    labels = {"serving.kserve.io/inferenceservice": "m", "component": component}
    return service(name, *(ports or ({"name": "http", "port": 80},)), metadata={"labels": labels})


def test_ks_02_an_address_without_a_service_gives_way_to_the_predictor(here: Live) -> None:
    resolved(here, INFERENCE_SERVICE)
    here.delete("Service", "m-svc")
    here.unresolved("b", "NotFound", f"Service {here.namespace}/m-svc, which does not exist")
    here.apply(predictor("m-x1y2z3"))
    found = here.resolved("b", f"{address_of(here, 'm-x1y2z3')}:80")
    assert f"Service {here.namespace}/m-x1y2z3 is used instead" in said(found)
    here.apply(predictor("m-t", component="transformer"))
    here.patch("InferenceService", "m", {"spec": {"transformer": {"containers": []}}})
    says(here, INFERENCE_SERVICE, address_of(here, "m-svc"), observed=2)
    here.resolved("b", f"{address_of(here, 'm-t')}:80")
    here.apply(service("m-svc", {"name": "http", "port": 80}))
    here.resolved("b", INFERENCE_SERVICE.target(here.namespace))


def test_ks_04_authentication_that_is_switched_on_moves_to_the_https_port(here: Live) -> None:
    target = resolved(here, INFERENCE_SERVICE)
    ports = ({"name": "http", "port": 80}, {"name": "https", "port": 8443})
    here.apply(service("m-svc", *ports))
    here.resolved("b", target)
    auth = {"metadata": {"annotations": {"security.opendatahub.io/enable-auth": "true"}}}
    here.patch("InferenceService", "m", auth)
    found = here.resolved("b", f"https://m-svc.{here.namespace}.svc.cluster.local:8443")
    assert "asks for a token and none is configured" in said(found)


def test_port_and_protocol_of_the_cr_win(here: Live) -> None:
    ports = ({"name": "http", "port": 80}, {"name": "api", "port": 9000})
    INFERENCE_SERVICE.make(here, here.namespace)
    here.apply(service("m-svc", *ports))
    backend = {"name": "m", "port": 9000, "protocol": "https"}
    here.route(endpoint({"type": "kserve", "kserve": backend}))
    here.resolved("b", f"https://m-svc.{here.namespace}.svc.cluster.local:9000")


def test_the_go_operators_spelling_of_an_inference_service_is_understood(here: Live) -> None:
    INFERENCE_SERVICE.make(here, here.namespace)
    here.route(endpoint({"type": "kserve", "inferenceServiceName": "m"}))
    here.resolved("b", INFERENCE_SERVICE.target(here.namespace))
    assert here.refs("m") == INFERENCE_SERVICE.refs(here.namespace)
