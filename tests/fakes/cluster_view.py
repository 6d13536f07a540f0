"""A ClusterView made of raw objects that can also refuse to answer, and remembers the questions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from semantic_router_operator.model.facts import (
    EndpointSliceFacts,
    GatewayFacts,
    InferenceServiceFacts,
    LabelQuery,
    Missing,
    NoAnswer,
    NotAllowed,
    ServiceFacts,
    Unlisted,
)
from semantic_router_operator.model.state_view import StateView


class FakeView:
    """`forbidden` and `silent` are kinds that answer 403 or not at all; `asked` is what was asked,
    as (kind, namespace, name or "" for a list)."""

    def __init__(
        self,
        objects: Iterable[Mapping[str, Any]] = (),
        *,
        not_installed: Iterable[str] = (),
        forbidden: Iterable[str] = (),
        silent: Iterable[str] = (),
    ) -> None:
        self._state = StateView(objects, not_installed=frozenset(not_installed))
        self._forbidden = frozenset(forbidden)
        self._silent = frozenset(silent)
        self.asked: list[tuple[str, str, str]] = []

    def service(self, namespace: str, name: str) -> ServiceFacts | Missing:
        return self._refusal("Service", namespace, name) or self._state.service(namespace, name)

    def services(self, namespace: str, query: LabelQuery) -> Sequence[ServiceFacts] | Unlisted:
        refusal = self._refusal("Service", namespace, "")
        return refusal or self._state.services(namespace, query)

    def endpoint_slices(
        self, namespace: str, query: LabelQuery
    ) -> Sequence[EndpointSliceFacts] | Unlisted:
        refusal = self._refusal("EndpointSlice", namespace, "")
        return refusal or self._state.endpoint_slices(namespace, query)

    def inference_service(
        self, kind: str, namespace: str, name: str
    ) -> InferenceServiceFacts | Missing:
        refusal = self._refusal(kind, namespace, name)
        return refusal or self._state.inference_service(kind, namespace, name)

    def gateway(self, namespace: str, name: str) -> GatewayFacts | Missing:
        return self._refusal("Gateway", namespace, name) or self._state.gateway(namespace, name)

    def _refusal(self, kind: str, namespace: str, name: str) -> NotAllowed | NoAnswer | None:
        self.asked.append((kind, namespace, name))
        if kind in self._forbidden:
            return NotAllowed("forbidden by the test")
        return NoAnswer("silenced by the test") if kind in self._silent else None
