"""A URL that the CR gives, as a target."""

from semantic_router_operator.discovery import addresses, cluster_names
from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.model.resolution import Resolution, Resolved, Target


def as_written(entry: Entry, part: str, text: str) -> Resolution:
    """The parts of the URL with a qualified host; the port only where the URL has one."""
    try:
        url = addresses.url(text)
        host = cluster_names.qualified(
            url.host, namespace=entry.namespace, domain=entry.policy.cluster_domain
        )
    except addresses.AddressError as error:
        return entry.invalid(part, f"{error}")
    if entry.connection.protocol not in {None, url.scheme}:
        return entry.invalid(
            part, f"the scheme {url.scheme} contradicts connection.protocol; make them agree"
        )
    return entry.refused_host(part, host) or Resolved(
        (Target(url.scheme, host, url.port, url.path),)
    )
