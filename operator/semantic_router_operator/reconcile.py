"""One pass over one router: the whole story, from the CR's body to its status.

    body -> parse -> discover -> translate -> validate -> build -> apply -> assess -> publish

Every pass ends with a whole status, whatever happened. Nothing here waits for anything but
caches that fill and writes that are needed; at rest a pass costs no request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model.canonical import (
    Accepted,
    CanonicalConfig,
    Held,
    Issue,
    Rejected,
    Verdict,
)
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    DEPLOYMENT,
    AppliedObject,
    Observed,
    Recorded,
)
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.resolution import Discovery, GatewayMissing
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.status import Assessment, EventNote
from semantic_router_operator.objects import Built, Images, blame, build, check_config
from semantic_router_operator.ports import Clock, ClusterWriter, References
from semantic_router_operator.running_revision import Choice, Situation, choose, record
from semantic_router_operator.status import (
    assess,
    assess_invalid,
    assess_suspended,
    events,
    goodness,
    last_known,
    previous_default,
    publish,
)
from semantic_router_operator.translate import render, translate
from semantic_router_operator.validation import validate


@dataclass(frozen=True, slots=True)
class World:
    """What a pass needs from outside."""

    references: References
    cluster: ClusterWriter
    clock: Clock
    policy: DiscoveryPolicy
    images: Images


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a pass came to. `retry` asks for another one though nothing that we watch changes: a
    write failed, a quota or a policy refused one, or an object of somebody else is in the way.
    `retry_after` is in seconds, where the API server said it."""

    status: Mapping[str, Any]
    events: tuple[EventNote, ...] = ()
    retry: bool = False
    retry_after: float | None = None
    retry_within: float | None = None
    """At most so many seconds until then, for what no watch of ours can see go."""
    again_in: float | None = None
    """Seconds until another pass may judge otherwise, though all went well."""


async def reconcile(body: Mapping[str, Any], world: World) -> Outcome:
    """Makes the cluster match the CR as far as possible, and says how far that is.

    Raises TransientError when not even the question can be asked (the platform is unknown), and
    RouterGone when there is no router any more.
    """
    status = body.get("status") or {}
    await world.cluster.ready()
    try:
        router = parse(body)
    except InvalidSpec as error:
        observed = world.cluster.observe(parse({"metadata": body["metadata"]}))
        return _ended(body, world, assess_invalid(error, status, observed=observed))
    if router.spec.suspend:
        observed = world.cluster.observe(router)
        return _ended(body, world, assess_suspended(status, observed=observed))
    platform = await world.cluster.platform()
    discovery = await look(router, status, world)
    verdict = judge(router, discovery, previous_default=previous_default(status))
    config = await _config_to_run(router, verdict, world)
    built = build(router, config, platform=platform, images=world.images)
    situation = Situation(goodness(status), world.clock.now(), world.cluster)
    choice = await choose(router, built, config, situation)
    built = choice.built
    applied = await world.cluster.apply(router, built.manifests, built.withheld)
    recorded = await _recorded(router, verdict, choice, applied, situation)
    failures = (item for item in (choice.failure, recorded.failure) if item is not None)
    applied = (*applied, *failures)
    observed = replace(
        _observed(router, built, applied, world), recorded=recorded, rollback=choice.rollback
    )
    assessment = assess(
        router,
        discovery,
        verdict,
        observed,
        platform=platform,
        cluster_domain=world.policy.cluster_domain,
    )
    return replace(_ended(body, world, assessment, applied=applied), again_in=choice.again_in)


async def look(router: SemanticRouter, status: Mapping[str, Any], world: World) -> Discovery:
    """Discovery alone: fills the caches and registers what the router depends on."""
    known = last_known(status)
    return await world.references.consult(
        router, lambda view: discover(router, view, policy=world.policy, last_known=known)
    )


def judge(router: SemanticRouter, discovery: Discovery, *, previous_default: str | None) -> Verdict:
    """Whether what the CR and the cluster say makes a document that may become the live one."""
    gateway = discovery.gateway
    if isinstance(gateway, GatewayMissing) and not gateway.uncertain:
        text = gateway.message.removeprefix(f"{_GATEWAY_PATH}: ")
        return Rejected(gateway.reason, (Issue(gateway.reason, _GATEWAY_PATH, text),))
    translation = translate(router, discovery, previous_default=previous_default)
    if isinstance(translation, Held):
        draft = translation.draft
        more = validate(router, draft) if draft is not None else ()
        return _split(translation.reason, (*translation.issues, *more))
    issues = (*translation.notes, *validate(router, translation))
    if any(issue.severity == "error" for issue in issues):
        return _split("InvalidConfig", issues)
    config = render(translation)
    oversize = check_config(config)
    if oversize:
        return Rejected(oversize[0].code, oversize, issues)
    return Accepted(config, issues)


_GATEWAY_PATH = "spec.gateway.existingRef"


def _split(reason: str, issues: tuple[Issue, ...]) -> Rejected:
    return Rejected(
        reason,
        errors=tuple(issue for issue in issues if issue.severity == "error"),
        warnings=tuple(issue for issue in issues if issue.severity == "warning"),
    )


async def _config_to_run(
    router: SemanticRouter, verdict: Verdict, world: World
) -> CanonicalConfig | None:
    match verdict:
        case Accepted(config):
            return config
        case Rejected():
            return await world.cluster.last_good(router)


async def _recorded(
    router: SemanticRouter,
    verdict: Verdict,
    choice: Choice,
    applied: tuple[AppliedObject, ...],
    at: Situation,
) -> Recorded:
    """An accepted document goes into the history, with its pods, once both are live."""
    live = {item.key.kind for item in applied if item.as_wanted}
    match verdict:
        case Accepted(config) if {CONFIG_MAP, DEPLOYMENT} <= live:
            return await record(router, choice, config, at)
        case Accepted() | Rejected():
            return Recorded(None if choice.rollback is None else choice.rollback.revision)


def _observed(
    router: SemanticRouter, built: Built, applied: tuple[AppliedObject, ...], world: World
) -> Observed:
    refused = tuple(
        AppliedObject(key, "rejected", issue.code, str(issue)) for key, issue in built.refused
    )
    told = tuple(replace(item, message=blame(item, router) or item.message) for item in applied)
    warnings = tuple(issue for issue in built.issues if issue.severity == "warning")
    return replace(world.cluster.observe(router), objects=(*told, *refused), warnings=warnings)


CONFLICT_SECONDS = 15.0
"""How soon a name that somebody else had is tried again: foreign objects aren't watched."""


def _all_conflicts(undone: list[AppliedObject]) -> bool:
    return bool(undone) and all(item.outcome == "conflict" for item in undone)


def _may_pass(item: AppliedObject) -> bool:
    """Whether another try may succeed though nothing that we watch changes."""
    refused_whole = item.outcome == "rejected" and not item.fields
    return refused_whole or item.outcome in {"conflict", "failed"}


def _ended(
    body: Mapping[str, Any],
    world: World,
    assessment: Assessment,
    *,
    applied: tuple[AppliedObject, ...] = (),
) -> Outcome:
    previous = body.get("status") or {}
    generation = int(body["metadata"].get("generation") or 0)
    status = publish(assessment, previous, generation=generation, now=world.clock.now())
    undone = [item for item in applied if _may_pass(item)]
    waits = [item.retry_after for item in undone if item.retry_after is not None]
    return Outcome(
        status,
        events(previous, status),
        retry=bool(undone),
        retry_after=max(waits, default=None),
        retry_within=CONFLICT_SECONDS if _all_conflicts(undone) else None,
    )
