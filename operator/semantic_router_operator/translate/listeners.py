"""Where the router listens."""

from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model.router import SemanticRouter

_ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - the pod's own address isn't known beforehand
_TIMEOUT: Final = "300s"


def listeners(router: SemanticRouter) -> list[dict[str, Any]]:
    """The one listener: HTTP in standalone mode, ext_proc's gRPC behind a Gateway.

    The newer router needs a listener in standalone mode only, and its documents for extproc mode
    aren't known to us. There we write what the Go operator wrote in both modes (contract,
    operator-behaviour.md 2): the August router ignores listeners, the newer schema has every key.
    """
    match router.gateway_mode:
        case "standalone":
            name, port = names.LISTENER_PORT_NAME, names.LISTENER_PORT
        case "gateway-integration":
            name, port = "grpc-50051", names.GRPC_PORT
    return [{"name": name, "address": _ANY_ADDRESS, "port": port, "timeout": _TIMEOUT}]
