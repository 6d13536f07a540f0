"""The Kubernetes objects of a router: pure functions from resource and document to manifests."""

from collections.abc import Iterator

from semantic_router_operator.model.canonical import CanonicalConfig, Issue
from semantic_router_operator.model.manifests import DEPLOYMENT, HPA, ChildKey, Manifest
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import (
    claim,
    config_map,
    deployment,
    disruption_budget,
    hpa,
    ingress,
    network_policy,
    route,
    service,
    service_account,
    unused,
)
from semantic_router_operator.objects.built import Built
from semantic_router_operator.objects.config_map import check as check_config
from semantic_router_operator.objects.config_map import read_config
from semantic_router_operator.objects.images import Images
from semantic_router_operator.objects.metadata import workload_key
from semantic_router_operator.objects.origins import blame

__all__ = ["Built", "Images", "blame", "build", "check_config", "read_config"]


_Part = tuple[tuple[Issue, ...], Manifest | ChildKey | None]
"""Findings, and: the object, or one that waits for a document, or one that isn't wanted."""


def build(
    router: SemanticRouter,
    config: CanonicalConfig | None,
    *,
    platform: Platform,
    images: Images,
) -> Built:
    """The objects of the router, in the order in which they are applied.

    Bodies are server-side-apply bodies: what we want and nothing that the API server would fill
    in. Without a document there is no ConfigMap, Deployment and HPA, for nothing half-true may
    run; the others are made all the same. An error in one object's fields holds back that object
    only; a document too large for a ConfigMap counts as none.
    """
    issues: list[Issue] = []
    manifests: list[Manifest] = []
    withheld: list[ChildKey] = []
    refused: list[tuple[ChildKey, Issue]] = []
    for found, part in _parts(router, config, platform, images):
        issues.extend(found)
        if part is None:
            continue
        key = part.key if isinstance(part, Manifest) else part
        errors = [(key, issue) for issue in found if issue.severity == "error"]
        refused.extend(errors)
        if isinstance(part, Manifest) and not errors:
            manifests.append(part)
        else:
            withheld.append(key)
    return Built(tuple(manifests), tuple(dict.fromkeys(issues)), tuple(withheld), tuple(refused))


def _parts(
    router: SemanticRouter, config: CanonicalConfig | None, platform: Platform, images: Images
) -> Iterator[_Part]:
    sized = config_map.check(config) if config else ()
    document = None if sized else config
    yield service_account.check(router), service_account.build(router)
    yield sized, config_map.build(router, document) if document else config_map.key(router)
    yield claim.check(router), claim.build(router)
    yield network_policy.check(router), network_policy.build(router)
    yield service.check(router), service.build(router)
    yield (
        deployment.check(router),
        deployment.build(router, document, platform=platform, images=images)
        if document
        else workload_key(router, DEPLOYMENT),
    )
    scaler = hpa.build(router)
    yield hpa.check(router), scaler if document or not scaler else workload_key(router, HPA)
    yield disruption_budget.check(router), disruption_budget.build(router)
    yield ingress.check(router), ingress.build(router)
    yield route.check(router, platform), route.build(router, platform)
    yield unused.check(router), None
