"""A cluster that is only a list of objects: what `render --cluster state.yaml` looks into."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from semantic_router_operator.model.facts import (
    Absent,
    EndpointSliceFacts,
    GatewayFacts,
    InferenceServiceFacts,
    KindNotInstalled,
    LabelQuery,
    Missing,
    ServiceFacts,
    Unlisted,
)
from semantic_router_operator.model.projections import (
    endpoint_slice_facts,
    gateway_facts,
    inference_service_facts,
    service_facts,
)

_GROUPS = {
    "Service": "",
    "EndpointSlice": "discovery.k8s.io",
    "InferenceService": "serving.kserve.io",
    "LLMInferenceService": "serving.kserve.io",
    "Gateway": "gateway.networking.k8s.io",
}
"""Kind -> its API group; Knative has Services and Istio has Gateways too."""


class StateView:
    """Answers a ClusterView's questions from raw objects.

    Lists (`kind: List`, as kubectl prints them) are opened; objects of other kinds are passed
    over; an object without a namespace is in `default`. Of two objects with one name the last one
    counts. A kind of which there is no object counts as installed, unless `not_installed` has it.
    """

    def __init__(
        self, objects: Iterable[Mapping[str, Any]], *, not_installed: frozenset[str] = frozenset()
    ) -> None:
        self._not_installed = not_installed
        self._services: dict[tuple[str, str], ServiceFacts] = {}
        self._slices: dict[tuple[str, str], EndpointSliceFacts] = {}
        self._inference: dict[tuple[str, str, str], InferenceServiceFacts] = {}
        self._gateways: dict[tuple[str, str], GatewayFacts] = {}
        for raw in objects:
            self._add(raw)

    def service(self, namespace: str, name: str) -> ServiceFacts | Missing:
        """The Service of that name."""
        return self._services.get((namespace, name)) or self._none("Service")

    def services(self, namespace: str, query: LabelQuery) -> Sequence[ServiceFacts] | Unlisted:
        """All Services that the query selects."""
        if "Service" in self._not_installed:
            return KindNotInstalled("Service")
        return [
            facts
            for facts in self._services.values()
            if facts.namespace == namespace and query.matches(facts.labels)
        ]

    def endpoint_slices(
        self, namespace: str, query: LabelQuery
    ) -> Sequence[EndpointSliceFacts] | Unlisted:
        """All EndpointSlices that the query selects."""
        if "EndpointSlice" in self._not_installed:
            return KindNotInstalled("EndpointSlice")
        return [
            facts
            for facts in self._slices.values()
            if facts.namespace == namespace and query.matches(facts.labels)
        ]

    def inference_service(
        self, kind: str, namespace: str, name: str
    ) -> InferenceServiceFacts | Missing:
        """The InferenceService or LLMInferenceService of that name."""
        return self._inference.get((kind, namespace, name)) or self._none(kind)

    def gateway(self, namespace: str, name: str) -> GatewayFacts | Missing:
        """The Gateway of that name."""
        return self._gateways.get((namespace, name)) or self._none("Gateway")

    def _none(self, kind: str) -> Missing:
        return KindNotInstalled(kind) if kind in self._not_installed else Absent()

    def _add(self, raw: Mapping[str, Any]) -> None:
        kind = raw.get("kind")
        if isinstance(kind, str) and kind.endswith("List"):
            for item in raw.get("items") or ():
                self._add(item)
        elif isinstance(kind, str) and _GROUPS.get(kind) == _group(raw):
            self._keep(kind, raw)

    def _keep(self, kind: str, raw: Mapping[str, Any]) -> None:
        match kind:
            case "Service":
                service = service_facts(raw)
                self._services[service.namespace, service.name] = service
            case "EndpointSlice":
                piece = endpoint_slice_facts(raw)
                self._slices[piece.namespace, piece.name] = piece
            case "Gateway":
                gateway = gateway_facts(raw)
                self._gateways[gateway.namespace, gateway.name] = gateway
            case _:
                found = inference_service_facts(raw)
                self._inference[found.kind, found.namespace, found.name] = found


def _group(raw: Mapping[str, Any]) -> str:
    """API group of an object; empty for the core one (`apiVersion: v1`)."""
    version = raw.get("apiVersion")
    group, slash, _ = version.partition("/") if isinstance(version, str) else ("?", "/", "")
    return group if slash else ""
