"""backend.type endpointslice: the ready addresses behind a Service, one target each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from semantic_router_operator import names
from semantic_router_operator.discovery import (
    addresses,
    discovered_services,
    service_ports,
    slice_addresses,
)
from semantic_router_operator.discovery.entry import Entry, scheme
from semantic_router_operator.discovery.service_ports import PortFault
from semantic_router_operator.discovery.slice_addresses import Family
from semantic_router_operator.model.endpoints import EndpointSliceBackend
from semantic_router_operator.model.facts import (
    Absent,
    EndpointSliceFacts,
    LabelQuery,
    NoAnswer,
    NotAllowed,
    ObjectRef,
    ServiceFacts,
    ServicePortFacts,
)
from semantic_router_operator.model.resolution import Resolution, Resolved, Unresolved
from semantic_router_operator.ports import ClusterView

_PART = "backend.endpointSlice"


@dataclass(frozen=True, slots=True)
class _Slices:
    """What the look-ups gave: the slices by name, and the one Service they belong to."""

    pieces: tuple[EndpointSliceFacts, ...]
    ref: ObjectRef | None
    service: ServiceFacts | NotAllowed | NoAnswer | None


def resolve(entry: Entry, backend: EndpointSliceBackend, view: ClusterView) -> Resolution:
    """The addresses in order, numerically, at most `maxEndpoints`, of one address family.

    Which port and family: the CR's, else the only port that serves and the Service's first family.
    `source` is the Service that the CR names; what a selector finds has none.
    """
    found = _resolve(entry, backend, view)
    return found if backend.service_name else replace(found, source=None)


def _resolve(entry: Entry, backend: EndpointSliceBackend, view: ClusterView) -> Resolution:
    port = service_ports.wanted(entry, f"{_PART}.port", backend.port)
    if isinstance(port, Unresolved):
        return port
    slices = _look_up(entry, backend, view)
    if isinstance(slices, Unresolved):
        return slices
    family = _family(entry, backend, slices)
    if isinstance(family, Unresolved):
        return family
    pieces = [piece for piece in slices.pieces if piece.address_type == family]
    if not slice_addresses.any_ready(pieces):
        what = f"{slices.ref or 'the selected EndpointSlices'}"
        return entry.unresolved(
            "NoReadyEndpoints",
            _PART,
            f"no {family} address is ready behind {what}; look at its pods",
            source=slices.ref,
        )
    return _targets(entry, backend, slices.ref, pieces=pieces, port=port)


def _targets(
    entry: Entry,
    backend: EndpointSliceBackend,
    ref: ObjectRef | None,
    *,
    pieces: Sequence[EndpointSliceFacts],
    port: int | str | None,
) -> Resolution:
    chosen = _port(entry, pieces, port)
    if isinstance(chosen, PortFault):
        text = f"{ref or 'the selection'} {chosen.text}"
        return entry.unresolved(chosen.reason, f"{_PART}.port", text, source=ref)
    by_number = isinstance(port, int)
    found = slice_addresses.collect(pieces, chosen, by_number=by_number)
    targets = slice_addresses.targets(found.usable, scheme(entry, service_ports.protocol(chosen)))
    notes = [
        entry.note("BadAddress", _PART, f"{name}: an address is ignored: {text}")
        for name, text in found.bad
    ]
    if not targets:
        return entry.unresolved(
            "NoReadyEndpoints",
            _PART,
            "no ready address has that port; look at the pods",
            source=ref,
        )
    if len(targets) > backend.max_endpoints:
        notes.append(
            entry.note(
                "TooManyEndpoints",
                f"{_PART}.maxEndpoints",
                f"more than {backend.max_endpoints} addresses are ready; the rest is left out: "
                "raise maxEndpoints or use type service",
            )
        )
    return Resolved(targets[: backend.max_endpoints], ref, tuple(notes))


def _look_up(
    entry: Entry, backend: EndpointSliceBackend, view: ClusterView
) -> _Slices | Unresolved:
    query = _query(entry, backend)
    if isinstance(query, Unresolved):
        return query
    namespace = entry.namespace_of(_PART, backend.namespace)
    if isinstance(namespace, Unresolved):
        return namespace
    answer = view.endpoint_slices(namespace, query)
    if not isinstance(answer, Sequence):
        unseen = entry.unseen(_PART, ObjectRef("EndpointSlice", namespace, ""), answer)
        return replace(unseen, source=ObjectRef("Service", namespace, backend.service_name or ""))
    pieces = tuple(
        sorted((item for item in answer if not item.deleting), key=lambda item: item.name)
    )
    owners = {item.service for item in pieces if item.service}
    name = backend.service_name or (owners.pop() if len(owners) == 1 else None)
    if name is not None:
        return _with_service(entry, pieces, ObjectRef("Service", namespace, name), view)
    if not pieces:
        text = f"no EndpointSlice of namespace {namespace} has these labels; correct them"
        return entry.unresolved("NoMatch", f"{_PART}.selector", text)
    return _Slices(pieces, None, None)


def _with_service(
    entry: Entry, pieces: tuple[EndpointSliceFacts, ...], ref: ObjectRef, view: ClusterView
) -> _Slices | Unresolved:
    """The Service tells the first address family; slices may also stand without one."""
    service = view.service(ref.namespace, ref.name)
    if isinstance(service, Absent) and not pieces:
        return entry.unseen(_PART, ref, service)
    if isinstance(service, ServiceFacts) and service.deleting:
        text = f"{ref} is being deleted; create it anew, or correct the name"
        return entry.unresolved("NotFound", _PART, text, source=ref)
    known = service if isinstance(service, ServiceFacts | NotAllowed | NoAnswer) else None
    return _Slices(pieces, ref, known)


def _query(entry: Entry, backend: EndpointSliceBackend) -> LabelQuery | Unresolved:
    if backend.service_name and not addresses.is_label(backend.service_name):
        return entry.invalid(f"{_PART}.serviceName", "this is no name of a Service")
    if backend.service_name and backend.selector is None:
        return LabelQuery({names.SERVICE_NAME_LABEL: backend.service_name})
    if backend.selector is not None and not backend.service_name:
        return discovered_services.query_of(
            entry,
            f"{_PART}.selector",
            backend.selector.match_labels,
            backend.selector.match_expressions,
        )
    return entry.invalid(_PART, "give exactly one of serviceName and selector")


def _family(entry: Entry, backend: EndpointSliceBackend, slices: _Slices) -> Family | Unresolved:
    """One family, so that no pod counts twice (field case DS-03)."""
    if backend.address_family is not None:
        return backend.address_family
    present = {item.address_type for item in slices.pieces}
    if "FQDN" in present and not present & {"IPv4", "IPv6"}:
        return "FQDN"
    ready = {item.address_type for item in slices.pieces if slice_addresses.any_ready([item])}
    unseen = slices.service if isinstance(slices.service, NotAllowed | NoAnswer) else None
    if unseen is not None and {"IPv4", "IPv6"} <= ready and slices.ref:
        return entry.unseen(_PART, slices.ref, unseen)
    if isinstance(slices.service, ServiceFacts) and slices.service.ip_families:
        first: Literal["IPv4", "IPv6"] = (
            "IPv6" if slices.service.ip_families[0] == "IPv6" else "IPv4"
        )
        return first
    return "IPv6" if "IPv6" in ready and "IPv4" not in ready else "IPv4"


def _port(
    entry: Entry, pieces: Iterable[EndpointSliceFacts], wanted: int | str | None
) -> ServicePortFacts | PortFault:
    """A port of the slices. One name may have several numbers, one for each kind of pod."""
    by_name: dict[tuple[str | None, int], ServicePortFacts] = {}
    for piece in pieces:
        for item in piece.ports:
            if item.port is not None and slice_addresses.any_ready([piece]):
                facts = ServicePortFacts(
                    item.name, item.port, None, item.protocol, item.app_protocol
                )
                by_name[item.name, item.port] = facts
    if wanted is not None:
        return service_ports.listed(by_name.values(), wanted)
    one_of_each = {facts.name: facts for _, facts in sorted(by_name.items(), key=_by_number)}
    return service_ports.serving(one_of_each.values(), scheme=entry.connection.protocol)


def _by_number(item: tuple[tuple[str | None, int], ServicePortFacts]) -> tuple[int, str]:
    return item[0][1], item[0][0] or ""
