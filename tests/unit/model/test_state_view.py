from typing import TYPE_CHECKING

from fakes.cluster_objects import endpoint_slice, gateway, inference_service, port, service
from semantic_router_operator.model.facts import (
    Absent,
    GatewayFacts,
    KindNotInstalled,
    LabelQuery,
    ServiceFacts,
)
from semantic_router_operator.model.state_view import StateView

if TYPE_CHECKING:
    from semantic_router_operator.ports import ClusterView


def test_a_state_view_is_a_cluster_view() -> None:
    view: ClusterView = StateView([service("a", port(80)), gateway("gw")])
    assert isinstance(view.service("ml", "a"), ServiceFacts)
    assert isinstance(view.gateway("infra", "gw"), GatewayFacts)


def test_a_kind_that_does_not_occur_is_installed_and_absent() -> None:
    view = StateView([])
    query = LabelQuery({"a": "b"})
    assert view.service("ml", "a") == Absent()
    assert view.services("ml", query) == []
    assert view.endpoint_slices("ml", query) == []
    assert view.inference_service("InferenceService", "ml", "a") == Absent()
    assert view.gateway("ml", "a") == Absent()


def test_a_kind_can_be_said_not_to_be_installed() -> None:
    view = StateView([], not_installed=frozenset({"InferenceService", "EndpointSlice"}))
    missing = view.inference_service("InferenceService", "ml", "a")
    assert missing == KindNotInstalled("InferenceService")
    query = LabelQuery({"a": "b"})
    assert view.endpoint_slices("ml", query) == KindNotInstalled("EndpointSlice")
    assert view.inference_service("LLMInferenceService", "ml", "a") == Absent()


def test_lists_are_opened() -> None:
    listing = {"apiVersion": "v1", "kind": "List", "items": [service("a", port(80))]}
    assert isinstance(StateView([listing]).service("ml", "a"), ServiceFacts)


def test_a_kind_of_the_same_name_in_another_group_is_something_else() -> None:
    knative = {**service("a", port(80)), "apiVersion": "serving.knative.dev/v1"}
    istio = {**gateway("gw"), "apiVersion": "networking.istio.io/v1"}
    view = StateView([knative, istio, {"kind": "Secret"}, {}])
    assert view.service("ml", "a") == Absent()
    assert view.gateway("infra", "gw") == Absent()


def test_lists_are_by_namespace_and_label() -> None:
    labels = {"labels": {"app": "x"}}
    objects = [
        service("a", meta=labels),
        service("b"),
        service("c", meta={**labels, "namespace": "other"}),
        endpoint_slice("s", "a", [], []),
    ]
    view = StateView(objects)
    found = view.services("ml", LabelQuery({"app": "x"}))
    assert not isinstance(found, KindNotInstalled)
    assert [getattr(item, "name", "") for item in _sequence(found)] == ["a"]
    slices = view.endpoint_slices("ml", LabelQuery({"kubernetes.io/service-name": "a"}))
    assert [getattr(item, "name", "") for item in _sequence(slices)] == ["s"]


def test_both_kinds_of_kserve_are_kept_apart() -> None:
    view = StateView([inference_service("a", kind="LLMInferenceService")])
    assert view.inference_service("InferenceService", "ml", "a") == Absent()
    assert view.inference_service("LLMInferenceService", "ml", "a") != Absent()


def _sequence(found: object) -> list[object]:
    assert isinstance(found, list)
    return found
