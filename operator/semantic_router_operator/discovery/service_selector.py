"""backend.type serviceSelector: every Service that has the labels."""

from semantic_router_operator.discovery import discovered_services, service_ports
from semantic_router_operator.discovery.discovered_services import Search
from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.model.endpoints import ServiceSelectorBackend
from semantic_router_operator.model.resolution import Resolution, Unresolved
from semantic_router_operator.ports import ClusterView

_PART = "backend.serviceSelector"


def resolve(entry: Entry, backend: ServiceSelectorBackend, view: ClusterView) -> Resolution:
    """One target for each matching Service, sorted by name."""
    query = discovered_services.query_of(
        entry, _PART, backend.match_labels, backend.match_expressions
    )
    if isinstance(query, Unresolved):
        return query
    namespace = entry.namespace_of(_PART, backend.namespace)
    if isinstance(namespace, Unresolved):
        return namespace
    port = service_ports.wanted(entry, f"{_PART}.port", backend.port)
    if isinstance(port, Unresolved):
        return port
    search = Search(_PART, namespace, query, port)
    services = discovered_services.found(entry, search, view)
    if isinstance(services, Unresolved):
        return services
    return discovered_services.each(entry, search, services, view)
