"""status as it is written: the shape that users, tools and the CRD rely on.

Only a schema: `status.publish` makes the object. Everything is optional, so that a stored status of
another version never stops a write.
"""

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt

from semantic_router_operator.model.base import Int32, Int64, Model

REASON_PATTERN = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"
CONDITION_TYPE_PATTERN = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
Generation = Annotated[StrictInt, Field(ge=0, json_schema_extra={"format": "int64"})]


class Condition(Model):
    """One aspect of the state, as metav1.Condition."""

    last_transition_time: str = Field(
        json_schema_extra={"format": "date-time"}, description="When status changed last."
    )
    message: str = Field(max_length=32768, description="Details, for a person to read.")
    observed_generation: Generation | None = Field(
        default=None, description="Generation of the resource that the condition is about."
    )
    reason: str = Field(
        min_length=1,
        max_length=1024,
        pattern=REASON_PATTERN,
        description="Why, as one word in CamelCase.",
    )
    status: Literal["True", "False", "Unknown"] = Field(description="True, False or Unknown.")
    type: str = Field(
        max_length=316, pattern=CONDITION_TYPE_PATTERN, description="Which aspect, such as Ready."
    )


class TargetDocument(Model):
    """One address of a backend."""

    url: str | None = Field(default=None, description="http(s)://host[:port][/path].")
    suffix: str | None = Field(
        default=None, description="Added to the backend's name where it has several targets."
    )
    api_version: str | None = Field(
        default=None, description="API version that the Service's annotation asks for."
    )
    chat_path: str | None = Field(
        default=None, description="Chat completions path that the Service's annotation asks for."
    )


class BackendDocument(Model):
    """What became of one entry of spec.vllmEndpoints."""

    name: str = Field(description="Name of the entry.")
    model: str | None = Field(default=None, description="Model of the entry.")
    type: str | None = Field(default=None, description="Type of the entry's backend.")
    source: str | None = Field(
        default=None, description="Object that the targets come from: Kind namespace/name."
    )
    targets: tuple[TargetDocument, ...] = Field(
        default=(), description="Addresses that the router was given."
    )
    state: str | None = Field(
        default=None, description="Resolved, Drained (weight 0) or Unresolved."
    )
    reason: str | None = Field(default=None, description="Why it isn't resolved, in CamelCase.")
    message: str | None = Field(default=None, description="Why, and what to do about it.")


class ConfigDocument(Model):
    """Which configuration document the router has."""

    digest: str | None = Field(default=None, description="sha256 of the live document.")
    revision: Int64 | None = Field(default=None, description="Number of the revision that runs.")
    last_good_revision: Int64 | None = Field(
        default=None, description="Number of the revision with which the router was Ready last."
    )
    previous_good_revision: Int64 | None = Field(
        default=None,
        description="Number of the good one before, where only settings differ.",
    )
    settings_since: str | None = Field(
        default=None,
        json_schema_extra={"format": "date-time"},
        description="When those settings became live.",
    )
    default_model: str | None = Field(
        default=None, description="Model that answers when no decision matches."
    )


class OpenShiftFeatures(Model):
    """What only OpenShift has."""

    routes_enabled: StrictBool = Field(description="Whether a Route is made.")
    route_hostname: str | None = Field(default=None, description="Host of the admitted Route.")


class StatusDocument(Model):
    """What the operator found and did."""

    observed_generation: Int64 | None = Field(
        default=None, description="Generation that the status is about; -1 before the first look."
    )
    phase: str | None = Field(
        default=None, description="In one word: Pending, Progressing, Running or Degraded."
    )
    gateway_mode: str | None = Field(
        default=None, description="How requests come in: standalone or gateway-integration."
    )
    replicas: Int32 | None = Field(default=None, description="Pods that exist.")
    ready_replicas: Int32 | None = Field(default=None, description="Pods that are ready.")
    replicas_summary: str | None = Field(
        default=None, description="Pods that are ready, of those wanted, such as 2/3."
    )
    selector: str | None = Field(
        default=None, description="Label selector of the pods, for the scale subresource."
    )
    url: str | None = Field(default=None, description="Where clients send their requests.")
    config: ConfigDocument | None = Field(
        default=None, description="Configuration document of the router."
    )
    conditions: tuple[Condition, ...] = Field(
        default=(),
        json_schema_extra={
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
        },
        description="Each aspect of the state; Ready sums up the others.",
    )
    backends: tuple[BackendDocument, ...] = Field(
        default=(), description="What became of each entry of spec.vllmEndpoints."
    )
    openshift_features: OpenShiftFeatures | None = Field(
        default=None, description="What only OpenShift has."
    )
