"""Kubernetes objects that we make: wanted (Manifest), and as they are (Child)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from typing_extensions import override

from semantic_router_operator.model.canonical import CanonicalConfig, Issue


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
CLAIM = Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims")
INGRESS = Kind("networking.k8s.io/v1", "Ingress", "ingresses")
NETWORK_POLICY = Kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies")
DISRUPTION_BUDGET = Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets")
CONTROLLER_REVISION = Kind("apps/v1", "ControllerRevision", "controllerrevisions")
"""The history of accepted documents; made and removed by its own rules, not by a manifest list."""

CHILD_KINDS = (
    SERVICE_ACCOUNT,
    CONFIG_MAP,
    CLAIM,
    NETWORK_POLICY,
    SERVICE,
    DEPLOYMENT,
    HPA,
    DISRUPTION_BUDGET,
    INGRESS,
    ROUTE,
)
"""In the order in which they are applied."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """An object as we want it: the exact body of a server-side apply."""

    kind: Kind
    namespace: str
    name: str
    body: Mapping[str, Any]
    after: "ChildKey | None" = None
    """It is written only once that one, earlier in the list, is as wanted."""

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
class Rollback:
    """An earlier revision runs instead of what the spec asks for, while the spec is of that
    generation."""

    revision: int
    generation: int
    failed: int | None = None
    """The revision whose pods didn't become ready; None when a person asked."""
    why: str = ""
    """What its pods said last."""
    asked: bool = False
    """A person asked for it (`names.ANNOTATION_ROLLBACK_TO`)."""


@dataclass(frozen=True, slots=True)
class DeploymentFacts:
    """What a Deployment says of itself."""

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
    template_digest: str = ""
    """Of the pod template that we wrote last."""
    rolled_back: Rollback | None = None

    @property
    def timed_out(self) -> bool:
        """Whether its latest template made no progress for progressDeadlineSeconds."""
        status, reason, _ = self.conditions.get("Progressing", ("", "", ""))
        current = self.observed_generation >= self.generation
        return current and (status, reason) == ("False", "ProgressDeadlineExceeded")

    @property
    def has_lost_all_pods(self) -> bool:
        """Whether pods are wanted, its latest template had become available, and no pod is now."""
        _, reason, _ = self.conditions.get("Progressing", ("", "", ""))
        current = self.observed_generation >= self.generation
        arrived = current and reason == "NewReplicaSetAvailable"
        return arrived and self.wanted > 0 and self.available == 0

    @property
    def complete(self) -> bool:
        """As `kubectl rollout status` has it: all pods are new ones, all of them available."""
        counts = (self.updated, self.available, self.replicas)
        return self.observed_generation >= self.generation and all(
            count == self.wanted for count in counts
        )


@dataclass(frozen=True, slots=True)
class RouteFacts:
    """What the ingress entries of a Route say."""

    host: str | None
    """From an admitted entry only."""
    admitted: Literal["True", "False", "Unknown"]
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """What can't be changed of a PersistentVolumeClaim, or not in each direction."""

    storage_class: str | None
    access_modes: tuple[str, ...]
    size: str
    """What it asks for, not what its volume has."""
    owns_class: bool
    """We wrote storageClassName; we must go on doing so, since nobody may take it away."""
    kept_for: str | None
    """Name of the router in our annotation."""


@dataclass(frozen=True, slots=True)
class RevisionFacts:
    """A recorded document."""

    number: int
    digest: str
    """Of everything that is recorded: documents, environment and pod template."""
    template_digest: str = ""
    """Of the pod template; empty when none is recorded."""
    settings_digest: str = ""
    """Of the document without its backends."""


@dataclass(frozen=True, slots=True)
class Revision:
    """What a revision brings back."""

    number: int
    config: CanonicalConfig
    template: Mapping[str, Any] | None
    """The pod template; None where none was recorded."""


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
    fields: tuple[tuple[str, str], ...] = ()
    """For a rejected one: (path in the object, what is wrong with it)."""

    @property
    def as_wanted(self) -> bool:
        """Whether it is live as the pass wants it."""
        return self.outcome in {"unchanged", "applied"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of the accepted document in the history."""

    number: int | None
    failure: AppliedObject | None = None
    former: int | None = None
    """The number that the same revision had until now."""
    change: Literal["pods", "settings", "backends"] | None = None
    """What it changes of the last good revision. New pods prove that the router can read the
    document; new settings alone don't, since the pods read them some time later."""


@dataclass(frozen=True, slots=True)
class Observed:
    """How things are after apply."""

    objects: tuple[AppliedObject, ...] = ()
    deployment: DeploymentFacts | None = None
    route: RouteFacts | None = None
    pods: tuple[PodTrouble, ...] = ()
    live_digest: str | None = None
    """Digest of the document in the live ConfigMap."""
    recorded: Recorded = field(default_factory=lambda: Recorded(None))
    """The revision that runs; no number while none is recorded."""
    rollback: Rollback | None = None
    """Why that isn't the one that the spec asks for."""
    warnings: tuple[Issue, ...] = ()
    """What of the spec deserves a look though the objects are made as it says."""
