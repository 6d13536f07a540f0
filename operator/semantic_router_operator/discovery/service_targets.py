"""From a Service and one of its ports to where a client connects."""

from collections.abc import Sequence

from semantic_router_operator import names
from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.model.facts import (
    EndpointSliceFacts,
    LabelQuery,
    ObjectRef,
    ServiceFacts,
    ServicePortFacts,
    SliceEndpointFacts,
)
from semantic_router_operator.model.resolution import Unresolved
from semantic_router_operator.ports import ClusterView


def is_ready(endpoint: SliceEndpointFacts) -> bool:
    """Whether traffic may go there: not terminating, and ready or not said to be unready."""
    return endpoint.ready is not False and not endpoint.terminating


def slices_of(
    entry: Entry, part: str, service: ServiceFacts, view: ClusterView
) -> tuple[EndpointSliceFacts, ...] | Unresolved:
    """The EndpointSlices of the Service that aren't being deleted, sorted by name."""
    query = LabelQuery({names.SERVICE_NAME_LABEL: service.name})
    found = view.endpoint_slices(service.namespace, query)
    if not isinstance(found, Sequence):
        return entry.unseen(part, ObjectRef("EndpointSlice", service.namespace, ""), found)
    return tuple(sorted((item for item in found if not item.deleting), key=lambda item: item.name))


def connect_port(
    entry: Entry, part: str, service: ServiceFacts, port: ServicePortFacts, view: ClusterView
) -> int | Unresolved:
    """The number to connect to.

    A headless Service has no proxy, so a client reaches the pod and needs the target port; a named
    one is what the EndpointSlices say for the port of the same name.
    """
    if not service.headless or service.external_name:
        return port.port
    if not isinstance(port.target_port, str):
        return port.target_port or port.port
    slices = slices_of(entry, part, service, view)
    if isinstance(slices, Unresolved):
        return slices
    with_endpoints = [item for item in slices if any(map(is_ready, item.endpoints))]
    numbers = {
        item.port
        for piece in with_endpoints or slices
        for item in piece.ports
        if item.name == port.name and item.port is not None
    }
    what = f"{service.ref} is headless and its target port {port.target_port}"
    if len(numbers) > 1:
        return entry.unresolved(
            "Ambiguous",
            part,
            f"{what} has several numbers in the pods; give it one number",
            source=service.ref,
        )
    if not numbers:
        return entry.unresolved(
            "NoReadyEndpoints",
            part,
            f"{what} is known only once a pod is ready; wait for one, or use a numeric targetPort",
            source=service.ref,
        )
    return numbers.pop()
