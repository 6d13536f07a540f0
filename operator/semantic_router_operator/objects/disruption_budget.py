"""The PodDisruptionBudget (policy/v1) of the router's pods."""

from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.manifests import DISRUPTION_BUDGET, Manifest
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.metadata import manifest, metadata

_PATH: Final = "spec.podDisruptionBudget"


def build(router: SemanticRouter) -> Manifest | None:
    """The budget; None when it is off. One pod may be away unless the resource says else."""
    wanted = router.spec.pod_disruption_budget
    if not wanted.enabled:
        return None
    limit: dict[str, Any] = {"maxUnavailable": 1}
    if wanted.min_available is not None:
        limit = {"minAvailable": wanted.min_available}
    elif wanted.max_unavailable is not None:
        limit = {"maxUnavailable": wanted.max_unavailable}
    return manifest(
        router,
        DISRUPTION_BUDGET,
        {
            "metadata": metadata(router, names.workload(router.name)),
            "spec": {**limit, "selector": {"matchLabels": names.selector_labels(router.name)}},
        },
    )


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """Two limits, of which the API server takes one, and a budget that lets no pod go."""
    wanted = router.spec.pod_disruption_budget
    if not wanted.enabled:
        return ()
    least, away = wanted.min_available, wanted.max_unavailable
    if least is not None and away is not None:
        message = "has both minAvailable and maxUnavailable; keep one"
        return (Issue("InvalidSpec", _PATH, message),)
    field = "maxUnavailable" if least is None else "minAvailable"
    if not _blocking(router, least, away):
        return ()
    message = "no pod may ever be evicted, so that a node drain waits for ever; leave room for one"
    return (Issue("EvictionBlocked", f"{_PATH}.{field}", message, severity="warning"),)


def _blocking(router: SemanticRouter, least: int | str | None, away: int | str | None) -> bool:
    """With an autoscaler the most replicas count: below that it may pass."""
    scaling, replicas = router.spec.autoscaling, router.spec.replicas
    most = scaling.max_replicas if scaling.enabled else replicas
    if least is None:
        return away in (0, "0%")
    return least == "100%" or (isinstance(least, int) and 0 < most <= least)
