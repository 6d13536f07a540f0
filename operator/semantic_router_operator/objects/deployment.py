"""The Deployment of the router."""

from typing import Any

from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig, Issue
from semantic_router_operator.model.manifests import DEPLOYMENT, Manifest
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import (
    container,
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
    spec: dict[str, Any] = {
        "replicas": router.spec.replicas,
        "selector": {"matchLabels": names.selector_labels(router.name)},
        "strategy": _strategy(router),
        "template": template(router, config, platform=platform, images=images),
    }
    if router.spec.autoscaling.enabled:
        del spec["replicas"]
    return manifest(
        router,
        DEPLOYMENT,
        {"metadata": metadata(router, names.workload(router.name)), "spec": spec},
    )


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
