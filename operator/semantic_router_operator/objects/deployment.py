"""The Deployment of the router."""

from typing import Any

from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig, Issue
from semantic_router_operator.model.manifests import DEPLOYMENT, Manifest
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import container, service_account
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
    return (*service_account.check(router), *container.check(router))
