"""Kubernetes objects that we make: wanted (Manifest), and as they are (Child)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from typing_extensions import override


@dataclass(frozen=True, slots=True, order=True)
class Kind:
    """A kind that the operator writes. `plural` is the resource in the URL."""

    api_version: str
    kind: str
    plural: str

    @property
    def path(self) -> str:
        """`/api/v1` or `/apis/<group>/<version>`."""
        return (
            f"/api/{self.api_version}"
            if "/" not in self.api_version
            else f"/apis/{self.api_version}"
        )


CONFIG_MAP = Kind("v1", "ConfigMap", "configmaps")
SERVICE = Kind("v1", "Service", "services")
SERVICE_ACCOUNT = Kind("v1", "ServiceAccount", "serviceaccounts")
DEPLOYMENT = Kind("apps/v1", "Deployment", "deployments")
HPA = Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers")
ROUTE = Kind("route.openshift.io/v1", "Route", "routes")

CHILD_KINDS = (SERVICE_ACCOUNT, CONFIG_MAP, SERVICE, DEPLOYMENT, HPA, ROUTE)
"""In the order in which they are applied."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """An object as we want it: the exact body of a server-side apply."""

    kind: Kind
    namespace: str
    name: str
    body: Mapping[str, Any]

    @property
    def key(self) -> "ChildKey":
        """What identifies it in the cluster."""
        return ChildKey(self.kind, self.namespace, self.name)


@dataclass(frozen=True, slots=True, order=True)
class ChildKey:
    """Which object."""

    kind: Kind
    namespace: str
    name: str

    @override
    def __str__(self) -> str:
        return f"{self.kind.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class DeploymentFacts:
    """What the status of a Deployment says."""

    generation: int
    observed_generation: int
    wanted: int
    """spec.replicas"""
    replicas: int
    updated: int
    ready: int
    available: int
    conditions: Mapping[str, tuple[str, str, str]]
    """type -> (status, reason, message)"""


@dataclass(frozen=True, slots=True)
class RouteFacts:
    """What the ingress entries of a Route say."""

    host: str | None
    """From an admitted entry only."""
    admitted: Literal["True", "False", "Unknown"]
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class PodTrouble:
    """Why a pod of ours doesn't run: unschedulable, image pull, crash loop."""

    pod: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class AppliedObject:
    """An object of ours after the pass: untouched, written, or not to be written."""

    key: ChildKey
    outcome: Literal["unchanged", "applied", "deleted", "conflict", "rejected", "failed"]
    reason: str = ""
    message: str = ""
    generation: int = 0
    """metadata.generation in the API server's answer to a write; 0 when nothing was written."""
    retry_after: float | None = None
    """Seconds, for a failed one, where the API server or the writer says them."""


@dataclass(frozen=True, slots=True)
class Observed:
    """How things are after apply."""

    objects: tuple[AppliedObject, ...] = ()
    deployment: DeploymentFacts | None = None
    route: RouteFacts | None = None
    pods: tuple[PodTrouble, ...] = ()
    live_digest: str | None = None
    """Digest of the document in the live ConfigMap."""
