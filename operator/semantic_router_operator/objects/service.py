"""The Service: the traffic port first, then the management API and metrics."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.manifests import SERVICE, Manifest
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.workload import ServicePort
from semantic_router_operator.objects.metadata import manifest, metadata
from semantic_router_operator.objects.ports import API, GRPC, METRICS, pod_ports, standalone


@dataclass(frozen=True, slots=True)
class _Port:
    """`field` is where the resource says it; empty for the listener, which it can't move."""

    name: str
    number: int
    target: int | str
    field: str = ""
    protocol: str = "TCP"


def build(router: SemanticRouter) -> Manifest:
    """Ports by name, targets by name; a port or target that is absent or 0 is its default."""
    return manifest(
        router,
        SERVICE,
        {
            "metadata": metadata(router, names.workload(router.name)),
            "spec": {
                "ports": [_entry(port) for port in _ports(router)],
                "selector": names.selector_labels(router.name),
                "type": router.spec.service.type,
            },
        },
    )


def numbers(router: SemanticRouter) -> tuple[int, ...]:
    """The numbers of its ports, the traffic port first."""
    return tuple(port.number for port in _ports(router))


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """Two ports of one number (field case OP-09), a protocol that isn't TCP, and a target on which
    the router doesn't listen."""
    found: list[Issue] = []
    taken: dict[int, _Port] = {}
    for port in _ports(router):
        other = taken.setdefault(port.number, port)
        if other is not port:
            whose = other.field or f"the inference listener {other.name}"
            message = f"port {port.number} is also the port of {whose}; choose another"
            found.append(Issue("InvalidSpec", port.field, message))
        if port.protocol != "TCP":
            path = f"{port.field.removesuffix('.port')}.protocol"
            found.append(Issue("InvalidSpec", path, "the router speaks TCP only; leave it out"))
    return (*found, *_closed(router))


def _closed(router: SemanticRouter) -> Iterator[Issue]:
    """A warning only: a sidecar that somebody adds may listen there."""
    open_ports = {port.number: port.name for port in pod_ports(router)}
    listed = ", ".join(f"{number} ({name})" for number, name in open_ports.items())
    for port in _ports(router):
        if isinstance(port.target, int) and port.target not in open_ports:
            path = f"{port.field.removesuffix('.port')}.targetPort"
            message = f"the router doesn't listen on {port.target}, only on {listed}; leave it out"
            yield Issue("PortNotListening", path, message, severity="warning")


def _ports(router: SemanticRouter) -> tuple[_Port, ...]:
    service = router.spec.service
    traffic = (
        _Port(names.LISTENER_PORT_NAME, names.LISTENER_PORT, names.LISTENER_PORT_NAME)
        if standalone(router)
        else _port(GRPC, service.grpc, names.GRPC_PORT)
    )
    metrics = (_port(METRICS, service.metrics, names.METRICS_PORT),)
    return (
        traffic,
        _port(API, service.api, names.API_PORT),
        *(metrics if service.metrics.enabled else ()),
    )


def _port(name: str, given: ServicePort, default: int) -> _Port:
    return _Port(
        name=name,
        number=given.port or default,
        target=given.target_port or name,
        field=f"spec.service.{name}.port",
        protocol=given.protocol or "TCP",
    )


def _entry(port: _Port) -> dict[str, Any]:
    """`protocol` is written although it is a default: it is part of the list's key."""
    return {
        "name": port.name,
        "port": port.number,
        "protocol": port.protocol,
        "targetPort": port.target,
    }
