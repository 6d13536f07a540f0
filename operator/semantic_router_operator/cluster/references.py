"""The kinds that a router may refer to, and a view of their caches that remembers the questions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from semantic_router_operator.cluster.interests import Area, Interest
from semantic_router_operator.cluster.watch_source import (
    Failing,
    Forbidden,
    NotInstalled,
    NotSynced,
    Synced,
)
from semantic_router_operator.cluster.watching import Watch
from semantic_router_operator.model.facts import (
    Absent,
    EndpointSliceFacts,
    GatewayFacts,
    InferenceServiceFacts,
    KindNotInstalled,
    LabelQuery,
    Missing,
    NoAnswer,
    NotAllowed,
    ServiceFacts,
    Unlisted,
)
from semantic_router_operator.model.projections import (
    endpoint_slice_facts,
    gateway_facts,
    inference_service_facts,
    service_facts,
)

Facts = ServiceFacts | EndpointSliceFacts | InferenceServiceFacts | GatewayFacts
T = TypeVar("T", ServiceFacts, EndpointSliceFacts, InferenceServiceFacts, GatewayFacts)


@dataclass(frozen=True, slots=True)
class ReferenceKind:
    """A kind that is only read. `versions` in the order of preference."""

    kind: str
    group: str
    versions: tuple[str, ...]
    plural: str
    project: Callable[[Mapping[str, Any]], Facts]
    builtin: bool = False
    """Served by every API server."""


def _inference(kind: str) -> Callable[[Mapping[str, Any]], Facts]:
    def project(raw: Mapping[str, Any]) -> Facts:
        return inference_service_facts({**raw, "kind": kind})

    return project


_KSERVE = "serving.kserve.io"
_GATEWAY_API = "gateway.networking.k8s.io"

REFERENCE_KINDS: Mapping[str, ReferenceKind] = {
    item.kind: item
    for item in (
        ReferenceKind("Service", "", ("v1",), "services", service_facts, builtin=True),
        ReferenceKind(
            "EndpointSlice",
            "discovery.k8s.io",
            ("v1",),
            "endpointslices",
            endpoint_slice_facts,
            builtin=True,
        ),
        ReferenceKind(
            "InferenceService",
            _KSERVE,
            ("v1beta1",),
            "inferenceservices",
            _inference("InferenceService"),
        ),
        ReferenceKind(
            "LLMInferenceService",
            _KSERVE,
            ("v1alpha2", "v1alpha1"),
            "llminferenceservices",
            _inference("LLMInferenceService"),
        ),
        ReferenceKind("Gateway", _GATEWAY_API, ("v1", "v1beta1"), "gateways", gateway_facts),
    )
}


class RecordingView:
    """ports.ClusterView over the caches. Answers from memory and notes down what was asked.

    `missing` are the areas that nobody watches yet, or that have not answered for the first time.
    """

    def __init__(self, watches: Mapping[Area, Watch[Facts]], *, watched: tuple[str, ...]) -> None:
        self.interests: list[Interest] = []
        self.missing: set[Area] = set()
        self._watches = watches
        self._watched = watched

    def service(self, namespace: str, name: str) -> ServiceFacts | Missing:
        """The Service of that name."""
        return self._one(Area("Service", namespace), name, ServiceFacts)

    def services(self, namespace: str, query: LabelQuery) -> Sequence[ServiceFacts] | Unlisted:
        """All Services that the query selects, in any order."""
        found = self._all(Area("Service", namespace), query, ServiceFacts)
        return (
            [item for item in found if query.matches(item.labels)]
            if isinstance(found, list)
            else found
        )

    def endpoint_slices(
        self, namespace: str, query: LabelQuery
    ) -> Sequence[EndpointSliceFacts] | Unlisted:
        """All EndpointSlices that the query selects, in any order."""
        found = self._all(Area("EndpointSlice", namespace), query, EndpointSliceFacts)
        return (
            [item for item in found if query.matches(item.labels)]
            if isinstance(found, list)
            else found
        )

    def inference_service(
        self, kind: str, namespace: str, name: str
    ) -> InferenceServiceFacts | Missing:
        """The InferenceService or LLMInferenceService of that name."""
        return self._one(Area(kind, namespace), name, InferenceServiceFacts)

    def gateway(self, namespace: str, name: str) -> GatewayFacts | Missing:
        """The Gateway of that name."""
        return self._one(Area("Gateway", namespace), name, GatewayFacts)

    def _one(self, area: Area, name: str, kind: type[T]) -> T | Missing:
        self.interests.append(Interest(area, name=name))
        watch = self._ready(area)
        if not isinstance(watch, Watch):
            return watch
        found = watch.get(area.namespace, name)
        if isinstance(found, kind):
            return found
        return NoAnswer(watch.state.message) if isinstance(watch.state, Failing) else Absent()

    def _all(self, area: Area, query: LabelQuery, kind: type[T]) -> list[T] | Unlisted:
        self.interests.append(Interest(area, query=query))
        watch = self._ready(area)
        return _of(kind, watch.values()) if isinstance(watch, Watch) else watch

    def _ready(self, area: Area) -> Watch[Facts] | Unlisted:
        """The cache, where it has something to say; otherwise why it hasn't."""
        if self._watched and area.namespace not in self._watched:
            return NotAllowed(
                f"namespace {area.namespace} is not among the watched namespaces, WATCH_NAMESPACES"
            )
        watch = self._watches.get(area)
        if watch is None or isinstance(watch.state, NotSynced):
            self.missing.add(area)
            return NoAnswer(f"{area.kind} objects of namespace {area.namespace} aren't known yet")
        return _unlisted(area, watch) or watch


def _unlisted(area: Area, watch: Watch[Facts]) -> Unlisted | None:
    match watch.state:
        case NotInstalled():
            return KindNotInstalled(area.kind)
        case Forbidden(message):
            return NotAllowed(message)
        case Failing(message):
            return None if watch.synced_once else NoAnswer(message)
        case Synced() | NotSynced():
            return None


def _of(kind: type[T], values: Iterable[Facts]) -> list[T]:
    return [item for item in values if isinstance(item, kind)]
