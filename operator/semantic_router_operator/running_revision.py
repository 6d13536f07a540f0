"""Which revision a pass runs: what the spec asks for, or an earlier one (docs/adr/0013)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from semantic_router_operator.model.canonical import CanonicalConfig, Issue
from semantic_router_operator.model.manifests import DEPLOYMENT, Observed, Recorded, Rollback
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import Built
from semantic_router_operator.objects.revision import revision_digest
from semantic_router_operator.objects.rollback import PATH, asked, failing, restored
from semantic_router_operator.ports import ClusterWriter
from semantic_router_operator.status import revisions, rollout


@dataclass(frozen=True, slots=True)
class Choice:
    """What to apply. `rollback` is None when it is what the spec asks for."""

    built: Built
    rollback: Rollback | None = None


async def choose(
    router: SemanticRouter,
    built: Built,
    config: CanonicalConfig | None,
    status: Mapping[str, Any],
    cluster: ClusterWriter,
) -> Choice:
    """What a person asked for goes before what the operator would do by itself.

    Costs no request while nothing is rolled back. Raises TransientError as the client does.
    """
    pods = pod_template(built)
    if config is None or pods is None:
        return Choice(built)
    wish = asked(router)
    if isinstance(wish, Issue):
        return Choice(replace(built, issues=(*built.issues, wish)))
    rollback = wish or _decided(router, pods, status, cluster)
    if rollback is None:
        return Choice(built)
    revision = await cluster.revision(router, rollback.revision)
    if revision is None:
        return Choice(replace(built, issues=(*built.issues, *_unknown(router, rollback, cluster))))
    same = revision.template is not None and (
        revision_digest(revision.config, revision.template) == revision_digest(config, pods)
    )
    if same:
        return Choice(built)
    return Choice(restored(built, router, config, revision, rollback), rollback)


async def record(
    router: SemanticRouter,
    choice: Choice,
    config: CanonicalConfig,
    status: Mapping[str, Any],
    cluster: ClusterWriter,
) -> Recorded:
    """The revision that runs from now on: an earlier one has its number already."""
    if choice.rollback is not None:
        return Recorded(choice.rollback.revision)
    pods = pod_template(choice.built)
    if pods is None:
        return Recorded(None)
    _, last_good = revisions(status)
    return await cluster.record(router, config, pods, keep=last_good)


def pod_template(built: Built) -> Mapping[str, Any] | None:
    """The pods that the Deployment is to have; None where none can be made."""
    found = (item.body["spec"]["template"] for item in built.manifests if item.kind == DEPLOYMENT)
    return next(found, None)


def _decided(
    router: SemanticRouter,
    pods: Mapping[str, Any],
    status: Mapping[str, Any],
    cluster: ClusterWriter,
) -> Rollback | None:
    observed: Observed = cluster.observe(router)
    history = cluster.history(router)
    live, last_good = revisions(status)
    found = failing(router, pods, observed.deployment, history, last_good=last_good)
    if found is None or found.why:
        return found
    failed = live if live != found.revision else None
    return replace(found, failed=failed, why=rollout(observed, replicas=None).message)


def _unknown(
    router: SemanticRouter, rollback: Rollback, cluster: ClusterWriter
) -> tuple[Issue, ...]:
    if not rollback.asked:
        return ()
    known = ", ".join(str(item.number) for item in cluster.history(router)) or "none"
    text = f"there is no revision {rollback.revision} in the history; recorded are: {known}"
    return (Issue("InvalidRollback", PATH, text, severity="warning"),)
