"""The HorizontalPodAutoscaler (autoscaling/v2). While it exists, replicas are its business."""

from typing import Any

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.manifests import DEPLOYMENT, HPA, Manifest
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.metadata import manifest, metadata
from semantic_router_operator.objects.resources import SECTIONS, amounts

_PATH = "spec.autoscaling"


def build(router: SemanticRouter) -> Manifest | None:
    """The HPA; None when autoscaling is off."""
    scaling = router.spec.autoscaling
    if not scaling.enabled:
        return None
    return manifest(
        router,
        HPA,
        {
            "metadata": metadata(router, names.workload(router.name)),
            "spec": {
                "maxReplicas": scaling.max_replicas,
                "metrics": [_metric(name, percent) for name, percent, _ in _targets(router)],
                "minReplicas": scaling.min_replicas,
                "scaleTargetRef": {
                    "apiVersion": DEPLOYMENT.api_version,
                    "kind": DEPLOYMENT.kind,
                    "name": names.workload(router.name),
                },
            },
        },
    )


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """What the API server would refuse, or an HPA that could never act (field case OP-20)."""
    scaling = router.spec.autoscaling
    if not scaling.enabled:
        return ()
    found: list[Issue] = []
    if scaling.min_replicas < 1:
        found.append(_error("minReplicas", "must be at least 1"))
    if scaling.max_replicas < 1:
        found.append(_error("maxReplicas", "must be at least 1"))
    if scaling.min_replicas > scaling.max_replicas:
        found.append(_error("minReplicas", f"is above {_PATH}.maxReplicas; lower it"))
    return (*found, *_check_targets(router))


def _check_targets(router: SemanticRouter) -> tuple[Issue, ...]:
    targets = _targets(router)
    if not targets:
        both = "this and targetMemoryUtilizationPercentage are off; set one, or disable autoscaling"
        return (_error("targetCPUUtilizationPercentage", both),)
    negative = [
        _error(field, "must be a percentage above 0, or 0 for off")
        for _, percent, field in targets
        if percent < 1
    ]
    idle = [
        Issue(
            "MissingResourceRequest",
            f"spec.resources.requests.{name}",
            f"the autoscaler can't tell the {name} use without it; set it, or turn {field} off",
            severity="warning",
        )
        for name, _, field in targets
        if not _requested(router, name)
    ]
    return (*negative, *idle)


def _targets(router: SemanticRouter) -> tuple[tuple[str, int, str], ...]:
    """(resource, percent, field) of each metric that is on; 0 turns one off."""
    scaling = router.spec.autoscaling
    both = (
        ("cpu", scaling.target_cpu_utilization_percentage, "targetCPUUtilizationPercentage"),
        (
            "memory",
            scaling.target_memory_utilization_percentage,
            "targetMemoryUtilizationPercentage",
        ),
    )
    return tuple((name, percent, field) for name, percent, field in both if percent)


def _requested(router: SemanticRouter, name: str) -> bool:
    """Whether the container requests it; a limit alone is a request too (the API server copies)."""
    return any(name in amounts(router, section) for section in SECTIONS)


def _metric(name: str, percent: int) -> dict[str, Any]:
    return {
        "resource": {
            "name": name,
            "target": {"averageUtilization": percent, "type": "Utilization"},
        },
        "type": "Resource",
    }


def _error(field: str, message: str) -> Issue:
    return Issue("InvalidSpec", f"{_PATH}.{field}", message)
