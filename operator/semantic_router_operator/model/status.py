"""Findings of a pass and the status they become."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from semantic_router_operator.model.manifests import Recorded

ConditionStatus = Literal["True", "False", "Unknown"]
ConditionType = Literal[
    "Ready",
    "ConfigAccepted",
    "BackendsResolved",
    "ResourcesApplied",
    "Available",
    "Progressing",
    "Degraded",
    "Reconciling",
    "Stalled",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a condition should say. No time, no counter and no secret in the message."""

    type: ConditionType
    status: ConditionStatus
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class BackendStatus:
    """One entry of status.backends."""

    name: str
    model: str
    type: str
    source: str
    """`Service models/vllm-a`, or empty."""
    targets: tuple[Mapping[str, Any], ...]
    """What the cluster said, each `{url, suffix?, apiVersion?, chatPath?}`; never an address that
    only the CR declares, since the next pass may keep these as last known."""
    state: Literal["Resolved", "Drained", "Unresolved"]
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Assessment:
    """Everything that a pass has to say, as a value."""

    findings: tuple[Finding, ...]
    """A condition without a finding stays as it was, with its own observedGeneration."""
    backends: tuple[BackendStatus, ...]
    phase: Literal["Pending", "Progressing", "Running", "Degraded"]
    gateway_mode: str
    replicas: int
    ready_replicas: int
    selector: str
    config_digest: str | None
    url: str | None
    route_hostname: str | None = None
    routes_enabled: bool = False
    recorded: Recorded = field(default_factory=lambda: Recorded(None))
    """What runs, in the history; no number keeps what the status says."""
    went_back: bool = False
    """The operator has gone back to it by itself."""
    default_model: str | None = None
    """Of the live document; "" when it has none, None when this pass can't say (kept)."""
    replicas_wanted: int = 0


PROOF: Final = timedelta(minutes=10)
"""How long after new settings a loss of pods is laid to them. The kubelet takes up to two minutes
to bring a ConfigMap to the pods, and probes some more until one counts as lost."""


@dataclass(frozen=True, slots=True)
class Goodness:
    """What status.config and Available say of the revisions so far."""

    running: int | None = None
    last_good: int | None = None
    previous_good: int | None = None
    """Good before the settings of the last good one, which no new pod has proven yet."""
    since: datetime | None = None
    """When those settings became live."""
    away_since: datetime | None = None
    """Since when no pod is available."""


@dataclass(frozen=True, slots=True)
class EventNote:
    """A Kubernetes Event to post once."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str
