"""status.backends: what became of each entry of spec.vllmEndpoints, and which models it serves."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from semantic_router_operator.model.endpoints import Endpoint
from semantic_router_operator.model.resolution import Resolution, Resolved, Target, Unresolved
from semantic_router_operator.model.status import BackendStatus
from semantic_router_operator.status import reasons, wording

TARGETS_SHOWN = 64
"""As many as discovery takes of one backend by default (endpointSlice.maxEndpoints)."""
MESSAGE_LIMIT = 512
"""Bytes of one entry's message: a router has many entries, and a status at most 8 KiB for 20."""

_URL = re.compile(
    r"(?P<protocol>https?)://(?:\[(?P<six>[0-9A-Fa-f:.%]+)\]|(?P<host>[^/:\[\]@?#\s]+))"
    r"(?::(?P<port>\d{1,5}))?(?P<base>(?:/[^/?#\s]+)*)"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the spec with what discovery found."""

    index: int
    endpoint: Endpoint
    resolution: Resolution

    @property
    def drained(self) -> bool:
        """Weight 0: left out of the document on purpose (field case SR-09)."""
        return self.endpoint.weight == 0

    @property
    def serves(self) -> bool:
        """Whether requests can reach it. An address that only the CR declares doesn't count; one
        that was found before and can't be asked for now does."""
        match self.resolution:
            case Resolved():
                return not self.drained
            case Unresolved(uncertain=uncertain, last_known=last_known):
                return not self.drained and uncertain and bool(last_known)

    @property
    def unresolved(self) -> Unresolved | None:
        """Why it has no address; None for one that is drained."""
        found = self.resolution
        return found if isinstance(found, Unresolved) and not self.drained else None


def entries(endpoints: Sequence[Endpoint], resolutions: Sequence[Resolution]) -> tuple[Entry, ...]:
    """Each entry with its resolution, in the order of the spec."""
    pairs = enumerate(zip(endpoints, resolutions, strict=True))
    return tuple(Entry(index, endpoint, found) for index, (endpoint, found) in pairs)


def backend_statuses(found: Sequence[Entry]) -> tuple[BackendStatus, ...]:
    """status.backends, one for each entry, in the order of the spec."""
    served = {entry.endpoint.model for entry in found if entry.serves}
    return tuple(
        _backend_status(entry, alone=entry.endpoint.model not in served) for entry in found
    )


def unserved_models(found: Sequence[Entry]) -> tuple[str, ...]:
    """Models with entries that should serve and none that does; drained ones apart."""
    served = {entry.endpoint.model for entry in found if entry.serves}
    missing = (e.endpoint.model for e in found if not e.drained and e.endpoint.model not in served)
    return tuple(dict.fromkeys(missing))


def drained_models(found: Sequence[Entry]) -> tuple[str, ...]:
    """Models of which every entry is drained."""
    active = {entry.endpoint.model for entry in found if not entry.drained}
    models = (entry.endpoint.model for entry in found)
    return tuple(dict.fromkeys(model for model in models if model not in active))


def unhelpable(found: Sequence[Entry]) -> bool:
    """Whether an unserved model has only entries that the user must edit."""
    causes: dict[str, set[str]] = {}
    for entry in found:
        if (why := entry.unresolved) is not None:
            causes.setdefault(entry.endpoint.model, set()).add(why.reason)
    return any(causes[model] <= reasons.UNHELPABLE for model in unserved_models(found))


def complaints(found: Iterable[Entry]) -> tuple[str, ...]:
    """One line for each entry without an address, beginning with its field path."""
    return tuple(
        f"{_with_path(entry, why.message)} (backend {entry.endpoint.name}: {why.reason})"
        for entry in found
        if (why := entry.unresolved) is not None
    )


def _with_path(entry: Entry, message: str) -> str:
    path = f"spec.vllmEndpoints[{entry.index}]"
    return message if message.startswith(path) else f"{path}: {message}"


def _backend_status(entry: Entry, *, alone: bool) -> BackendStatus:
    endpoint, found = entry.endpoint, entry.resolution
    state: Literal["Resolved", "Unresolved"]
    match found:
        case Resolved(targets=targets):
            state, reason = "Resolved", reasons.RESOLVED
        case Unresolved(last_known=last_known, uncertain=uncertain):
            targets = last_known if uncertain else ()
            state, reason = "Unresolved", str(found.reason)
    return BackendStatus(
        name=endpoint.name,
        model=endpoint.model,
        type=endpoint.backend.type,
        source="" if found.source is None else str(found.source),
        targets=tuple(document(target) for target in targets[:TARGETS_SHOWN]),
        state="Drained" if entry.drained else state,
        reason=reasons.DRAINED if entry.drained else reason,
        message=wording.joined(_remarks(entry, alone=alone), limit=MESSAGE_LIMIT),
    )


def _remarks(entry: Entry, *, alone: bool) -> list[str]:
    """What the message of one entry says."""
    drained = ["weight is 0: no request goes there"] if entry.drained else []
    match entry.resolution:
        case Resolved(notes=notes):
            return drained + [note.message for note in notes]
        case Unresolved(message=message, declared=declared, uncertain=uncertain) as found:
            kept: list[str] = []
            if uncertain and found.last_known:
                kept = ["the last known targets are kept"]
            elif declared is not None and alone and not entry.drained:
                kept = [f"{declared.url} stays configured; requests fail until it is there"]
            return [*drained, message, *kept]


def document(target: Target) -> dict[str, Any]:
    """How a target stands in the status: `{url, suffix?, apiVersion?, chatPath?}`."""
    optional = {
        "suffix": target.suffix,
        "apiVersion": target.api_version,
        "chatPath": target.chat_path,
    }
    return {"url": target.url, **{key: value for key, value in optional.items() if value}}


def read_target(item: object) -> Target | None:
    """The target that `document` wrote, or None for anything else."""
    if not isinstance(item, Mapping):
        return None
    found = _URL.fullmatch(_text(item, "url"))
    if found is None or not 0 < int(found["port"] or 1) <= 65535:
        return None
    return Target(
        protocol="https" if found["protocol"] == "https" else "http",
        host=found["six"] or found["host"],
        port=int(found["port"]) if found["port"] else None,
        base_path=found["base"],
        suffix=_text(item, "suffix"),
        api_version=_text(item, "apiVersion") or None,
        chat_path=_text(item, "chatPath") or None,
    )


def _text(item: Mapping[str, Any], key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""
