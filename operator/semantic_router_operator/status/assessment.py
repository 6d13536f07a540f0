"""Evidence -> Assessment, on each way that a pass can end."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.errors import RouterError, UserError
from semantic_router_operator.model.canonical import Accepted, Rejected, Verdict
from semantic_router_operator.model.manifests import Observed
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.resolution import Discovery
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.status import Assessment, Finding
from semantic_router_operator.status import conditions, reasons, record, wording
from semantic_router_operator.status.backends import backend_statuses
from semantic_router_operator.status.evidence import Evidence, gathered
from semantic_router_operator.status.phase import PHASES, Phase, phase
from semantic_router_operator.status.summary import Block, blocked, summary
from semantic_router_operator.status.workload import rollout


def assess(  # noqa: PLR0913 - what a pass brought together, one by one
    router: SemanticRouter,
    discovery: Discovery,
    verdict: Verdict,
    observed: Observed,
    *,
    platform: Platform,
    cluster_domain: str,
) -> Assessment:
    """What a whole pass has to say: a finding for every condition, and the rest of the status.

    `observed.objects` must name every object of the pass, the untouched ones too.
    """
    evidence = gathered(router, discovery, verdict, observed, platform=platform)
    findings = (
        *summary(evidence),
        conditions.config_accepted(evidence),
        conditions.backends_resolved(evidence),
        conditions.resources_applied(evidence),
        conditions.available(observed.deployment, evidence.rollout),
        conditions.progressing(evidence.rollout),
        conditions.degraded(evidence),
    )
    deployment = observed.deployment
    host = _route_host(evidence)
    return Assessment(
        findings=findings,
        backends=backend_statuses(evidence.backends),
        phase=phase(findings),
        gateway_mode=router.gateway_mode,
        replicas=0 if deployment is None else deployment.replicas,
        ready_replicas=0 if deployment is None else deployment.ready,
        replicas_wanted=_wanted(evidence),
        selector=_selector(router),
        config_digest=_digest(evidence),
        recorded=observed.recorded,
        went_back=observed.rollback is not None and not observed.rollback.asked,
        default_model=_default_model(evidence),
        url=_url(evidence, host, cluster_domain),
        route_hostname=host,
        routes_enabled=conditions.routes_made(evidence),
    )


def assess_invalid(
    error: UserError, previous: Mapping[str, Any], *, observed: Observed | None = None
) -> Assessment:
    """The spec can't be read: nothing was done, and what is known stays.

    What ran keeps running, so Degraded turns True where pods are available. With `observed` the
    state of the pods is today's, else the one of the previous status.
    """
    kept = _kept(previous)
    findings = list(blocked(Block(error.reason, error.message, stalled=True)))
    before = record.conditions(previous).get("Available")
    running = before is not None and before.status == "True"
    if observed is not None:
        kept, pods = _seen(kept, observed)
        findings += pods
        running = pods[0].status == "True"
    if running:
        text = wording.bounded(f"the router runs on as it was: {error.message}")
        findings.append(Finding("Degraded", "True", error.reason, text))
    word: Phase = "Degraded" if running else "Pending"
    return replace(kept, phase=word, findings=tuple(findings))


def assess_suspended(previous: Mapping[str, Any], *, observed: Observed) -> Assessment:
    """spec.suspend is true: nothing was done. What is known stays; the pods are looked at.

    Reconciling stays True, so that no tool takes the spec for met.
    """
    kept, pods = _seen(_kept(previous), observed)
    text = "spec.suspend is true: nothing is changed; set it to false to go on"
    word: Phase = kept.phase if pods[0].status == "True" else "Pending"
    findings = (*blocked(Block(reasons.SUSPENDED, text)), *pods)
    return replace(kept, phase=word, findings=findings)


def _seen(kept: Assessment, observed: Observed) -> tuple[Assessment, list[Finding]]:
    """`kept` with today's pods, and Available and Progressing of them."""
    deployment, state = observed.deployment, rollout(observed, replicas=None)
    if deployment is None:
        kept = replace(kept, replicas=0, ready_replicas=0)
    else:
        kept = replace(
            kept,
            replicas=deployment.replicas,
            ready_replicas=deployment.ready,
            replicas_wanted=deployment.wanted,
        )
    return kept, [conditions.available(deployment, state), conditions.progressing(state)]


