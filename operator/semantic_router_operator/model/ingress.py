"""The parts of spec that say from where the router is reached."""

from typing import Annotated

from pydantic import Field, StrictBool

from semantic_router_operator.model.base import (
    Int32,
    LabelSelector,
    Model,
    NullFreeList,
    StringList,
    StringMap,
)


class IngressPath(Model):
    """A path of a host."""

    path: str | None = Field(default=None, description="Path; / when left out.")
    path_type: str | None = Field(
        default=None, description="Prefix (default), Exact or ImplementationSpecific."
    )
    service_port: Int32 | None = Field(
        default=None, description="Port of the router's Service; the inference listener by default."
    )


class IngressHost(Model):
    """A host name and its paths."""

    host: str | None = Field(default=None, description="Host name, such as llm.example.com.")
    paths: Annotated[tuple[IngressPath, ...], NullFreeList] = Field(
        default=(), description="Paths of the host, at least one."
    )


class IngressTLS(Model):
    """A certificate and the hosts that it is for."""

    hosts: StringList = Field(default=(), description="Host names in the certificate.")
    secret_name: str | None = Field(default=None, description="Secret with the certificate.")


class Ingress(Model):
    """An Ingress to the router's Service."""

    enabled: StrictBool = Field(default=False, description="True makes the Ingress.")
    class_name: str | None = Field(default=None, description="Ingress class; the default one else.")
    annotations: StringMap = Field(default_factory=dict, description="Annotations of the Ingress.")
    hosts: Annotated[tuple[IngressHost, ...], NullFreeList] = Field(
        default=(), description="Host names and their paths, at least one."
    )
    tls: Annotated[tuple[IngressTLS, ...], NullFreeList] = Field(
        default=(), description="Certificates."
    )


class IPBlock(Model):
    """Addresses in CIDR notation."""

    cidr: str = Field(description="Such as 10.0.0.0/8.")
    except_: StringList = Field(
        default=(), alias="except", description="Ranges inside cidr that are left out."
    )


class NetworkPeer(Model):
    """Who may connect: pods by their labels and those of their namespace, or addresses."""

    pod_selector: LabelSelector | None = Field(
        default=None, description="Labels of the pods; in the router's namespace unless said."
    )
    namespace_selector: LabelSelector | None = Field(
        default=None, description="Labels of their namespace; {} is every namespace."
    )
    ip_block: IPBlock | None = Field(
        default=None, description="Addresses, instead of the selectors."
    )


_Peers = Annotated[tuple[NetworkPeer, ...], NullFreeList]


class NetworkPolicy(Model):
    """A NetworkPolicy for what comes in to the router's pods; what goes out stays open."""

    enabled: StrictBool = Field(default=False, description="True makes the NetworkPolicy.")
    ingress_from: _Peers = Field(
        default=(),
        description="Who may send requests (and ext_proc calls); everybody when empty.",
    )
    metrics_from: _Peers = Field(
        default=(), description="Who may read the metrics; everybody when empty."
    )
    api_from: _Peers = Field(
        default=(), description="Who may reach the management API; nobody when empty."
    )
