"""backend.type service: a Service by name."""

from dataclasses import replace

from semantic_router_operator.discovery import addresses, service_ports
from semantic_router_operator.discovery.entry import Entry, scheme
from semantic_router_operator.discovery.external_names import external_host
from semantic_router_operator.discovery.service_ports import PortFault
from semantic_router_operator.discovery.service_targets import connect_port
from semantic_router_operator.model.endpoints import ServiceBackend
from semantic_router_operator.model.facts import ObjectRef, ServiceFacts, ServicePortFacts
from semantic_router_operator.model.resolution import Resolution, Resolved, Target, Unresolved
from semantic_router_operator.ports import ClusterView

_PART = "backend.service"


def resolve(entry: Entry, backend: ServiceBackend, view: ClusterView) -> Resolution:
    """The Service's qualified name and the port to connect to.

    Unless the CR itself is wrong, an unresolved one carries the address that the CR declares.
    """
    if not addresses.is_label(backend.name):
        return entry.invalid(f"{_PART}.name", "this is no name of a Service")
    namespace = entry.namespace_of(_PART, backend.namespace)
    if isinstance(namespace, Unresolved):
        return namespace
    port = service_ports.wanted(entry, f"{_PART}.port", backend.port)
    if isinstance(port, Unresolved) or port is None:
        return port or entry.invalid(f"{_PART}.port", "the port is missing")
    found = _look_up(entry, ObjectRef("Service", namespace, backend.name), port, view)
    if isinstance(found, Unresolved) and found.reason != "Invalid" and isinstance(port, int):
        host = entry.fqdn(backend.name, namespace)
        return replace(found, declared=Target(scheme(entry, None), host, port))
    return found


def _look_up(entry: Entry, ref: ObjectRef, port: int | str, view: ClusterView) -> Resolution:
    found = view.service(ref.namespace, ref.name)
    if not isinstance(found, ServiceFacts):
        return entry.unseen(_PART, ref, found)
    if found.deleting:
        text = f"{ref} is being deleted; create it anew, or correct the name"
        return entry.unresolved("NotFound", _PART, text, source=ref)
    chosen = service_ports.listed(found.ports, port)
    if isinstance(chosen, PortFault) and found.type == "ExternalName" and isinstance(port, int):
        chosen = ServicePortFacts(
            None, port, None, "TCP", None
        )  # nothing proxies: any port will do
    if isinstance(chosen, PortFault):
        text = f"{ref} {chosen.text}"
        return entry.unresolved(chosen.reason, f"{_PART}.port", text, source=ref)
    host = external_host(entry, _PART, found) or entry.fqdn(ref.name, ref.namespace)
    if isinstance(host, Unresolved):
        return host
    number = connect_port(entry, _PART, found, chosen, view)
    if isinstance(number, Unresolved):
        return replace(number, source=ref)
    return Resolved((Target(scheme(entry, service_ports.protocol(chosen)), host, number),), ref)
