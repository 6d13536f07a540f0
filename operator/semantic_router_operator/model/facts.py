"""Small projections of objects that we only look at, and how a look-up ends.

A cache keeps these instead of whole objects; `model.projections` makes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from typing_extensions import override


@dataclass(frozen=True, slots=True)
class ObjectRef:
    """Which object, for messages and status. `str()` gives `Service models/vllm-a`."""

    kind: str
    namespace: str
    name: str

    @override
    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class ServicePortFacts:
    """One port of a Service."""

    name: str | None
    port: int
    target_port: int | str | None
    protocol: str
    app_protocol: str | None


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """A Service."""

    namespace: str
    name: str
    uid: str
    type: str
    headless: bool
    external_name: str | None
    ports: tuple[ServicePortFacts, ...]
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    """Only those with the prefix vllm.ai/ or security.opendatahub.io/."""
    owners: tuple[str, ...]
    """uids of the owner references."""
    deleting: bool
    ip_families: tuple[str, ...]

    @property
    def ref(self) -> ObjectRef:
        """For messages and status."""
        return ObjectRef("Service", self.namespace, self.name)


@dataclass(frozen=True, slots=True)
class SliceEndpointFacts:
    """One endpoint of an EndpointSlice. `ready` is None when the slice doesn't say."""

    addresses: tuple[str, ...]
    ready: bool | None
    terminating: bool


@dataclass(frozen=True, slots=True)
class SlicePortFacts:
    """One port of an EndpointSlice."""

    name: str | None
    port: int | None
    protocol: str
    app_protocol: str | None


@dataclass(frozen=True, slots=True)
class EndpointSliceFacts:
    """An EndpointSlice."""

    namespace: str
    name: str
    service: str | None
    address_type: str
    ports: tuple[SlicePortFacts, ...]
    endpoints: tuple[SliceEndpointFacts, ...]
    labels: Mapping[str, str]
    deleting: bool


@dataclass(frozen=True, slots=True)
class InferenceServiceFacts:
    """A KServe InferenceService or LLMInferenceService."""

    kind: str
    namespace: str
    name: str
    uid: str
    generation: int
    observed_generation: int | None
    ready: Literal["True", "False", "Unknown"] | None
    ready_reason: str
    ready_message: str
    address_url: str | None
    url: str | None
    has_transformer: bool
    auth_enabled: bool
    """Annotation security.opendatahub.io/enable-auth is "true"."""
    deleting: bool

    @property
    def ref(self) -> ObjectRef:
        """For messages and status."""
        return ObjectRef(self.kind, self.namespace, self.name)


@dataclass(frozen=True, slots=True)
class GatewayFacts:
    """A gateway.networking.k8s.io Gateway."""

    namespace: str
    name: str
    programmed: Literal["True", "False", "Unknown"] | None
    deleting: bool


@dataclass(frozen=True, slots=True)
class Absent:
    """404: the object is not there, for certain."""


@dataclass(frozen=True, slots=True)
class KindNotInstalled:
    """The API server doesn't serve the kind."""

    kind: str


@dataclass(frozen=True, slots=True)
class NotAllowed:
    """403: the operator may not look there."""

    message: str


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Time-out, 5xx, or not asked yet: nothing is known."""

    message: str


Missing = Absent | KindNotInstalled | NotAllowed | NoAnswer
"""Why a look-up found nothing."""
Unlisted = KindNotInstalled | NotAllowed | NoAnswer
"""Why a list could not be made; an empty list is an answer."""


@dataclass(frozen=True, slots=True)
class LabelQuery:
    """A label selector, in the form that a cache matches against. All parts must hold."""

    match_labels: Mapping[str, str] = field(default_factory=dict)
    match_expressions: tuple[Mapping[str, Any], ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected; an empty query selects nothing."""
        if not self.match_labels and not self.match_expressions:
            return False
        return all(labels.get(key) == value for key, value in self.match_labels.items()) and all(
            _holds(requirement, labels) for requirement in self.match_expressions
        )


def _holds(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = str(requirement.get("key", "")), requirement.get("values") or ()
    match requirement.get("operator"):
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case _:
            return False
