"""The Services that KServe makes: finding them by its labels, and the pair of protocol and port."""

from collections.abc import Sequence
from dataclasses import dataclass

from semantic_router_operator.discovery import service_ports
from semantic_router_operator.discovery.addresses import Url
from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.discovery.service_ports import PortFault, Scheme
from semantic_router_operator.discovery.service_targets import connect_port
from semantic_router_operator.model.facts import (
    InferenceServiceFacts,
    LabelQuery,
    ObjectRef,
    ServiceFacts,
    ServicePortFacts,
)
from semantic_router_operator.model.resolution import Resolution, Resolved, Target, Unresolved
from semantic_router_operator.ports import ClusterView

_INFERENCE_SERVICE_LABEL = "serving.kserve.io/inferenceservice"
_COMPONENT_LABEL = "component"
_LLM_LABELS = {
    "app.kubernetes.io/part-of": "llminferenceservice",
    "app.kubernetes.io/component": "llminferenceservice-workload",
}
_LLM_NAME_LABEL = "app.kubernetes.io/name"


@dataclass(frozen=True, slots=True)
class Wish:
    """Which port of the Service: the CR's wishes first, then what KServe's URL says."""

    part: str
    port: int | str | None
    protocol: Scheme | None
    url: Url
    auth: bool
    """The pods are behind an authenticating proxy, which answers on the https port."""


def by_labels(
    entry: Entry, part: str, found: InferenceServiceFacts, view: ClusterView
) -> ServiceFacts | Unresolved | None:
    """The Service in front of the pods; None when there is none.

    Long names are cut and hashed, so that a Service's name can't be derived (field case KS-05). A
    transformer, where the resource has one, stands before the predictor. Services without a port
    (the head of a multi-node group) serve nobody; among several the owned one counts.
    """
    answer = view.services(found.namespace, _query(found))
    if not isinstance(answer, Sequence):
        return entry.unseen(part, ObjectRef("Service", found.namespace, ""), answer)
    usable = [service for service in answer if not service.deleting and service.ports]
    usable = [service for service in usable if found.uid in service.owners] or usable
    if len(usable) > 1:
        which = ", ".join(sorted(str(service.ref) for service in usable))
        text = (
            f"several Services carry the labels of {found.ref}: {which}; use type service for one"
        )
        return entry.unresolved("Ambiguous", part, text)
    return usable[0] if usable else None


def target(
    entry: Entry, wish: Wish, service: ServiceFacts, view: ClusterView, *, base_path: str
) -> Resolution:
    """The target behind one Service.

    An ExternalName Service keeps its own name: it is Knative's alias of a gateway that routes by
    the Host header.
    """
    port = _port(wish, service)
    if isinstance(port, PortFault):
        text = f"{service.ref} {port.text}"
        return entry.unresolved(port.reason, wish.part, text, source=service.ref)
    number = connect_port(entry, wish.part, service, port, view)
    if isinstance(number, Unresolved):
        return number
    host = entry.fqdn(service.name, service.namespace)
    return Resolved((Target(_protocol(wish, port), host, number, base_path),))


def _query(found: InferenceServiceFacts) -> LabelQuery:
    if found.kind == "LLMInferenceService":
        return LabelQuery({**_LLM_LABELS, _LLM_NAME_LABEL: found.name})
    component = "transformer" if found.has_transformer else "predictor"
    return LabelQuery({_INFERENCE_SERVICE_LABEL: found.name, _COMPONENT_LABEL: component})


def _port(wish: Wish, service: ServiceFacts) -> ServicePortFacts | PortFault:
    if wish.port is not None:
        chosen = service_ports.listed(service.ports, wish.port)
        if isinstance(chosen, PortFault) and service.headless and isinstance(wish.port, int):
            return _bare(wish.port)  # the pods themselves: any port that they open
        return chosen
    if not service.ports and service.type == "ExternalName":
        return _bare(wish.url.effective_port)
    if wish.auth and wish.protocol is None:
        return service_ports.serving(service.ports, scheme="https")
    if wish.url.port is not None:
        stated = _of_url(service, wish.url.port)
        if stated is not None:
            return stated
    return service_ports.serving(service.ports, scheme=wish.protocol or wish.url.scheme)


def _of_url(service: ServiceFacts, number: int) -> ServicePortFacts | None:
    for port in sorted(service.ports, key=lambda item: item.port):
        same = port.port == number or (service.headless and port.target_port == number)
        if same and port.protocol == "TCP":
            return port
    return None


def _bare(number: int) -> ServicePortFacts:
    return ServicePortFacts(None, number, None, "TCP", None)


def _protocol(wish: Wish, port: ServicePortFacts) -> Scheme:
    """The CR's, else what the port says, else the URL's where the URL means that very port."""
    stated = wish.protocol or service_ports.protocol(port)
    if stated is not None:
        return stated
    same = wish.url.effective_port in {port.port, port.target_port}
    return wish.url.scheme if same else "http"
