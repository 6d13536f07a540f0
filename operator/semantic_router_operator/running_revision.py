"""Which revision a pass runs: what the spec asks for, or an earlier one (docs/adr/0013)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from semantic_router_operator.model.canonical import CanonicalConfig, Issue
from semantic_router_operator.model.manifests import (
    DEPLOYMENT,
    AppliedObject,
    Recorded,
    Revision,
    Rollback,
)
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.status import Goodness
from semantic_router_operator.objects import Built
from semantic_router_operator.objects.deployment import template_digest
from semantic_router_operator.objects.failure import Candidate, lost, timed_out
from semantic_router_operator.objects.revision import revision_digest
from semantic_router_operator.objects.rollback import PATH, asked, decided, restored, untouched
from semantic_router_operator.ports import ClusterWriter
from semantic_router_operator.status import rollout


@dataclass(frozen=True, slots=True)
class Choice:
    """What to apply. `rollback` is None when it is what the spec asks for."""

    built: Built
    rollback: Rollback | None = None
    again_in: float | None = None
    """In how many seconds that may be judged otherwise though nothing that we watch changes."""
    failure: AppliedObject | None = None
    """Why a rollback that is due must wait."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known beside the spec."""

    goodness: Goodness
    now: datetime
    cluster: ClusterWriter


async def choose(
    router: SemanticRouter, built: Built, config: CanonicalConfig | None, at: Situation
) -> Choice:
    """What a person asked for goes before what the operator would do by itself; a wish that can't
    be read or met is told, and nothing more.

    Costs no request while nothing is rolled back. Raises TransientError as the client does.
    """
    pods = pod_template(built)
    if config is None or pods is None:
        return Choice(built)
    wish = asked(router)
    if isinstance(wish, Rollback):
        revision = await at.cluster.revision(router, wish.revision)
        if revision is not None:
            return _wished(router, wish, revision, built, config)
        wish = _unknown(router, wish, at)
    if wish is not None:
        built = replace(built, issues=(*built.issues, wish))
    choice = await _decided(router, built, config, pods, at)
    if choice.rollback is None:
        return choice
    return await _carried_out(router, choice.rollback, built, config, at)


async def _decided(
    router: SemanticRouter,
    built: Built,
    config: CanonicalConfig,
    pods: Mapping[str, Any],
    at: Situation,
) -> Choice:
    """What the operator would do. Before it goes back, what has failed is recorded: it may not be
    yet, when we died in between."""
    candidate = Candidate(template_digest(pods), config.settings_digest)
    rollback, again_in = _judged(router, candidate, at)
    if rollback is None or rollback.failed is not None:
        return Choice(built, rollback, again_in)
    recorded = await _recorded(router, config, pods, at)
    if recorded.number is None:
        return Choice(built, failure=recorded.failure)
    return Choice(built, replace(rollback, failed=recorded.number))


async def _carried_out(
    router: SemanticRouter,
    rollback: Rollback,
    built: Built,
    config: CanonicalConfig,
    at: Situation,
) -> Choice:
    """With what the revision records. Where that is gone, what runs is left as it is: what the
    spec asks for has failed."""
    revision = await at.cluster.revision(router, rollback.revision)
    if revision is None:
        return Choice(untouched(built), rollback)
    return Choice(restored(built, router, config, revision, rollback), rollback)


def _wished(
    router: SemanticRouter,
    wish: Rollback,
    revision: Revision,
    built: Built,
    config: CanonicalConfig,
) -> Choice:
    """With what the revision records, unless that is what the spec asks for anyway."""
    pods = pod_template(built)
    if pods is not None and revision.template is not None:
        digest = revision_digest(revision.config, revision.template)
        if digest == revision_digest(config, pods):
            return Choice(built)
    return Choice(restored(built, router, config, revision, wish), wish)


async def record(
    router: SemanticRouter, choice: Choice, config: CanonicalConfig, at: Situation
) -> Recorded:
    """The revision that runs from now on: an earlier one has its number already."""
    if choice.rollback is not None:
        return Recorded(choice.rollback.revision)
    pods = pod_template(choice.built)
    if pods is None:
        return Recorded(None)
    change = _change(router, Candidate(template_digest(pods), config.settings_digest), at)
    return replace(await _recorded(router, config, pods, at), change=change)


async def _recorded(
    router: SemanticRouter, config: CanonicalConfig, pods: Mapping[str, Any], at: Situation
) -> Recorded:
    known = at.goodness
    keep = {number for number in (known.last_good, known.previous_good) if number is not None}
    return await at.cluster.record(router, config, pods, keep=keep)


def pod_template(built: Built) -> Mapping[str, Any] | None:
    """The pods that the Deployment is to have; None where none can be made."""
    found = (item.body["spec"]["template"] for item in built.manifests if item.kind == DEPLOYMENT)
    return next(found, None)


def _judged(
    router: SemanticRouter, candidate: Candidate, at: Situation
) -> tuple[Rollback | None, float | None]:
    """The operator's own rollback, and when to look again. One that is new has no number of what
    failed yet."""
    observed = at.cluster.observe(router)
    live = observed.deployment
    if (standing := decided(router, live)) is not None:
        return standing, None
    if live is None or live.rolled_back is not None or router.spec.rollback == "Manual":
        return None, None
    history, known = at.cluster.history(router), at.goodness
    number = timed_out(candidate, live, history, known)
    if number is None:
        patience = router.spec.progress_deadline_seconds
        seen = replace(known, away_since=known.away_since or at.now)
        found = lost(candidate, live, history, seen, patience=patience)
        if found is None:
            return None, None
        number, deadline = found
        if at.now < deadline:
            return None, (deadline - at.now).total_seconds()
    why = rollout(observed, replicas=None).message
    return Rollback(number, router.metadata.generation, why=why), None


def _change(
    router: SemanticRouter, candidate: Candidate, at: Situation
) -> Literal["pods", "settings", "backends"] | None:
    history = at.cluster.history(router)
    good = next((item for item in history if item.number == at.goodness.last_good), None)
    if good is None:
        return None
    if good.template_digest != candidate.template:
        return "pods"
    return "backends" if good.settings_digest == candidate.settings else "settings"


def _unknown(router: SemanticRouter, wish: Rollback, at: Situation) -> Issue:
    known = ", ".join(str(item.number) for item in at.cluster.history(router)) or "none"
    text = f"there is no revision {wish.revision} in the history; recorded are: {known}"
    return Issue("InvalidRollback", PATH, text, severity="warning")
