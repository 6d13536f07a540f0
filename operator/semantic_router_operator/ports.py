"""What the stages see of the outside: reads from caches, writes, the clock.

Every read answers at once from memory. `Found` values are plain facts; why there is none is a
value too, so that no adapter handles an exception.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar

from semantic_router_operator.model.body import RouterKey
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.facts import (
    EndpointSliceFacts,
    GatewayFacts,
    InferenceServiceFacts,
    LabelQuery,
    Missing,
    ServiceFacts,
    Unlisted,
)
from semantic_router_operator.model.manifests import (
    AppliedObject,
    ChildKey,
    Manifest,
    Observed,
    Recorded,
    Revision,
    RevisionFacts,
)
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.status import EventNote


class ClusterView(Protocol):
    """What discovery may ask. Asking is also registering: the router is woken on a change."""

    def service(self, namespace: str, name: str) -> ServiceFacts | Missing:
        """The Service of that name."""

    def services(self, namespace: str, query: LabelQuery) -> Sequence[ServiceFacts] | Unlisted:
        """All Services that the query selects, in any order."""

    def endpoint_slices(
        self, namespace: str, query: LabelQuery
    ) -> Sequence[EndpointSliceFacts] | Unlisted:
        """All EndpointSlices that the query selects, in any order."""

    def inference_service(
        self, kind: str, namespace: str, name: str
    ) -> InferenceServiceFacts | Missing:
        """The InferenceService or LLMInferenceService of that name."""

    def gateway(self, namespace: str, name: str) -> GatewayFacts | Missing:
        """The Gateway of that name."""


T = TypeVar("T")


class References(Protocol):
    """Leads a router's questions to the caches."""

    async def consult(self, router: SemanticRouter, ask: Callable[[ClusterView], T]) -> T:
        """What `ask` answers once every cache that it looks into has been filled or has failed.

        From then on the router is woken when something that `ask` looked at changes.
        """


class ClusterWriter(Protocol):
    """The objects that we make for a router."""

    async def ready(self) -> None:
        """Returns when it is known what there is, as far as that can be found out: what isn't is
        otherwise taken for absent."""

    async def platform(self) -> Platform:
        """What the API server serves. Raises TransientError while that isn't known."""

    async def last_good(self, router: SemanticRouter) -> CanonicalConfig | None:
        """The document to go on with while a candidate is rejected, or None where there is none."""

    async def apply(
        self, router: SemanticRouter, manifests: Sequence[Manifest], keep: Sequence[ChildKey]
    ) -> tuple[AppliedObject, ...]:
        """Makes the cluster as `manifests` say, and removes what is ours and neither there nor in
        `keep`. Writes nothing where nothing differs. One object's trouble doesn't stop the others.
        Raises RouterGone where the router turns out not to be there any more.
        """

    async def record(
        self,
        router: SemanticRouter,
        config: CanonicalConfig,
        pods: Mapping[str, Any],
        *,
        keep: Collection[int],
    ) -> Recorded:
        """Keeps the accepted document and its pod template in the history. Writes nothing if they
        are the newest revision. Those with the numbers `keep` are never dropped for their age."""

    def history(self, router: SemanticRouter) -> Sequence[RevisionFacts]:
        """The recorded revisions, the oldest first."""

    async def revision(self, router: SemanticRouter, number: int) -> Revision | None:
        """What is recorded under that number; read once for each state of the object. Raises
        ApiUnreachable while the history isn't known."""

    def observe(self, router: SemanticRouter) -> Observed:
        """How the objects are now, from the caches; `objects` is empty."""


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """Now, in UTC."""


class Publisher(Protocol):
    """Writes what a pass has to say onto the CR."""

    async def write_status(
        self, body: Mapping[str, Any], status: Mapping[str, Any]
    ) -> Mapping[str, Any] | None:
        """The CR after the write, or None when it is gone. Writes nothing if nothing differs."""

    def post(self, body: Mapping[str, Any], event: EventNote) -> None:
        """Posts an event about the CR, some time."""


class Adoption(Protocol):
    """Settles what the Go operator left of a router."""

    async def adopt(self, body: Mapping[str, Any]) -> bool:
        """Whether there was something. Makes no request where there is nothing."""


class Interests(Protocol):
    """Who wants to know of what, and whatever else is kept by router."""

    def forget(self, key: RouterKey) -> None:
        """The router is gone: nothing wakes it any more, and nothing stays in memory of it."""
