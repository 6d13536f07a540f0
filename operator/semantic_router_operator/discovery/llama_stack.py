"""backend.type llamastack: Llama Stack (OGX) servers, by the labels of their Services."""

from semantic_router_operator.discovery import addresses, discovered_services, service_ports
from semantic_router_operator.discovery.discovered_services import Search
from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.discovery.service_ports import Convention
from semantic_router_operator.discovery.service_targets import is_ready, slices_of
from semantic_router_operator.model.endpoints import LlamaStackBackend
from semantic_router_operator.model.facts import ServiceFacts
from semantic_router_operator.model.resolution import (
    Note,
    Resolution,
    Resolved,
    Unresolved,
)
from semantic_router_operator.ports import ClusterView

_PART = "backend.llamastack"
_SERVER = Convention(prefix="llama", number=8321)
"""8321 is the port that the server listens on by default."""


def resolve(entry: Entry, backend: LlamaStackBackend, view: ClusterView) -> Resolution:
    """One target for each matching Service that has a ready endpoint, sorted by name.

    The API root (/v1, /v1/openai/v1) differs between releases, so it is `basePath` or nothing.
    """
    search = _search(entry, backend)
    if isinstance(search, Unresolved):
        return search
    services = discovered_services.found(entry, search, view)
    if isinstance(services, Unresolved):
        return services
    ready = [service for service in services if _serves(entry, search.part, service, view)]
    idle = tuple(
        Note(
            "NoReadyEndpoints",
            f"{entry.path(search.part)}: {service.ref} has no ready endpoint and is left out",
        )
        for service in services
        if service not in ready
    )
    if not ready:
        which = ", ".join(str(service.ref) for service in services)
        text = f"no endpoint is ready behind {which}; look at the pods of the server"
        return entry.unresolved("NoReadyEndpoints", search.part, text)
    found = discovered_services.each(entry, search, ready, view)
    if isinstance(found, Resolved):
        return Resolved(found.targets, notes=(*idle, *found.notes))
    return found


def _search(entry: Entry, backend: LlamaStackBackend) -> Search | Unresolved:
    short = entry.endpoint.backend.llamastack is None
    part = "backend.discoveryLabels" if short else _PART
    query = discovered_services.query_of(entry, part, backend.match_labels)
    if isinstance(query, Unresolved):
        return query
    namespace = entry.namespace_of(part, backend.namespace)
    if isinstance(namespace, Unresolved):
        return namespace
    port = service_ports.wanted(entry, f"{part}.port", backend.port)
    if isinstance(port, Unresolved):
        return port
    try:
        path = None if backend.base_path is None else addresses.base_path(backend.base_path)
    except addresses.AddressError as error:
        return entry.invalid(f"{part}.basePath", f"{error}")
    return Search(part, namespace, query, port, _SERVER, path)


def _serves(entry: Entry, part: str, service: ServiceFacts, view: ClusterView) -> bool:
    """Whether an endpoint is ready. One that nobody can ask about is taken to serve."""
    if service.type == "ExternalName":
        return True
    slices = slices_of(entry, part, service, view)
    if isinstance(slices, Unresolved):
        return True
    return any(is_ready(endpoint) for piece in slices for endpoint in piece.endpoints)
