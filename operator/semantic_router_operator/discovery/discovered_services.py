"""Services that a label selector finds: listing them, and one target for each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from semantic_router_operator.discovery import service_ports
from semantic_router_operator.discovery.entry import Entry, scheme
from semantic_router_operator.discovery.external_names import external_host
from semantic_router_operator.discovery.service_annotations import Hints, hints
from semantic_router_operator.discovery.service_ports import PLAIN, Convention, PortFault
from semantic_router_operator.discovery.service_targets import connect_port
from semantic_router_operator.model.facts import (
    LabelQuery,
    ObjectRef,
    ServiceFacts,
    ServicePortFacts,
)
from semantic_router_operator.model.resolution import (
    Note,
    Resolution,
    Resolved,
    Target,
    Unresolved,
)
from semantic_router_operator.ports import ClusterView


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for, as the CR says it."""

    part: str
    """Path of the selector below the entry."""
    namespace: str
    query: LabelQuery
    port: int | str | None
    by: Convention = PLAIN
    base_path: str | None = None
    """Of the CR; before an annotation's."""


def query_of(
    entry: Entry,
    part: str,
    labels: Mapping[str, str],
    expressions: Iterable[Mapping[str, Any]] = (),
) -> LabelQuery | Unresolved:
    """The selector as a query. An empty one would match everything: Invalid (field case LS-01)."""
    requirements = tuple(expressions)
    if not labels and not requirements:
        return entry.invalid(part, "an empty selector is refused; give at least one label")
    for index, item in enumerate(requirements):
        operator, values = item.get("operator"), item.get("values")
        where = f"{part}.matchExpressions[{index}]"
        if not item.get("key"):
            return entry.invalid(f"{where}.key", "a requirement needs a key")
        if operator not in {"In", "NotIn", "Exists", "DoesNotExist"}:
            return entry.invalid(f"{where}.operator", "use In, NotIn, Exists or DoesNotExist")
        if bool(values) != (operator in {"In", "NotIn"}):
            return entry.invalid(
                f"{where}.values", "In and NotIn need values; Exists and DoesNotExist have none"
            )
    return LabelQuery(dict(labels), requirements)


def found(entry: Entry, search: Search, view: ClusterView) -> tuple[ServiceFacts, ...] | Unresolved:
    """The matching Services sorted by name, without those being deleted and the router's own."""
    answer = view.services(search.namespace, search.query)
    if not isinstance(answer, Sequence):
        return entry.unseen(search.part, ObjectRef("Service", search.namespace, ""), answer)
    usable = [
        item
        for item in answer
        if not item.deleting and not (entry.owner and entry.owner in item.owners)
    ]
    if not usable:
        return entry.unresolved(
            "NoMatch",
            search.part,
            f"no Service of namespace {search.namespace} has these labels; correct them",
        )
    return tuple(sorted(usable, key=lambda item: item.name))


def each(
    entry: Entry, search: Search, services: Iterable[ServiceFacts], view: ClusterView
) -> Resolution:
    """One target for each Service.

    A Service without a usable port becomes a note while others serve. One of which the cluster
    could not be asked makes the whole answer uncertain: half a list would move traffic.
    """
    targets: list[Target] = []
    notes: list[Note] = []
    faults: list[Unresolved] = []
    for service in services:
        hint = hints(entry, search.part, service)
        notes.extend(hint.notes)
        target = _target(entry, search, service, hint, view)
        if isinstance(target, Target):
            targets.append(target)
        elif target.uncertain:
            return target
        else:
            faults.append(target)
    if not targets:
        return replace(faults[0], message="; ".join(fault.message for fault in faults))
    notes.extend(Note(fault.reason, fault.message) for fault in faults)
    return Resolved(tuple(targets), notes=tuple(notes))


def _target(
    entry: Entry, search: Search, service: ServiceFacts, hint: Hints, view: ClusterView
) -> Target | Unresolved:
    port = _port(entry, search, service, hint)
    if isinstance(port, PortFault):
        text = f"{service.ref} {port.text}"
        return entry.unresolved(port.reason, search.part, text, source=service.ref)
    number = connect_port(entry, search.part, service, port, view)
    host = external_host(entry, search.part, service) or entry.fqdn(service.name, service.namespace)
    if isinstance(number, Unresolved):
        return number
    if isinstance(host, Unresolved):
        return host
    return Target(
        protocol=scheme(entry, service_ports.protocol(port) or hint.protocol),
        host=host,
        port=number,
        base_path=search.base_path if search.base_path is not None else hint.base_path or "",
        suffix=service.name,
        api_version=hint.api_version,
        chat_path=hint.chat_path,
    )


def _port(
    entry: Entry, search: Search, service: ServiceFacts, hint: Hints
) -> ServicePortFacts | PortFault:
    if search.port is not None:
        return service_ports.listed(service.ports, search.port)
    chosen = service_ports.serving(service.ports, scheme=entry.connection.protocol, by=search.by)
    if isinstance(chosen, PortFault) and hint.port is not None:
        return service_ports.listed(service.ports, hint.port)
    return chosen