def assess_failure(error: Exception, previous: Mapping[str, Any]) -> Assessment:
    """A pass that failed half-way and is tried again: what is known stays.

    Ready turns Unknown if it was True: nobody knows now. An error that isn't one of ours is told
    without its text, which belongs into the log.
    """
    if isinstance(error, RouterError):
        reason = reasons.known(
            error.reason, among=reasons.FAILURES, otherwise=reasons.INTERNAL_ERROR
        )
        block = Block(reason, error.message)
    else:
        text = "the operator failed on this router and tries again; its log says why"
        block = Block(reasons.INTERNAL_ERROR, text)
    ready, *rest = blocked(block, ready="Unknown")
    before = record.conditions(previous).get("Ready")
    known_false = before is not None and before.status == "False"
    return replace(_kept(previous), findings=tuple(rest if known_false else [ready, *rest]))


def _kept(previous: Mapping[str, Any]) -> Assessment:
    """An earlier status as an assessment, without findings."""
    openshift = record.part(previous, "openshiftFeatures")
    summed = record.text(previous, "replicasSummary").partition("/")[2]
    return Assessment(
        findings=(),
        backends=record.backends(previous),
        phase=next((word for word in PHASES if word == previous.get("phase")), "Pending"),
        gateway_mode=record.text(previous, "gatewayMode"),
        replicas=record.whole(previous, "replicas") or 0,
        ready_replicas=record.whole(previous, "readyReplicas") or 0,
        replicas_wanted=int(summed) if summed.isascii() and summed.isdigit() else 0,
        selector=record.text(previous, "selector"),
        config_digest=record.text(record.part(previous, "config"), "digest") or None,
        url=record.text(previous, "url") or None,
        route_hostname=record.text(openshift, "routeHostname") or None,
        routes_enabled=openshift.get("routesEnabled") is True,
    )


def _wanted(evidence: Evidence) -> int:
    deployment, spec = evidence.observed.deployment, evidence.router.spec
    if deployment is not None:
        return deployment.wanted
    return spec.autoscaling.min_replicas if spec.autoscaling.enabled else spec.replicas


def _selector(router: SemanticRouter) -> str:
    """For the scale subresource: `k=v,k2=v2`, sorted."""
    labels = names.selector_labels(router.name)
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))


def _digest(evidence: Evidence) -> str | None:
    """Of the live document, or of the one that is about to be live."""
    match evidence.verdict:
        case Accepted(config) if evidence.observed.rollback is None:
            return config.digest
        case Accepted() | Rejected():
            return evidence.observed.live_digest


def _default_model(evidence: Evidence) -> str | None:
    match evidence.verdict:
        case Accepted(config) if evidence.observed.rollback is None:
            return config.default_model or ""
        case Accepted() | Rejected():
            return None


def _route_host(evidence: Evidence) -> str | None:
    """Only from an entry that a router admitted (field case OS-03)."""
    route = evidence.observed.route
    if route is None or route.admitted != "True" or not conditions.routes_made(evidence):
        return None
    return route.host


def _url(evidence: Evidence, host: str | None, cluster_domain: str) -> str | None:
    """Where clients (standalone) or the Gateway (extproc) send requests; None before there is a
    Deployment behind it."""
    router = evidence.router
    if evidence.observed.deployment is None:
        return None
    if host:
        return f"https://{host}"
    service = f"{names.workload(router.name)}.{router.namespace}.svc.{cluster_domain}"
    if router.gateway_mode == "standalone":
        return f"http://{service}:{names.LISTENER_PORT}"
    return f"grpc://{service}:{router.spec.service.grpc.port or names.GRPC_PORT}"
