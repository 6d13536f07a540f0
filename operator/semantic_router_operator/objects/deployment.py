"""The Deployment of the router."""

import json
from collections.abc import Mapping
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig, Issue
from semantic_router_operator.model.manifests import DEPLOYMENT, Manifest
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import (
    container,
    probes,
    service_account,
    spread,
    storage,
    volumes,
)
from semantic_router_operator.objects.images import Images
from semantic_router_operator.objects.metadata import manifest, metadata
from semantic_router_operator.objects.pod import template


def build(
    router: SemanticRouter, config: CanonicalConfig, *, platform: Platform, images: Images
) -> Manifest:
    """The Deployment. `spec.replicas` is left out while an HPA scales it."""
    return with_template(router, template(router, config, platform=platform, images=images))


def with_template(
    router: SemanticRouter, pods: Mapping[str, Any], notes: Mapping[str, str] | None = None
) -> Manifest:
    """The Deployment with that pod template, and `notes` among its annotations."""
    spec: dict[str, Any] = {
        "progressDeadlineSeconds": _progress_deadline(router),
        "replicas": router.spec.replicas,
        "selector": {"matchLabels": names.selector_labels(router.name)},
        "strategy": _strategy(router),
        "template": pods,
    }
    if router.spec.autoscaling.enabled:
        del spec["replicas"]
    annotations = {names.ANNOTATION_TEMPLATE_DIGEST: template_digest(pods), **(notes or {})}
    return manifest(
        router,
        DEPLOYMENT,
        {
            "metadata": metadata(router, names.workload(router.name), annotations),
            "spec": spec,
        },
    )


def template_digest(pods: Mapping[str, Any]) -> str:
    """What tells one pod template of ours from another."""
    return names.digest(json.dumps(pods, sort_keys=True).encode())


def _progress_deadline(router: SemanticRouter) -> int:
    """Never before the startup probe has given up: models may be downloaded first (SR-14)."""
    given = router.spec.progress_deadline_seconds
    if given is not None:
        return given
    return min(max(LEAST_DEADLINE, probes.startup_seconds(router) + LEAST_DEADLINE), _INT32)


LEAST_DEADLINE: Final = 600
"""Seconds for scheduling and the image: what the API server gives a whole rollout by default."""
_INT32: Final = 2**31 - 1


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """Everything in the resource that would make the Deployment impossible."""
    return (
        *service_account.check(router),
        *container.check(router),
        *storage.check(router),
        *volumes.check(router),
        *spread.check(router),
    )


def _strategy(router: SemanticRouter) -> dict[str, Any]:
    """Recreate where the new pod couldn't mount the volume before the old one has ended (field
    case OP-15). The parameters of a rolling update are the API server's own defaults: only what an
    apply has set can it take away again, and beside Recreate they are refused."""
    if storage.one_node(router):
        return {"type": "Recreate"}
    return {
        "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
        "type": "RollingUpdate",
    }
