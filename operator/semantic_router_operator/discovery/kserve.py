"""backend.type kserve: a KServe InferenceService or LLMInferenceService.

What the resource's status says is believed only while KServe stands by it, and only as far as a
Service confirms it; no name, port or scheme is made up (field cases KS-02 to KS-06).
"""

import re
from dataclasses import dataclass, replace

from semantic_router_operator.discovery import addresses, cluster_names, kserve_services
from semantic_router_operator.discovery.addresses import AddressError, Url
from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.discovery.kserve_services import Wish
from semantic_router_operator.discovery.service_ports import Scheme, wanted
from semantic_router_operator.model.endpoints import KServeBackend
from semantic_router_operator.model.facts import (
    Absent,
    InferenceServiceFacts,
    KindNotInstalled,
    Missing,
    NoAnswer,
    NotAllowed,
    ObjectRef,
    ServiceFacts,
)
from semantic_router_operator.model.resolution import (
    Note,
    Resolution,
    Resolved,
    Target,
    Unresolved,
)
from semantic_router_operator.ports import ClusterView

_PREDICT_PATH = re.compile(r"/v[12]/models/[^/]+(:predict|:explain|/infer)?")
"""What old releases put behind the address: a call of KServe's own protocol, no API root."""

_WORDS_LIMIT = 300
"""Characters of KServe's own message that are passed on: a status stays small."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What the CR asks for, checked."""

    part: str
    ref: ObjectRef
    port: int | str | None
    protocol: Scheme | None


def resolve(entry: Entry, backend: KServeBackend, view: ClusterView) -> Resolution:
    """The Service that KServe points to, with one consistent pair of protocol and port.

    `source` is the KServe resource.
    """
    request = _request(entry, backend)
    if isinstance(request, Unresolved):
        return request
    found = view.inference_service(backend.kind, request.ref.namespace, request.ref.name)
    if not isinstance(found, InferenceServiceFacts):
        return _missing(entry, request, found)
    waiting = _waiting(entry, request, found)
    if waiting is not None:
        return waiting
    resolution = _address(entry, request, found, view)
    if isinstance(resolution, Unresolved):
        return replace(resolution, source=request.ref)
    notes = (*resolution.notes, *_credential_note(entry, request, found))
    return replace(resolution, source=request.ref, notes=notes)


def _request(entry: Entry, backend: KServeBackend) -> _Request | Unresolved:
    short = entry.endpoint.backend.kserve is None
    part = "backend.inferenceServiceName" if short else "backend.kserve"
    name_part = part if short else f"{part}.name"
    if not all(addresses.is_label(label) for label in backend.name.split(".")):
        return entry.invalid(name_part, f"this is no name of an {backend.kind}")
    namespace = entry.namespace_of(part, backend.namespace)
    if isinstance(namespace, Unresolved):
        return namespace
    port = wanted(entry, f"{part}.port", backend.port)
    if isinstance(port, Unresolved):
        return port
    if backend.protocol and entry.connection.protocol not in {None, backend.protocol}:
        return entry.invalid(
            f"{part}.protocol", "this contradicts connection.protocol; keep one of them"
        )
    return _Request(
        part,
        ObjectRef(backend.kind, namespace, backend.name),
        port,
        backend.protocol or entry.connection.protocol,
    )


def _missing(entry: Entry, request: _Request, missing: Missing) -> Unresolved:
    result = entry.unseen(request.part, request.ref, missing)
    if not isinstance(missing, Absent):
        return result
    other = "LLMInferenceService" if request.ref.kind == "InferenceService" else "InferenceService"
    return replace(result, message=f"{result.message}; for an {other} set kserve.kind")


def _waiting(entry: Entry, request: _Request, found: InferenceServiceFacts) -> Unresolved | None:
    """Why the status can't be used yet, in KServe's own words where it has some (KS-03, KS-05)."""

    def not_ready(text: str) -> Unresolved:
        return entry.unresolved("NotReady", request.part, f"{found.ref} {text}", source=found.ref)

    if found.deleting:
        return not_ready("is being deleted; create it anew, or remove this entry")
    if found.ready != "True":
        words = ": ".join(text for text in (found.ready_reason, found.ready_message) if text)
        short = " ".join(words.split())[:_WORDS_LIMIT].rstrip(". ")
        said = f" ({short})" if short else ""
        return not_ready(f"is not ready{said}; look at its conditions")
    if found.observed_generation is not None and found.observed_generation < found.generation:
        late = not_ready("was changed and KServe has not looked at it yet; wait for it")
        return replace(late, uncertain=True)
    if not (found.address_url or found.url):
        return not_ready("has no URL in its status yet; wait for KServe to write it")
    return None


