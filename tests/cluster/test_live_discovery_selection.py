"""Services that labels select: serviceSelector and llamastack."""

import pytest

from cluster.live_kinds import LABELS, LLAMA_STACK, SELECTOR, LiveKind
from cluster.live_objects import Object
from cluster.live_routers import Live, address, endpoint, endpoint_slice, said, service

BOTH = pytest.mark.parametrize("kind", [SELECTOR, LLAMA_STACK], ids=lambda kind: kind.id)


def url(here: Live, name: str, port: int = 8321, *, scheme: str = "http", path: str = "") -> str:
    return f"{scheme}://{name}.{here.namespace}.svc.cluster.local:{port}{path}"


def server(here: Live, name: str, *ports: Object, **annotations: str) -> None:
    """A Service with the labels and a ready endpoint."""
    here.apply(
        endpoint_slice(f"{name}-1", name, address("10.20.0.1")),
        service(
            name,
            *(ports or ({"name": "http", "port": 8321},)),
            metadata={"labels": LABELS, "annotations": annotations},
        ),
    )


def label(here: Live, name: str, value: str | None) -> None:
    here.patch("Service", name, {"metadata": {"labels": {"serves": value}}})


@BOTH
def test_a_label_that_is_lost_or_gained_is_followed(here: Live, kind: LiveKind) -> None:
    server(here, "m")
    here.route(kind.endpoint())
    here.resolved("b", url(here, "m"))
    generation = here.deployment_generation()
    label(here, "m", None)
    here.unresolved("b", "NoMatch")
    assert here.refs("m") == []
    label(here, "m", "m")
    here.resolved("b", url(here, "m"))
    label(here, "m", "another")
    here.unresolved("b", "NoMatch")
    label(here, "m", "m")
    here.resolved("b", url(here, "m"))
    assert here.deployment_generation() == generation


@BOTH
def test_each_service_that_joins_or_leaves_is_one_ref_in_the_order_of_names(
    here: Live, kind: LiveKind
) -> None:
    server(here, "m2")
    here.route(kind.endpoint())
    here.resolved("b", url(here, "m2"))
    server(here, "m1")
    here.resolved("b", url(here, "m1"), url(here, "m2"))
    server(here, "m3")
    here.resolved("b", url(here, "m1"), url(here, "m2"), url(here, "m3"))
    assert [ref["name"] for ref in here.refs("m")] == ["b-m1", "b-m2", "b-m3"]
    assert len({ref["endpoint"] for ref in here.refs("m")}) == 3
    here.delete("Service", "m2")
    here.resolved("b", url(here, "m1"), url(here, "m3"))
    assert [ref["name"] for ref in here.refs("m")] == ["b-m1", "b-m3"]


@BOTH
def test_the_annotations_of_a_found_service_are_followed(here: Live, kind: LiveKind) -> None:
    server(here, "m", {"name": "api", "port": 8321})
    here.route(kind.endpoint())
    here.resolved("b", url(here, "m"))

    def annotate(**words: str | None) -> None:
        said = {f"vllm.ai/{key.replace('_', '-')}": word for key, word in words.items()}
        here.patch("Service", "m", {"metadata": {"annotations": said}})

    annotate(base_path="v1/")
    here.resolved("b", url(here, "m", path="/v1"))
    assert here.refs("m") == [
        {"name": "b-m", "base_url": url(here, "m", path="/v1"), "provider": "openai", "weight": 1}
    ]
    annotate(base_path=None, protocol="https")
    here.resolved("b", url(here, "m", scheme="https"))
    annotate(protocol="gopher")
    found = here.resolved("b", url(here, "m"))
    assert "annotation vllm.ai/protocol is ignored" in said(found)
    annotate(protocol=None, chat_path="/chat")
    here.until(lambda now: now["targets"][0].get("chatPath") == "/chat", "b", "the chat path")
    (ref,) = here.refs("m")
    assert (ref["chat_path"], ref["base_url"]) == ("/chat", url(here, "m"))


@BOTH
def test_a_service_without_a_usable_port_is_reported_and_another_serves(
    here: Live, kind: LiveKind
) -> None:
    server(here, "m")
    server(here, "bad", {"name": "metrics", "port": 9090})
    here.route(kind.endpoint())
    found = here.resolved("b", url(here, "m"))
    assert (
        f"Service {here.namespace}/bad has no TCP port that is known to serve" in (found["message"])
    )
    label(here, "m", None)
    here.unresolved("b", "PortNotFound", f"Service {here.namespace}/bad")
    server(here, "bad", {"name": "http", "port": 8080})
    here.resolved("b", url(here, "bad", 8080))


@BOTH
def test_services_that_contradict_each_other_leave_the_live_document_as_it_was(
    here: Live, kind: LiveKind
) -> None:
    server(here, "m1")
    here.route(kind.endpoint())
    here.resolved("b", url(here, "m1"))
    before = here.document()
    server(here, "m2", {"name": "https", "port": 8321})
    here.resolved("b", url(here, "m1"), url(here, "m2", scheme="https"))
    here.condition("ConfigAccepted", "False", "ConflictingModelSettings")
    assert here.document() == before
    server(here, "m2")
    here.condition("ConfigAccepted", "True", "Accepted")
    assert [ref["name"] for ref in here.refs("m")] == ["b-m1", "b-m2"]


def test_expressions_select_as_kubectl_has_it(here: Live) -> None:
    rules = [
        {"key": "serves", "operator": "In", "values": ["m", "n"]},
        {"key": "retired", "operator": "DoesNotExist"},
    ]
    server(here, "m")
    server(here, "n")
    label(here, "n", "n")
    here.route(
        endpoint({"type": "serviceSelector", "serviceSelector": {"matchExpressions": rules}})
    )
    here.resolved("b", url(here, "m"), url(here, "n"))
    here.patch("Service", "n", {"metadata": {"labels": {"retired": "yes"}}})
    here.resolved("b", url(here, "m"))


def test_a_router_never_finds_its_own_service(here: Live) -> None:
    rule = {"matchLabels": {"app.kubernetes.io/name": "semantic-router"}}
    here.route(endpoint({"type": "serviceSelector", "serviceSelector": rule}))
    here.unresolved("b", "NoMatch")
    here.settled()
    assert here.backend("b")["reason"] == "NoMatch"


def test_a_llama_stack_serves_while_one_of_its_pods_is_ready(here: Live) -> None:
    server(here, "m")
    here.route(LLAMA_STACK.endpoint())
    here.resolved("b", url(here, "m"))
    here.apply(endpoint_slice("m-1", "m", address("10.20.0.1", ready=False)))
    here.unresolved("b", "NoReadyEndpoints", f"Service {here.namespace}/m")
    assert here.refs("m") == []
    pods = (address("10.20.0.1", ready=False), address("10.20.0.2"))
    here.apply(endpoint_slice("m-1", "m", *pods))
    here.resolved("b", url(here, "m"))
    server(here, "idle")
    here.apply(endpoint_slice("idle-1", "idle"))
    found = here.until(
        lambda now: "has no ready endpoint and is left out" in said(now), "b", "a remark"
    )
    assert [item["url"] for item in found["targets"]] == [url(here, "m")]


def test_the_go_operators_spelling_of_a_llama_stack_is_understood(here: Live) -> None:
    server(here, "m", {"name": "metrics", "port": 9464}, {"name": "llama", "port": 5000})
    here.route(endpoint({"type": "llamastack", "discoveryLabels": LABELS}))
    here.resolved("b", url(here, "m", 5000))
