"""What changed from one status to the next, as Events: one for each reason, none at rest."""

from collections.abc import Iterator, Mapping
from typing import Any

from semantic_router_operator.model.status import BackendStatus, ConditionType, EventNote
from semantic_router_operator.status import reasons, record, wording
from semantic_router_operator.status.record import Recorded


def events(previous: Mapping[str, Any], current: Mapping[str, Any]) -> tuple[EventNote, ...]:
    """The Events to post, each reason once: what several conditions say with one reason is one
    piece of news. The most specific message comes first and stays."""
    notes: dict[str, EventNote] = {}
    for note in _news(previous, current):
        notes.setdefault(note.reason, note)
    return tuple(notes.values())


def _news(previous: Mapping[str, Any], current: Mapping[str, Any]) -> Iterator[EventNote]:
    before, after = record.conditions(previous), record.conditions(current)
    yield from _config(before, after, _digest(previous), _digest(current))
    yield from _resources(before, after)
    resolved = after.get("BackendsResolved")
    invalid = resolved is not None and resolved.reason == reasons.BACKENDS_INVALID
    lost = reasons.BACKENDS_INVALID if invalid else reasons.BACKENDS_UNRESOLVED
    yield from _backends(record.backends(previous), record.backends(current), lost_reason=lost)
    yield from _mode(previous, current)
    yield from _degraded(before, after)
    yield from _ready(before, after)


_Conditions = Mapping[ConditionType, Recorded]


def _config(before: _Conditions, after: _Conditions, old: str, new: str) -> Iterator[EventNote]:
    was, now = before.get("ConfigAccepted"), after.get("ConfigAccepted")
    if now is None or now.status == "Unknown":
        return
    if now.status == "False":
        if _differs(was, now):
            yield EventNote("Warning", now.reason, now.message)
        return
    warned = now.reason == reasons.ACCEPTED_WITH_WARNINGS
    if warned and (old != new or _differs(was, now)):
        yield EventNote("Warning", now.reason, _accepted(now, new))
    elif was is None or was.status != "True" or old != new:
        yield EventNote("Normal", reasons.CONFIG_ACCEPTED, _accepted(now, new))


def _accepted(now: Recorded, digest: str) -> str:
    """The digest's first 12 digits tell one document from another."""
    short = digest.removeprefix("sha256:")[:12]
    return wording.bounded(f"configuration {short} accepted: {now.message}")


def _resources(before: _Conditions, after: _Conditions) -> Iterator[EventNote]:
    was, now = before.get("ResourcesApplied"), after.get("ResourcesApplied")
    if now is None:
        return
    if now.status == "False" and _differs(was, now):
        yield EventNote("Warning", now.reason, now.message)
    if now.status == "True" and was is not None and was.status == "False":
        yield EventNote("Normal", reasons.RESOURCES_APPLIED, now.message)


def _backends(
    before: tuple[BackendStatus, ...], after: tuple[BackendStatus, ...], *, lost_reason: str
) -> Iterator[EventNote]:
    """Backends that appeared, went away or have another reason; those that the user took out of
    the spec are no news. Two entries of one name (an error of the spec) are each told once."""
    known = {(item.name, item.state, item.reason) for item in before}
    changed = [item for item in after if (item.name, item.state, item.reason) not in known]
    lost = [
        f"backend {item.name}: {item.reason}: {item.message}"
        for item in changed
        if item.state == "Unresolved"
    ]
    if lost:
        yield EventNote("Warning", lost_reason, wording.joined(lost))
    drained = [f"backend {item.name}" for item in changed if item.state == "Drained"]
    if drained:
        yield EventNote("Normal", reasons.BACKEND_DRAINED, wording.joined(drained))
    found = [
        f"backend {item.name}" + (f" ({item.source})" if item.source else "")
        for item in changed
        if item.state == "Resolved"
    ]
    if found:
        yield EventNote("Normal", reasons.BACKEND_RESOLVED, wording.joined(found))


def _mode(previous: Mapping[str, Any], current: Mapping[str, Any]) -> Iterator[EventNote]:
    old, new = record.text(previous, "gatewayMode"), record.text(current, "gatewayMode")
    if old and new and old != new:
        yield EventNote("Normal", reasons.GATEWAY_MODE_CHANGED, f"from {old} to {new}")


def _degraded(before: _Conditions, after: _Conditions) -> Iterator[EventNote]:
    was, now = before.get("Degraded"), after.get("Degraded")
    if now is None:
        return
    if now.status == "True" and _turned(was, now) and now.reason not in _TOLD_BY_BACKENDS:
        yield EventNote("Warning", now.reason, now.message)
    recovered = now.status == "False" and was is not None and was.status == "True"
    if recovered and _is_true(before, "Ready") and _is_true(after, "Ready"):
        yield EventNote("Normal", reasons.AS_EXPECTED, now.message)


def _is_true(found: _Conditions, kind: ConditionType) -> bool:
    return kind in found and found[kind].status == "True"


_TOLD_BY_BACKENDS = frozenset(
    {reasons.BACKENDS_UNRESOLVED, reasons.BACKENDS_INVALID, reasons.MODEL_DRAINED}
)


def _ready(before: _Conditions, after: _Conditions) -> Iterator[EventNote]:
    """Ready turned, or has another reason for not being True."""
    was, now = before.get("Ready"), after.get("Ready")
    if now is None or not _turned(was, now):
        return
    if now.status == "True":
        told_by_degraded = (
            was is not None
            and was.status == "True"
            and reasons.DEGRADED in {was.reason, now.reason}
        )
        if not told_by_degraded:
            yield EventNote("Normal", now.reason, now.message)
        return
    calm = now.status == "False" and now.reason in _CALM
    yield EventNote("Normal" if calm else "Warning", now.reason, now.message)


_CALM = frozenset(
    {
        reasons.PENDING,
        reasons.PROGRESSING,
        reasons.DEPLOYMENT_NOT_FOUND,
        reasons.CONFIG_PENDING,
        reasons.NOTHING_TO_APPLY,
    }
)
"""Reasons that belong to every start and every change."""


def _turned(was: Recorded | None, now: Recorded) -> bool:
    return was is None or (was.status, was.reason) != (now.status, now.reason)


def _differs(was: Recorded | None, now: Recorded) -> bool:
    return _turned(was, now) or (was is not None and was.message != now.message)


def _digest(status: Mapping[str, Any]) -> str:
    return record.text(record.part(status, "config"), "digest")
