"""One check for each condition but the three that sum up (summary.py): evidence -> Finding."""

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Accepted, Rejected
from semantic_router_operator.model.manifests import AppliedObject, DeploymentFacts
from semantic_router_operator.model.status import Finding
from semantic_router_operator.status import reasons, wording
from semantic_router_operator.status.backends import (
    complaints,
    drained_models,
    unhelpable,
    unserved_models,
)
from semantic_router_operator.status.evidence import Evidence
from semantic_router_operator.status.workload import Rollout


def config_accepted(evidence: Evidence) -> Finding:
    """Whether the document that the spec asks for passed every rule."""
    match evidence.verdict:
        case Accepted(warnings=()):
            text = "the configuration passed every rule"
            return Finding("ConfigAccepted", "True", reasons.ACCEPTED, text)
        case Accepted(warnings=warnings):
            text = wording.issues(warnings)
            return Finding("ConfigAccepted", "True", reasons.ACCEPTED_WITH_WARNINGS, text)
        case Rejected(errors=errors, warnings=warnings):
            reason = evidence.rejection or reasons.INVALID_CONFIG
            text = wording.issues((*errors, *warnings)) or "the configuration was rejected"
            return Finding("ConfigAccepted", "False", reason, text)


def backends_resolved(evidence: Evidence) -> Finding:
    """Whether every backend that should serve has an address."""
    found = evidence.backends
    if not found:
        text = "spec.vllmEndpoints is empty: the router has no backends"
        return Finding("BackendsResolved", "True", reasons.NO_BACKENDS, text)
    if lines := complaints(found):
        reason = reasons.BACKENDS_INVALID if unhelpable(found) else reasons.BACKENDS_UNRESOLVED
        return Finding("BackendsResolved", "False", reason, wording.joined(lines))
    if models := drained_models(found):
        text = f"spec.vllmEndpoints: every backend has weight 0 for: {wording.joined(models)}"
        return Finding("BackendsResolved", "False", reasons.MODEL_DRAINED, wording.bounded(text))
    text = "every backend has an address"
    return Finding("BackendsResolved", "True", reasons.ALL_RESOLVED, text)


def resources_applied(evidence: Evidence) -> Finding:
    """Whether the objects are as wanted; those that aren't are named, the gravest first."""
    if obstacles := evidence.obstacles:
        text = wording.joined(_obstacle(item) for item in obstacles)
        return Finding("ResourcesApplied", "False", obstacle_reason(obstacles[0]), text)
    if not evidence.observed.objects:
        text = "no object is wanted before there is an accepted configuration"
        return Finding("ResourcesApplied", "Unknown", reasons.NOTHING_TO_APPLY, text)
    if warnings := evidence.observed.warnings:
        text = wording.issues(warnings)
        return Finding("ResourcesApplied", "True", reasons.APPLIED_WITH_WARNINGS, text)
    return Finding("ResourcesApplied", "True", reasons.APPLIED, "every object is as wanted")


def obstacle_reason(item: AppliedObject) -> str:
    """NameConflict, ObjectRejected, or why the write failed."""
    match item.outcome:
        case "conflict":
            return reasons.NAME_CONFLICT
        case "rejected":
            return reasons.OBJECT_REJECTED
        case _:
            return reasons.known(item.reason, among=reasons.FAILURES, otherwise=reasons.API_ERROR)


def _obstacle(item: AppliedObject) -> str:
    """Begins with a field path where the message does, else names the object."""
    if item.message.startswith(("spec.", "spec:", str(item.key))):
        return item.message
    return f"{item.key}: {item.message or item.reason or obstacle_reason(item)}"


def available(deployment: DeploymentFacts | None, rollout: Rollout) -> Finding:
    """Whether at least one pod answers. False again as soon as none does (field case OP-12)."""
    if deployment is None or deployment.available < 1:
        reason = reasons.PENDING if rollout.reason == reasons.PROGRESSING else rollout.reason
        return Finding("Available", "False", reason, wording.bounded(rollout.message))
    if deployment.available < deployment.wanted:
        text = "some pods are available, fewer than wanted"
        return Finding("Available", "True", reasons.SOME_REPLICAS_READY, text)
    text = "as many pods are available as are wanted"
    return Finding("Available", "True", reasons.ALL_REPLICAS_READY, text)


def progressing(rollout: Rollout) -> Finding:
    """Whether pods are being made, replaced or removed."""
    moving = rollout.stage in {"under way", "stuck"}
    text = wording.bounded(rollout.message)
    if moving and rollout.reason == reasons.PENDING:
        return Finding("Progressing", "True", reasons.PROGRESSING, text)
    return Finding("Progressing", "True" if moving else "False", rollout.reason, text)


