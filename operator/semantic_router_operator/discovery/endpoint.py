"""backend.type endpoint: an address that the CR gives; nothing is looked up."""

from collections.abc import Mapping
from typing import Any

from semantic_router_operator.discovery import addresses, cluster_names
from semantic_router_operator.discovery.addresses import AddressError
from semantic_router_operator.discovery.entry import Entry, scheme
from semantic_router_operator.discovery.kinds import EndpointBackend
from semantic_router_operator.model import paths
from semantic_router_operator.model.resolution import Resolution, Resolved, Target

_PART = "backend.endpoint"


def resolve(entry: Entry, backend: EndpointBackend) -> Resolution:
    """The address with a qualified host. Without connection.protocol it is http."""
    try:
        host, port = _parts(backend.value)
        full = cluster_names.qualified(
            host, namespace=entry.namespace, domain=entry.policy.cluster_domain
        )
    except AddressError as error:
        return entry.invalid(_PART, f"{error}")
    return entry.refused_host(_PART, full) or Resolved((Target(scheme(entry, None), full, port),))


def _parts(value: Mapping[str, Any] | str) -> tuple[str, int]:
    if isinstance(value, str):
        return addresses.host_port(value)
    given = {key: item for key, item in value.items() if item is not None}
    unknown = sorted(set(given) - {"host", "port"})
    if unknown:
        msg = (
            f"unknown field {paths.quoted(unknown[0])}; an endpoint has host and port, all else "
            "is in connection"
        )
        raise AddressError(msg)
    host, port = given.get("host"), given.get("port")
    if not isinstance(host, str):
        msg = "host is missing or no text"
        raise AddressError(msg)
    if not isinstance(port, int | str):
        msg = "port is missing or no number"
        raise AddressError(msg)
    if "://" in host or "/" in host:
        msg = "host holds a URL; use type url (backend.url) for a scheme or a path"
        raise AddressError(msg)
    return addresses.host(host), addresses.port(port)
