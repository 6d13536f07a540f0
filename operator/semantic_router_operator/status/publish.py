"""Assessment -> the whole .status object."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from semantic_router_operator.model.status import (
    Assessment,
    BackendStatus,
    ConditionType,
    Finding,
)
from semantic_router_operator.status import reasons, record, wording
from semantic_router_operator.status.goodness import revisions_after
from semantic_router_operator.status.record import Recorded

CONDITION_ORDER: Final[tuple[ConditionType, ...]] = (
    "Ready",
    "ConfigAccepted",
    "BackendsResolved",
    "ResourcesApplied",
    "Available",
    "Progressing",
    "Degraded",
    "Reconciling",
    "Stalled",
)
TARGETS_SHOWN: Final = 4000
"""Targets of all backends together, for the same reason."""
BACKENDS_SHOWN: Final = 1000
"""Entries of status.backends; more would not fit into etcd's 1.5 MiB beside the spec."""


def publish(
    assessment: Assessment, previous: Mapping[str, Any], *, generation: int, now: datetime
) -> dict[str, Any]:
    """The entire status that we want; the same assessment again gives the same object, whatever
    `now` (field case OP-12). `previous` is the status as it stands in the CR.

    lastTransitionTime moves only with a condition's status. A condition without a finding keeps
    what it said and the generation that it was about.
    """
    wanted = {
        "observedGeneration": generation,
        "phase": assessment.phase,
        "gatewayMode": assessment.gateway_mode,
        "replicas": assessment.replicas,
        "readyReplicas": assessment.ready_replicas,
        "replicasSummary": f"{assessment.ready_replicas}/{assessment.replicas_wanted}",
        "selector": assessment.selector,
        "url": assessment.url,
        "config": _config(assessment, previous, now=now),
        "openshiftFeatures": _openshift(assessment),
        "conditions": _conditions(assessment, previous, generation=generation, now=now),
        "backends": _backends(assessment.backends[:BACKENDS_SHOWN]),
    }
    return {key: value for key, value in wanted.items() if value not in (None, "", {})}


def _conditions(
    assessment: Assessment, previous: Mapping[str, Any], *, generation: int, now: datetime
) -> list[dict[str, Any]]:
    before = record.conditions(previous)
    findings = {finding.type: finding for finding in assessment.findings}
    moment = _written_time(now)
    found: list[dict[str, Any]] = []
    for kind in CONDITION_ORDER:
        old, finding = before.get(kind), findings.get(kind)
        if finding is None and old is not None:
            found.append(_written(Finding(kind, old.status, old.reason, old.message), old))
            continue
        finding = finding or _unknown(kind)
        since = old.since if old is not None and old.status == finding.status else moment
        entry = Recorded(kind, finding.status, finding.reason, finding.message, since, generation)
        found.append(_written(finding, entry))
    return found


def _unknown(kind: ConditionType) -> Finding:
    return Finding(kind, "Unknown", reasons.NOT_EVALUATED, "no pass has looked at it yet")


def _written(finding: Finding, entry: Recorded) -> dict[str, Any]:
    return {
        "type": finding.type,
        "status": finding.status,
        "observedGeneration": entry.generation,
        "lastTransitionTime": entry.since,
        "reason": finding.reason,
        "message": wording.bounded(finding.message),
    }


def _config(
    assessment: Assessment, previous: Mapping[str, Any], *, now: datetime
) -> dict[str, Any]:
    """The live document; what the pass can't tell is kept."""
    default = assessment.default_model
    if default is None:
        default = record.previous_default(previous)
    known = revisions_after(assessment, record.goodness(previous), now=now)
    parts = {
        "digest": assessment.config_digest,
        "revision": known.running,
        "lastGoodRevision": known.last_good,
        "previousGoodRevision": known.previous_good,
        "settingsSince": None if known.since is None else _written_time(known.since),
        "defaultModel": default,
    }
    return {key: value for key, value in parts.items() if value}


def _written_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _openshift(assessment: Assessment) -> dict[str, Any]:
    host = {"routeHostname": assessment.route_hostname} if assessment.route_hostname else {}
    return {"routesEnabled": assessment.routes_enabled, **host}


def _backends(items: Sequence[BackendStatus]) -> list[dict[str, Any]]:
    """Every entry, with targets as long as there is room."""
    room, shown = TARGETS_SHOWN, []
    for item in items:
        shown.append(_backend(replace(item, targets=item.targets[:room])))
        room -= min(room, len(item.targets))
    return shown


def _backend(item: BackendStatus) -> dict[str, Any]:
    parts = {
        "name": item.name,
        "model": item.model,
        "type": item.type,
        "source": item.source,
        "state": item.state,
        "reason": item.reason,
        "message": item.message,
        "targets": [dict(target) for target in item.targets],
    }
    return {key: value for key, value in parts.items() if value}
