"""The host that a Service of type ExternalName stands for."""

from semantic_router_operator.discovery import addresses
from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.model.facts import ServiceFacts
from semantic_router_operator.model.resolution import Unresolved


def external_host(entry: Entry, part: str, service: ServiceFacts) -> str | Unresolved | None:
    """The checked externalName; None for any other type of Service.

    The name is an alias that DNS takes as complete, so a name of one label leads nowhere; and it
    may lead into another namespace, where the same rules hold as for a backend there.
    """
    if service.type != "ExternalName":
        return None
    try:
        host = addresses.host(service.external_name or "")
    except addresses.AddressError as error:
        return entry.invalid(part, f"{service.ref}: externalName: {error}; correct it")
    if "." not in host and not addresses.is_ip(host) and not addresses.is_loopback(host):
        return entry.invalid(part, f"{service.ref}: externalName is no full host name; correct it")
    return entry.refused_host(part, host) or host
