"""Reading a status back: what an earlier pass, another version or the Go operator wrote.

Nothing here fails on what it finds: what isn't as we would write it counts as absent.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from semantic_router_operator.model.resolution import LastKnown, Target
from semantic_router_operator.model.status import (
    BackendStatus,
    ConditionStatus,
    ConditionType,
    Goodness,
)
from semantic_router_operator.status import reasons
from semantic_router_operator.status.backends import document, read_target

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A condition as it stands in a status."""

    type: ConditionType
    status: ConditionStatus
    reason: str
    message: str
    since: str
    """lastTransitionTime, as it was written."""
    generation: int


def conditions(status: Mapping[str, Any]) -> dict[ConditionType, Recorded]:
    """The legal conditions of our types."""
    fallback = max(0, whole(status, "observedGeneration") or 0)
    found = (_condition(item, fallback) for item in items(status, "conditions"))
    return {item.type: item for item in found if item is not None}


def _condition(item: Mapping[str, Any], fallback: int) -> Recorded | None:
    since, reason = text(item, "lastTransitionTime"), text(item, "reason")
    kind = next((one for one in get_args(ConditionType) if one == item.get("type")), None)
    state = next((one for one in get_args(ConditionStatus) if one == item.get("status")), None)
    legal = reasons.legal(reason) and _TIME.fullmatch(since) is not None
    if kind is None or state is None or not legal:
        return None
    generation = whole(item, "observedGeneration")
    return Recorded(
        type=kind,
        status=state,
        reason=reason,
        message=text(item, "message"),
        since=since,
        generation=fallback if generation is None or generation < 0 else generation,
    )


def backends(status: Mapping[str, Any]) -> tuple[BackendStatus, ...]:
    """The entries of status.backends that have a name and a known state."""
    found = (_backend(item) for item in items(status, "backends"))
    return tuple(item for item in found if item is not None)


_STATES: tuple[Literal["Resolved", "Drained", "Unresolved"], ...] = (
    "Resolved",
    "Drained",
    "Unresolved",
)


def _backend(item: Mapping[str, Any]) -> BackendStatus | None:
    name = text(item, "name")
    known = next((one for one in _STATES if one == item.get("state")), None)
    if not name or known is None:
        return None
    return BackendStatus(
        name=name,
        model=text(item, "model"),
        type=text(item, "type"),
        source=text(item, "source"),
        targets=tuple(document(target) for target in _targets(item)),
        state=known,
        reason=text(item, "reason"),
        message=text(item, "message"),
    )


def _targets(item: Mapping[str, Any]) -> tuple[Target, ...]:
    found = item.get("targets")
    read = (read_target(one) for one in found) if isinstance(found, Sequence) else ()
    return tuple(target for target in read if target is not None)


def last_known(status: Mapping[str, Any]) -> Mapping[str, LastKnown]:
    """The targets of each backend, by the endpoint's name; a backend without any is left out, and
    so are two of one name (an error of the spec), which can't be told apart.

    These are what the cluster said last: an address that only the CR declares is never recorded.
    """
    found = items(status, "backends")
    count = Counter(text(item, "name") for item in found)
    known = {
        text(item, "name"): LastKnown(text(item, "type"), text(item, "source"), _targets(item))
        for item in found
    }
    return {name: one for name, one in known.items() if name and one.targets and count[name] == 1}


def previous_default(status: Mapping[str, Any]) -> str | None:
    """status.config.defaultModel, or None."""
    return text(part(status, "config"), "defaultModel") or None


def goodness(status: Mapping[str, Any]) -> Goodness:
    """Which revision runs, and which were good."""
    config, available = part(status, "config"), conditions(status).get("Available")
    return Goodness(
        running=whole(config, "revision"),
        last_good=whole(config, "lastGoodRevision"),
        previous_good=whole(config, "previousGoodRevision"),
        since=_time(text(config, "settingsSince")),
        away_since=_time(available.since) if available and available.status == "False" else None,
    )


def _time(written: str) -> datetime | None:
    if not _TIME.fullmatch(written):
        return None
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None


def items(status: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The objects of a list; empty when it isn't one."""
    value = status.get(key)
    if not isinstance(value, list | tuple):
        return []
    return [item for item in value if isinstance(item, Mapping)]


def part(status: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object in the status; empty when it isn't one."""
    value = status.get(key)
    return value if isinstance(value, Mapping) else {}


def text(item: Mapping[str, Any], key: str) -> str:
    """A text, or ""."""
    value = item.get(key)
    return value if isinstance(value, str) else ""


def whole(item: Mapping[str, Any], key: str) -> int | None:
    """A whole number, or None."""
    value = item.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
