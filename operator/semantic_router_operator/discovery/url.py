"""backend.type url: an address with a scheme, as the CR gives it; nothing is looked up."""

from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.discovery.kinds import UrlBackend
from semantic_router_operator.discovery.url_targets import as_written
from semantic_router_operator.model.resolution import Resolution


def resolve(entry: Entry, backend: UrlBackend) -> Resolution:
    """The parts of the URL; a path becomes the base path."""
    return as_written(entry, "backend.url", backend.text)
