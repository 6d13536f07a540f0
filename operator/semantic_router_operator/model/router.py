"""SemanticRouter (vllm.ai/v1alpha1): the whole resource as the operator reads it."""

from typing import Annotated, Literal

from pydantic import Field

from semantic_router_operator.model.base import (
    Affinity,
    Int32,
    Model,
    NullFreeList,
    PassThrough,
    PodSecurityContext,
    ResourceRequirements,
    SecurityContext,
    SnakeModel,
    StringList,
    StringMap,
    Toleration,
)
from semantic_router_operator.model.endpoints import Endpoint
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


class ReasoningFamily(SnakeModel):
    """A reasoning family of the old generation; becomes the inline reasoning of its models."""

    type: str | None = Field(default=None, description="Where the parameter is written.")
    parameter: str | None = Field(default=None, description="Name of the parameter.")


class Config(SnakeModel):
    """spec.config: what the router itself is told, beyond its backends."""

    routing: PassThrough | None = Field(
        default=None, description="The router's own routing block, passed on whole."
    )
    strategy: Literal["priority", "confidence"] | None = Field(
        default=None, description="How a decision is chosen when several match."
    )
    reasoning_effort: str | None = Field(
        default=None, description="Reasoning effort used where a decision names none."
    )
    default_reasoning_effort: Literal["low", "medium", "high"] | None = Field(
        default=None, description="Deprecated: write reasoning_effort instead."
    )
    reasoning_families: Annotated[dict[str, ReasoningFamily], NullFreeList] = Field(
        default_factory=dict,
        description="Deprecated: write vllmEndpoints[].reasoning {type, parameter} instead.",
    )


class Spec(Model):
    """What the user wants."""

    replicas: Int32 = Field(
        default=1,
        ge=0,
        description="Pods of the router; ignored while autoscaling is on.",
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
    gateway: Gateway = Field(default_factory=Gateway, description="How requests reach the router.")
    service: Service = Field(default_factory=Service, description="The router's Service.")
    service_account: ServiceAccount = Field(
        default_factory=ServiceAccount, description="The router's ServiceAccount."
    )
    autoscaling: Autoscaling = Field(
        default_factory=Autoscaling, description="Horizontal autoscaling."
    )
    openshift: OpenShift = Field(default_factory=OpenShift, description="What only OpenShift has.")
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
    args: StringList = Field(
        default=(), description="Arguments after those that the operator gives."
    )


class Metadata(Model):
    """The part of metadata that matters here."""

    name: str
    namespace: str = "default"
    uid: str = ""
    generation: int = 0
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
