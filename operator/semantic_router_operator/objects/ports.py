"""What the router listens on, by mode."""

from dataclasses import dataclass

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import flags

GRPC = "grpc"
API = "api"
METRICS = "metrics"


@dataclass(frozen=True, slots=True)
class PodPort:
    """A named port of the router container."""

    name: str
    number: int


def standalone(router: SemanticRouter) -> bool:
    """Whether the router serves HTTP itself, and isn't an ext_proc server behind a Gateway."""
    return router.gateway_mode == "standalone"


def pod_ports(router: SemanticRouter) -> tuple[PodPort, ...]:
    """The traffic port first: http-8801 (standalone) or grpc (extproc); then api and metrics.

    -port, -api-port and -metrics-port in spec.args move a port; Service and probes follow by name.
    """
    traffic = (
        PodPort(names.LISTENER_PORT_NAME, names.LISTENER_PORT)
        if standalone(router)
        else PodPort(GRPC, _number(router, "port", names.GRPC_PORT))
    )
    return (
        traffic,
        PodPort(API, _number(router, "api-port", names.API_PORT)),
        PodPort(METRICS, _number(router, "metrics-port", names.METRICS_PORT)),
    )


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """Port flags that are no port, and two listeners on one port."""
    found = [
        Issue("InvalidSpec", flag.path, f"-{flag.name} must be a port from 1 to 65535")
        for flag in flags.parse(router.spec.args)
        if flag.name in ("port", "api-port", "metrics-port") and _port(flag.value) is None
    ]
    taken: dict[int, str] = {}
    for port in pod_ports(router):
        other = taken.setdefault(port.number, port.name)
        if other != port.name:
            message = f"{other} and {port.name} would both listen on {port.number}; move one"
            found.append(Issue("InvalidSpec", "spec.args", message))
    return tuple(found)


def _number(router: SemanticRouter, flag: str, default: int) -> int:
    given = flags.last(router.spec.args, flag)
    return (_port(given.value) if given else None) or default


def _port(text: str) -> int | None:
    valid = text.isascii() and text.isdigit() and len(text) <= 5 and 1 <= int(text) <= 65535
    return int(text) if valid else None
