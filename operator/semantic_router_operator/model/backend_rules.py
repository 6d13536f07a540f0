"""That the fields of vllmEndpoints[].backend are those of its type.

The API server can't see `endpoint`, which is text or an object; the Go operator accepts the fields
of its three types under any of them, and a missing one. discovery/ judges these.
"""

from collections.abc import Mapping
from typing import Any, Final

from semantic_router_operator.model.cross_rule import CrossRule, said

_NEEDED: Final[Mapping[str, str]] = {
    "serviceSelector": "serviceSelector",
    "endpointslice": "endpointSlice",
    "url": "url",
    "provider": "provider",
}
"""Type that the Go operator doesn't have -> the field that describes it, as on the wire."""
_OWN: Final[Mapping[str, str]] = {
    **{field: type_ for type_, field in _NEEDED.items()},
    "kserve": "kserve",
    "llamastack": "llamastack",
}
"""Field that the Go operator doesn't have -> its type."""
_GO_TYPES: Final = ("service", "kserve", "llamastack")
_ATTRIBUTES: Final[Mapping[str, str]] = {
    "serviceSelector": "service_selector",
    "endpointSlice": "endpoint_slice",
}


def _field(backend: Any, name: str) -> object:
    return getattr(backend, _ATTRIBUTES.get(name, name))


def _has_what_it_needs(backend: Any) -> bool:
    needed = _NEEDED.get(backend.type)
    return needed is None or _field(backend, needed) is not None


def _has_no_other(backend: Any) -> bool:
    return all(_field(backend, name) is None for name in _OWN if _OWN[name] != backend.type)


def _has_no_legacy(backend: Any) -> bool:
    legacy = backend.service or backend.inference_service_name or backend.discovery_labels
    return backend.type in _GO_TYPES or not legacy


_LEGACY_CEL: Final = " || ".join(
    (
        said("service"),
        f"({said('inferenceServiceName')} && self.inferenceServiceName != '')",
        f"({said('discoveryLabels')} && self.discoveryLabels.size() > 0)",
    )
)
RULES: Final = (
    CrossRule(
        code="BackendIncomplete",
        message="the field that describes a backend of this type is missing; write "
        f"{', '.join(_NEEDED.values())}, as type says",
        holds=_has_what_it_needs,
        cel=" && ".join(
            f"(self.type != '{type_}' || {said(field)})" for type_, field in _NEEDED.items()
        ),
        judge="discovery",
    ),
    CrossRule(
        code="BackendMismatch",
        message="has a field of another type of backend; remove it, or change type",
        holds=_has_no_other,
        cel=" && ".join(
            f"(!{said(field)} || self.type == '{type_}')" for field, type_ in _OWN.items()
        ),
        judge="discovery",
    ),
    CrossRule(
        code="BackendLegacyField",
        message="service, inferenceServiceName and discoveryLabels belong to the types service, "
        "kserve and llamastack; remove them, or change type",
        holds=_has_no_legacy,
        cel=f"self.type in {list(_GO_TYPES)} || !({_LEGACY_CEL})",
        judge="discovery",
    ),
)
