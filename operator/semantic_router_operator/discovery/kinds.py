"""Which kind of backend an entry has: one typed value, or what is wrong with the entry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.model.endpoints import (
    Backend,
    BackendType,
    EndpointSliceBackend,
    KServeBackend,
    LlamaStackBackend,
    ProviderBackend,
    ServiceBackend,
    ServiceSelectorBackend,
)
from semantic_router_operator.model.resolution import Note, Unresolved


@dataclass(frozen=True, slots=True)
class EndpointBackend:
    """backend.endpoint: {host, port} or "host:port"."""

    value: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class UrlBackend:
    """backend.url."""

    text: str


LookedUp = (
    ServiceBackend
    | ServiceSelectorBackend
    | EndpointSliceBackend
    | KServeBackend
    | LlamaStackBackend
)
AsWritten = EndpointBackend | UrlBackend | ProviderBackend
Kind = LookedUp | AsWritten

_OWN: dict[BackendType, tuple[str, ...]] = {
    "service": ("service",),
    "serviceSelector": ("serviceSelector",),
    "endpointslice": ("endpointSlice",),
    "kserve": ("kserve", "inferenceServiceName"),
    "llamastack": ("llamastack", "discoveryLabels"),
    "endpoint": ("endpoint",),
    "url": ("url",),
    "provider": ("provider",),
}
"""Type -> the fields that describe it; of two the second is the Go operator's spelling."""
_GO_FIELDS = {
    "service": "service",
    "kserve": "inferenceServiceName",
    "llamastack": "discoveryLabels",
}
"""The Go operator's types and fields. It ignores the fields of another type, so a CR that it
accepts may have them."""


def own_part(entry: Entry) -> str:
    """Path of the field that describes the backend, below the entry."""
    own = _OWN[entry.endpoint.backend.type]
    given = [field for field in _given(entry.endpoint.backend) if field in own]
    return f"backend.{(given or own)[0]}"


def kind_of(entry: Entry) -> Kind | Unresolved:
    """The backend as its own type.

    Invalid when the type's field is missing, when a field of another type is there (exactly one
    kind), or when two spellings of one thing differ.
    """
    backend = entry.endpoint.backend
    own = _OWN[backend.type]
    for field in _foreign(backend):
        if field not in _ignored(backend):
            return entry.invalid(
                f"backend.{field}",
                f"this belongs to another type of backend than {backend.type}; remove it, or "
                "change backend.type",
            )
    kind = _BUILDERS[backend.type](backend)
    if kind is None:
        return entry.invalid(f"backend.{own[0]}", f"type {backend.type} needs this field")
    if not _spellings_agree(backend):
        return entry.invalid(
            f"backend.{own[1]}", f"this contradicts backend.{own[0]}; keep only backend.{own[0]}"
        )
    return kind


def ignored_fields(entry: Entry) -> tuple[Note, ...]:
    """Notes on fields of other types that the Go operator let stand."""
    backend = entry.endpoint.backend
    return tuple(
        entry.note("IgnoredField", f"backend.{field}", f"ignored by type {backend.type}; remove it")
        for field in _ignored(backend)
    )


def _given(backend: Backend) -> list[str]:
    values: dict[str, object] = {
        "service": backend.service,
        "serviceSelector": backend.service_selector,
        "endpointSlice": backend.endpoint_slice,
        "kserve": backend.kserve,
        "inferenceServiceName": backend.inference_service_name or None,
        "llamastack": backend.llamastack,
        "discoveryLabels": backend.discovery_labels or None,
        "endpoint": backend.endpoint,
        "url": backend.url,
        "provider": backend.provider,
    }
    return [field for field, value in values.items() if value is not None]


def _foreign(backend: Backend) -> list[str]:
    return [field for field in _given(backend) if field not in _OWN[backend.type]]


def _ignored(backend: Backend) -> list[str]:
    if backend.type not in _GO_FIELDS:
        return []
    return [field for field in _foreign(backend) if field in _GO_FIELDS.values()]


def _spellings_agree(backend: Backend) -> bool:
    if backend.kserve and backend.inference_service_name:
        return backend.kserve.name == backend.inference_service_name
    if backend.llamastack and backend.llamastack.match_labels and backend.discovery_labels:
        return backend.llamastack.match_labels == backend.discovery_labels
    return True


def _kserve(backend: Backend) -> KServeBackend | None:
    if backend.kserve is None and backend.inference_service_name:
        return KServeBackend(name=backend.inference_service_name)
    return backend.kserve


def _llama_stack(backend: Backend) -> LlamaStackBackend | None:
    given, labels = backend.llamastack, backend.discovery_labels
    if labels and (given is None or not given.match_labels):
        return (given or LlamaStackBackend()).model_copy(update={"match_labels": labels})
    return given


_BUILDERS: dict[BackendType, Callable[[Backend], Kind | None]] = {
    "service": lambda backend: backend.service,
    "serviceSelector": lambda backend: backend.service_selector,
    "endpointslice": lambda backend: backend.endpoint_slice,
    "kserve": _kserve,
    "llamastack": _llama_stack,
    "endpoint": lambda backend: (
        None if backend.endpoint is None else EndpointBackend(backend.endpoint)
    ),
    "url": lambda backend: None if backend.url is None else UrlBackend(backend.url),
    "provider": lambda backend: backend.provider,
}