def _address(
    entry: Entry, request: _Request, found: InferenceServiceFacts, view: ClusterView
) -> Resolution:
    try:
        url = addresses.url(found.address_url or found.url or "")
    except AddressError as error:
        return entry.unresolved(
            "NotReady", request.part, f"the URL in the status of {found.ref} can't be used: {error}"
        )
    wish = Wish(request.part, request.port, request.protocol, url, found.auth_enabled)
    named = cluster_names.service_in(url.host, domain=entry.policy.cluster_domain)
    pointed = None if named is None else _pointed_at(entry, request, named, view)
    if isinstance(pointed, Unresolved):
        return pointed
    if pointed is not None:
        return kserve_services.target(entry, wish, pointed, view, base_path=_root(url))
    service = kserve_services.by_labels(entry, request.part, found, view)
    if isinstance(service, Unresolved):
        return service
    if service is None:
        return _without_service(entry, request, found, url=url, named=named)
    resolution = kserve_services.target(entry, wish, service, view, base_path="")
    return _noted(resolution, _detour(entry, request, found, named=named, service=service))


def _pointed_at(
    entry: Entry, request: _Request, named: tuple[str, str], view: ClusterView
) -> ServiceFacts | Unresolved | None:
    """The Service that the URL's host means; None when it isn't there."""
    service = view.service(*named)
    match service:
        case ServiceFacts():
            return None if service.deleting else service
        case Absent():
            return None
        case KindNotInstalled() | NotAllowed() | NoAnswer():
            return entry.unseen(request.part, ObjectRef("Service", *named), service)


def _detour(
    entry: Entry,
    request: _Request,
    found: InferenceServiceFacts,
    *,
    named: tuple[str, str] | None,
    service: ServiceFacts,
) -> Note | None:
    if named is None:
        return None
    missing = ObjectRef("Service", *named)
    text = f"{found.ref} points to {missing}, which does not exist; {service.ref} is used instead"
    return entry.note("AddressServiceMissing", request.part, text)


def _noted(resolution: Resolution, note: Note | None) -> Resolution:
    if note is None or isinstance(resolution, Unresolved):
        return resolution
    return replace(resolution, notes=(*resolution.notes, note))


def _without_service(
    entry: Entry,
    request: _Request,
    found: InferenceServiceFacts,
    *,
    url: Url,
    named: tuple[str, str] | None,
) -> Resolution:
    """An ingress's URL goes together as it is; one inside the cluster leads nowhere."""
    if named is not None:
        ref = ObjectRef("Service", *named)
        text = (
            f"{found.ref} points to {ref}, which does not exist, and no other Service carries its "
            "labels; look at KServe's controller"
        )
        return entry.unresolved("NotFound", request.part, text)
    if isinstance(request.port, str):
        return entry.unresolved(
            "PortNotFound",
            f"{request.part}.port",
            f"no Service was found whose port could be named {request.port}; give a number",
        )
    protocol = request.protocol or url.scheme
    port = request.port or (url.port if protocol == url.scheme else None)
    note = entry.note(
        "ExternalAddress",
        request.part,
        "no Service of it was found in the cluster; the external URL of its status is used",
    )
    return Resolved((Target(protocol, url.host, port, _root(url)),), notes=(note,))


def _root(url: Url) -> str:
    return "" if _PREDICT_PATH.fullmatch(url.path) else url.path


def _credential_note(
    entry: Entry, request: _Request, found: InferenceServiceFacts
) -> tuple[Note, ...]:
    if not found.auth_enabled or entry.has_credential:
        return ()
    text = (
        f"{found.ref} asks for a token and none is configured; give one in "
        "connection.auth.secretKeyRef"
    )
    return (entry.note("CredentialMissing", request.part, text),)
