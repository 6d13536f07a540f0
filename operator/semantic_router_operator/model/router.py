"""SemanticRouter (vllm.ai/v1alpha1): the whole resource as the operator reads it."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from semantic_router_operator.model.base import (
    Affinity,
    EnvFromSource,
    Int32,
    Int64,
    Model,
    NullFreeList,
    PodSecurityContext,
    ResourceRequirements,
    SecurityContext,
    StringList,
    StringMap,
    Toleration,
    TopologySpreadConstraint,
    VolumeMount,
)
from semantic_router_operator.model.bootstrap import Bootstrap
from semantic_router_operator.model.config import Config
from semantic_router_operator.model.config.tools import ToolEntry
from semantic_router_operator.model.disruption import PodDisruptionBudget, TopologySpread
from semantic_router_operator.model.endpoints import Endpoint
from semantic_router_operator.model.ingress import Ingress, NetworkPolicy
from semantic_router_operator.model.storage import Persistence, Volumes
from semantic_router_operator.model.workload import (
    Autoscaling,
    EnvList,
    Gateway,
    Hardware,
    Image,
    LocalObjectReference,
    OpenShift,
    Probe,
    Service,
    ServiceAccount,
)


class Spec(Model):
    """What the user wants."""

    replicas: Int32 = Field(
        default=1,
        ge=0,
        description="Pods of the router; ignored while autoscaling is on.",
    )
    revision_history_limit: Int32 = Field(
        default=10,
        ge=1,
        description="Accepted configurations that are kept as ControllerRevisions.",
    )
    progress_deadline_seconds: Annotated[Int32, Field(ge=1)] | None = Field(
        default=None,
        description="Seconds in which new pods must become ready, by default what the startup "
        "probe allows and 600 more; and in which pods that new settings ended must be back, by "
        "default 600.",
    )
    rollback: Literal["Automatic", "Manual"] = Field(
        default="Automatic",
        description="What happens when the pods of a change don't become ready in time: Automatic "
        "goes back to the last good revision until the spec changes, Manual leaves it to you.",
    )
    image: Image = Field(default_factory=Image, description="The router's image.")
    image_pull_secrets: Annotated[tuple[LocalObjectReference, ...], NullFreeList] = Field(
        default=(), description="Secrets for pulling the image."
    )
    hardware: Hardware = Field(
        default_factory=Hardware, description="Hardware that the router itself runs on."
    )
    vllm_endpoints: Annotated[tuple[Endpoint, ...], NullFreeList] = Field(
        default=(), description="The models that the router serves and where they are."
    )
    default_model: str | None = Field(
        default=None, description="Model used when no decision matches; the first one by default."
    )
    config: Config = Field(default_factory=Config, description="Configuration of the router.")
    tools_db: Annotated[tuple[ToolEntry, ...], NullFreeList] = Field(
        default=(), description="Tools that the router offers to the models."
    )
    gateway: Gateway = Field(default_factory=Gateway, description="How requests reach the router.")
    service: Service = Field(default_factory=Service, description="The router's Service.")
    service_account: ServiceAccount = Field(
        default_factory=ServiceAccount, description="The router's ServiceAccount."
    )
    autoscaling: Autoscaling = Field(
        default_factory=Autoscaling, description="Horizontal autoscaling."
    )
    openshift: OpenShift = Field(default_factory=OpenShift, description="What only OpenShift has.")
    ingress: Ingress = Field(
        default_factory=Ingress, description="An Ingress to the router's Service."
    )
    network_policy: NetworkPolicy = Field(
        default_factory=NetworkPolicy, description="Who may connect to the router's pods."
    )
    pod_disruption_budget: PodDisruptionBudget = Field(
        default_factory=PodDisruptionBudget, description="How many pods a node drain may take."
    )
    persistence: Persistence | None = Field(
        default=None, description="A claim for the router's models; {} is one with the defaults."
    )
    resources: ResourceRequirements | None = Field(
        default=None, description="Compute resources of the router container."
    )
    node_selector: StringMap = Field(
        default_factory=dict, description="Labels that a node must carry."
    )
    tolerations: Annotated[tuple[Toleration, ...], NullFreeList] = Field(
        default=(), description="Taints that the pods tolerate."
    )
    affinity: Affinity | None = Field(default=None, description="Placement of the pods.")
    topology_spread_constraints: Annotated[tuple[TopologySpreadConstraint, ...], NullFreeList] = (
        Field(
            default=(),
            description="How the pods spread over nodes and zones; a labelSelector that is left "
            "out selects the router's own pods.",
        )
    )
    topology_spread: TopologySpread = Field(
        default_factory=TopologySpread,
        description="Short form of one topologySpreadConstraint over the router's own pods.",
    )
    priority_class_name: str | None = Field(default=None, description="PriorityClass of the pods.")
    runtime_class_name: str | None = Field(default=None, description="RuntimeClass of the pods.")
    termination_grace_period_seconds: Annotated[Int64, Field(ge=0)] | None = Field(
        default=None,
        description="Seconds that a pod has to end, its drain included; drainSeconds + 30 by "
        "default.",
    )
    drain_seconds: Annotated[Int32, Field(ge=0)] = Field(
        default=30,
        description="Seconds for which a pod that ends goes on serving, so that requests under "
        "way finish; 0 ends it at once.",
    )
    pod_annotations: StringMap = Field(default_factory=dict, description="Annotations of the pods.")
    pod_security_context: PodSecurityContext | None = Field(
        default=None, description="Replaces the pod's security context, field by field."
    )
    security_context: SecurityContext | None = Field(
        default=None, description="Replaces the container's security context, field by field."
    )
    startup_probe: Probe = Field(
        default_factory=Probe, description="Guards the other probes while models load."
    )
    readiness_probe: Probe = Field(default_factory=Probe, description="When traffic may come.")
    liveness_probe: Probe = Field(default_factory=Probe, description="When to restart.")
    env: EnvList = Field(default=(), description="Environment of the router container, in order.")
    env_from: Annotated[tuple[EnvFromSource, ...], NullFreeList] = Field(
        default=(), description="ConfigMaps and Secrets whose keys become environment variables."
    )
    args: StringList = Field(
        default=(), description="Arguments after those that the operator gives."
    )
    volumes: Volumes = Field(default=(), description="Further volumes of the pods.")
    volume_mounts: Annotated[tuple[VolumeMount, ...], NullFreeList] = Field(
        default=(),
        description="Further mounts of the router container; one at a path of ours replaces ours.",
    )
    suspend: StrictBool = Field(
        default=False,
        description="True: the operator leaves everything as it is and says so in the status.",
    )
    bootstrap: Bootstrap | None = Field(
        default=None, description="Accepted and not used: the document is made from the spec."
    )


class Metadata(Model):
    """The part of metadata that matters here."""

    name: str
    namespace: str = "default"
    uid: str = ""
    generation: int = 0
    annotations: StringMap = Field(default_factory=dict)
    deletion_timestamp: str | None = None


class SemanticRouter(Model):
    """One router. `spec: {}` is valid."""

    metadata: Metadata
    spec: Spec = Field(default_factory=Spec)

    @property
    def name(self) -> str:
        """metadata.name."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """metadata.namespace."""
        return self.metadata.namespace

    @property
    def gateway_mode(self) -> Literal["standalone", "gateway-integration"]:
        """As status.gatewayMode says it."""
        return "gateway-integration" if self.spec.gateway.existing_ref else "standalone"
