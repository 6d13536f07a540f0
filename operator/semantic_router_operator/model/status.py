"""Findings of a pass and the status they become."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

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
    revision: int | None = None
    """What runs, in the history; None keeps what the status says."""
    former_revision: int | None = None
    """The number that the revision had before it became the newest once more."""
    default_model: str | None = None
    """Of the live document; "" when it has none, None when this pass can't say (kept)."""
    replicas_wanted: int = 0


@dataclass(frozen=True, slots=True)
class EventNote:
    """A Kubernetes Event to post once."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str
