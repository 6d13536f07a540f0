"""The parts of spec that shape the pod, its Service, its scaling and its way in."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt

from semantic_router_operator.model.base import (
    PORT_MAX,
    EnvVarSource,
    Int32,
    Model,
    NullFreeList,
    PullPolicy,
    StringMap,
)
from semantic_router_operator.model.cross_rule import CrossRule

PortNumber = Annotated[StrictInt, Field(ge=1, le=PORT_MAX, json_schema_extra={"format": "int32"})]


class Image(Model):
    """Which router image runs."""

    image_registry: str | None = Field(
        default=None, description="Put in front of repository, such as registry.example.com."
    )
    repository: str = Field(
        default="ghcr.io/vllm-project/semantic-router/extproc",
        description="Image without its tag; the default is replaced by hardware.profile's image.",
    )
    tag: str = Field(default="latest", description="Tag, or sha256:... for a digest.")
    pull_policy: PullPolicy = Field(default="IfNotPresent", description="When the image is pulled.")


class LocalObjectReference(Model):
    """A Secret in the router's namespace."""

    name: str | None = Field(default=None, description="Name of the Secret.")


class EnvVar(Model):
    """An environment variable of the router container; the order is kept."""

    name: str = Field(description="Name of the variable.")
    value: str | None = Field(default=None, description="Its value; $(OTHER) is expanded.")
    value_from: EnvVarSource | None = Field(
        default=None, description="Where its value comes from, instead of value."
    )


class Probe(Model):
    """Timing of a probe; what it asks follows from the mode of the router."""

    enabled: StrictBool = Field(default=True, description="False leaves the probe out.")
    initial_delay_seconds: Int32 | None = Field(
        default=None, description="Seconds before the first."
    )
    period_seconds: Int32 | None = Field(default=None, description="Seconds between probes.")
    timeout_seconds: Int32 | None = Field(default=None, description="Seconds for an answer.")
    failure_threshold: Int32 | None = Field(default=None, description="Failures until it counts.")


class ServicePort(Model):
    """One port of the Service; what is absent has the default of its kind."""

    port: PortNumber | None = Field(default=None, description="Port of the Service.")
    target_port: PortNumber | None = Field(default=None, description="Port of the pod.")
    protocol: str = Field(default="TCP", description="Transport protocol.")


class MetricsPort(ServicePort):
    """The port on which the router serves Prometheus metrics."""

    enabled: StrictBool = Field(default=True, description="False leaves the port out.")


class Service(Model):
    """The Service of the router."""

    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] = Field(
        default="ClusterIP", description="Type of the Service."
    )
    grpc: ServicePort = Field(
        default_factory=ServicePort, description="ext_proc port (50051), served in extproc mode."
    )
    api: ServicePort = Field(default_factory=ServicePort, description="Management API port (8080).")
    metrics: MetricsPort = Field(default_factory=MetricsPort, description="Metrics port (9190).")


class ServiceAccount(Model):
    """The ServiceAccount under which the router runs."""

    create: StrictBool = Field(default=True, description="False uses an existing one.")
    name: str | None = Field(default=None, description="Its name; the router's by default.")
    annotations: StringMap = Field(
        default_factory=dict, description="Annotations of the one that we make."
    )


class Autoscaling(Model):
    """A HorizontalPodAutoscaler; while it is on, replicas are its business alone."""

    enabled: StrictBool = Field(default=False, description="True makes the HPA.")
    min_replicas: Int32 = Field(default=1, description="Fewest replicas.")
    max_replicas: Int32 = Field(default=10, description="Most replicas.")
    target_cpu_utilization_percentage: Int32 | None = Field(
        default=80,
        alias="targetCPUUtilizationPercentage",
        description="Wanted CPU use, in percent of the request.",
    )
    target_memory_utilization_percentage: Int32 | None = Field(
        default=None,
        description="Wanted memory use, in percent of the request.",
    )

    CROSS_RULES = (
        CrossRule(
            code="AutoscalingRange",
            message="is above maxReplicas; lower it, or raise maxReplicas",
            part="minReplicas",
            holds=lambda scaling: (
                not scaling.enabled or scaling.min_replicas <= scaling.max_replicas
            ),
            cel="!self.enabled || self.minReplicas <= self.maxReplicas",
            judge="objects",
        ),
    )


class GatewayRef(Model):
    """A Gateway (gateway.networking.k8s.io) that exists already."""

    name: str = Field(min_length=1, description="Name of the Gateway.")
    namespace: str = Field(min_length=1, description="Namespace of the Gateway.")


class Gateway(Model):
    """How requests reach the router."""

    existing_ref: GatewayRef | None = Field(
        default=None, description="Run as ext_proc server behind this Gateway; it must exist."
    )


class RouteTLS(Model):
    """TLS of the OpenShift Route."""

    termination: Literal["edge", "passthrough", "reencrypt"] = Field(
        default="edge", description="Where TLS ends."
    )
    insecure_edge_termination_policy: Literal["Allow", "Redirect", "None"] = Field(
        default="Redirect", description="What happens to plain HTTP."
    )


class Routes(Model):
    """The OpenShift Route to the inference listener."""

    enabled: StrictBool = Field(default=False, description="True makes the Route (OpenShift only).")
    hostname: str | None = Field(
        default=None, description="Host name; the cluster generates one when left out."
    )
    tls: RouteTLS | None = Field(default=None, description="TLS; edge with redirect by default.")


class OpenShift(Model):
    """What only OpenShift has."""

    routes: Routes = Field(default_factory=Routes, description="The OpenShift Route.")


class Hardware(Model):
    """Which hardware the router's own classifiers run on; changes nothing else."""

    profile: Literal["cpu", "nvidia", "amd", "arm64"] = Field(
        default="cpu",
        description="Overlay: image, device, node selection and model placement of the router.",
    )
    gpus: StrictInt = Field(
        default=1, ge=1, description="Devices for each replica, for the profiles nvidia and amd."
    )


EnvList = Annotated[tuple[EnvVar, ...], NullFreeList]
