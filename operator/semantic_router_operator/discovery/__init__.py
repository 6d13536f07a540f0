"""Stage discover: from what the CR refers to, to addresses. Reads caches, writes nothing.

One module per kind of backend, each with one `resolve`; they know nothing of each other. What all
of them share is done here, once: the CR's base path, the router's ban on https to an IP address,
warnings that follow from the address alone, and the last known targets.
"""

from collections.abc import Mapping
from dataclasses import replace

from semantic_router_operator.discovery import (
    addresses,
    endpoint,
    endpoint_slice,
    gateway,
    kserve,
    llama_stack,
    provider,
    service,
    service_selector,
    url,
)
from semantic_router_operator.discovery.entry import DiscoveryPolicy, Entry
from semantic_router_operator.discovery.kinds import (
    AsWritten,
    EndpointBackend,
    LookedUp,
    UrlBackend,
    ignored_fields,
    kind_of,
    own_part,
)
from semantic_router_operator.model.endpoints import (
    EndpointSliceBackend,
    KServeBackend,
    LlamaStackBackend,
    ProviderBackend,
    ServiceBackend,
    ServiceSelectorBackend,
)
from semantic_router_operator.model.resolution import (
    Discovery,
    LastKnown,
    Resolution,
    Resolved,
    Target,
    Unresolved,
)
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.ports import ClusterView

__all__ = ["DiscoveryPolicy", "discover"]


def discover(
    router: SemanticRouter,
    view: ClusterView,
    *,
    policy: DiscoveryPolicy,
    last_known: Mapping[str, LastKnown],
) -> Discovery:
    """One Resolution for each entry of spec.vllmEndpoints, in its order, and the Gateway.

    `last_known`: endpoint name -> what the previous status says of it. The result depends on
    nothing but the arguments, and not on the order in which the view lists objects. Raises
    nothing.
    """
    entries = (
        Entry(item, index, router.namespace, router.metadata.uid, policy)
        for index, item in enumerate(router.spec.vllm_endpoints)
    )
    return Discovery(
        endpoints=tuple(_resolution(entry, view, last_known) for entry in entries),
        gateway=gateway.resolve(router, view),
    )


def _resolution(entry: Entry, view: ClusterView, last_known: Mapping[str, LastKnown]) -> Resolution:
    try:
        text = entry.connection.base_path
        base_path = None if text is None else addresses.base_path(text)
    except addresses.AddressError as error:
        return entry.invalid("connection.basePath", f"{error}")
    kind = kind_of(entry)
    if isinstance(kind, Unresolved):
        return kind
    found = _look_up(entry, kind, view)
    if isinstance(found, Resolved):
        return _finished(entry, replace(found, targets=_with_path(found.targets, base_path)))
    declared = _with_path((found.declared,) if found.declared else (), base_path)
    known = _known(entry, found, last_known) if found.uncertain else ()
    allowed = tuple(item for item in known if _may_keep(entry, item))
    return replace(
        found,
        declared=declared[0] if declared else None,
        last_known=_with_path(allowed, base_path),
    )


def _known(
    entry: Entry, found: Unresolved, last_known: Mapping[str, LastKnown]
) -> tuple[Target, ...]:
    """Targets count as known only where type and source are the same: each adapter gives one
    source, whether it finds, waits or can't ask."""
    known = last_known.get(entry.endpoint.name)
    if known is None or known.type != entry.endpoint.backend.type:
        return ()
    source = "" if found.source is None else str(found.source)
    return known.targets if known.source == source else ()


def _look_up(entry: Entry, kind: LookedUp | AsWritten, view: ClusterView) -> Resolution:
    match kind:
        case ServiceBackend():
            return service.resolve(entry, kind, view)
        case ServiceSelectorBackend():
            return service_selector.resolve(entry, kind, view)
        case EndpointSliceBackend():
            return endpoint_slice.resolve(entry, kind, view)
        case KServeBackend():
            return kserve.resolve(entry, kind, view)
        case LlamaStackBackend():
            return llama_stack.resolve(entry, kind, view)
        case EndpointBackend() | UrlBackend() | ProviderBackend():
            return _as_written(entry, kind)


def _as_written(entry: Entry, kind: AsWritten) -> Resolution:
    match kind:
        case EndpointBackend():
            return endpoint.resolve(entry, kind)
        case UrlBackend():
            return url.resolve(entry, kind)
        case ProviderBackend():
            return provider.resolve(entry, kind)


def _with_path(targets: tuple[Target, ...], base_path: str | None) -> tuple[Target, ...]:
    """connection.basePath wins over what discovery found."""
    if base_path is None:
        return targets
    return tuple(replace(target, base_path=base_path) for target in targets)


def _finished(entry: Entry, found: Resolved) -> Resolution:
    """What follows from the addresses alone."""
    part = own_part(entry)
    for target in found.targets:
        if target.protocol == "https" and addresses.is_ip(target.host):
            return entry.invalid(
                part,
                f"the router refuses https to an IP address ({target.host}); use a DNS name, for "
                "addresses of pods type service",
            )
    loopback = tuple(
        entry.note(
            "Loopback",
            part,
            f"{target.host} is the router's own pod, where no model listens; use the address of "
            "the model's Service",
        )
        for target in found.targets
        if addresses.is_loopback(target.host)
    )
    return replace(found, notes=(*found.notes, *ignored_fields(entry), *loopback))


def _may_keep(entry: Entry, target: Target) -> bool:
    """Whether the rules on other namespaces allow a target that an older CR was resolved to.

    KServe's own gateway may be in another namespace; only the resource must not be.
    """
    kserve_says = entry.endpoint.backend.type == "kserve"
    return kserve_says or entry.refused_host("backend", target.host) is None