def degraded(evidence: Evidence) -> Finding:
    """Whether something is partial: a model, a pod, the Route, or an old document still live."""
    parts = [
        *rolled_back(evidence),
        *_old_document(evidence),
        *_missing_references(evidence),
        *_partial_workload(evidence),
        *_route(evidence),
    ]
    if parts:
        text = wording.joined(text for _, text in parts)
        return Finding("Degraded", "True", parts[0][0], text)
    if _route_pending(evidence):
        text = "no OpenShift router has answered for the Route yet"
        return Finding("Degraded", "False", reasons.ROUTE_PENDING, text)
    return Finding("Degraded", "False", reasons.AS_EXPECTED, "nothing is partial")


_Parts = list[tuple[str, str]]


def rolled_back(evidence: Evidence) -> _Parts:
    """(reason, message) when an earlier revision runs than the spec asks for."""
    rollback = evidence.observed.rollback
    if rollback is None:
        return []
    if rollback.asked:
        text = (
            f"revision {rollback.revision} runs, as metadata.annotations"
            f"[{names.ANNOTATION_ROLLBACK_TO}] asks, until the spec changes or it is removed"
        )
        return [(reasons.ROLLED_BACK, text)]
    text = (
        f"revision {rollback.failed} didn't become ready in time ({rollback.why}); "
        f"revision {rollback.revision} runs until the spec changes"
    )
    return [(reasons.ROLLED_BACK, text)]


def _old_document(evidence: Evidence) -> _Parts:
    if evidence.rejection is None or not evidence.live:
        return []
    text = f"the last good configuration stays live: {config_accepted(evidence).message}"
    return [(evidence.rejection, text)]


def _missing_references(evidence: Evidence) -> _Parts:
    resolved = backends_resolved(evidence)
    parts = [] if resolved.status == "True" else [(resolved.reason, resolved.message)]
    if evidence.gateway is not None and evidence.rejection is None:
        parts.append((gateway_reason(evidence), evidence.gateway.message))
    return parts


def gateway_reason(evidence: Evidence) -> str:
    """The reason of a missing Gateway, as discovery gives it."""
    reason = "" if evidence.gateway is None else evidence.gateway.reason
    return reasons.known(reason, among=reasons.WAITING, otherwise=reasons.GATEWAY_NOT_FOUND)


def _partial_workload(evidence: Evidence) -> _Parts:
    """Trouble counts once pods serve or have served: a first start that hangs isn't partial."""
    applied = resources_applied(evidence)
    blocked = applied.status == "False" and evidence.available > 0
    parts = [(applied.reason, applied.message)] if blocked else []
    rollout = evidence.rollout
    lost = rollout.reason == reasons.REPLICAS_UNAVAILABLE
    if lost or (rollout.stage in {"stuck", "timed out"} and evidence.available > 0):
        parts.append((rollout.reason, rollout.message))
    return parts


def _route(evidence: Evidence) -> _Parts:
    route = evidence.observed.route
    if not evidence.router.spec.openshift.routes.enabled:
        return []
    if not routes_made(evidence):
        why = (
            "the cluster serves no Routes"
            if evidence.router.spec.gateway.existing_ref is None
            else "behind a Gateway the router speaks no HTTP"
        )
        text = f"spec.openshift.routes.enabled: {why}, so none is made"
        return [(reasons.ROUTE_NOT_SUPPORTED, text)]
    if route is None or route.admitted != "False":
        return []
    why = ": ".join(filter(None, (route.reason, route.message)))
    text = f"spec.openshift.routes: the Route isn't admitted: {why}"
    return [(reasons.ROUTE_NOT_ADMITTED, text)]


def _route_pending(evidence: Evidence) -> bool:
    route = evidence.observed.route
    answered = route is not None and route.admitted != "Unknown"
    return routes_made(evidence) and evidence.live and not answered


def routes_made(evidence: Evidence) -> bool:
    """Whether the router gets a Route: asked for, the cluster serves the kind, and there is HTTP to
    route (not behind a Gateway)."""
    spec = evidence.router.spec
    wanted = spec.openshift.routes.enabled and spec.gateway.existing_ref is None
    return wanted and evidence.platform.routes


def unserved(evidence: Evidence) -> Finding | None:
    """What is missing for models that nothing serves; None when every model is served."""
    models = unserved_models(evidence.backends)
    if not models:
        return None
    lines = complaints(e for e in evidence.backends if e.endpoint.model in models)
    reason = (
        reasons.BACKENDS_INVALID if unhelpable(evidence.backends) else reasons.BACKENDS_UNRESOLVED
    )
    return Finding("BackendsResolved", "False", reason, wording.joined(lines))
