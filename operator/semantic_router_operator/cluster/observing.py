"""How the objects of a router are, from the caches."""

from semantic_router_operator import names
from semantic_router_operator.cluster.child_facts import Child
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    DEPLOYMENT,
    ROUTE,
    ChildKey,
    DeploymentFacts,
    Observed,
    RouteFacts,
)
from semantic_router_operator.model.router import SemanticRouter


def observe(children: Children, router: SemanticRouter) -> Observed:
    """What is the router's own; `objects` is empty."""
    place, workload = router.namespace, names.workload(router.name)
    deployment = _own(children, router, ChildKey(DEPLOYMENT, place, workload))
    route = _own(children, router, ChildKey(ROUTE, place, workload))
    config = _own(children, router, ChildKey(CONFIG_MAP, place, names.config_map(router.name)))
    return Observed(
        deployment=deployment.facts
        if deployment and isinstance(deployment.facts, DeploymentFacts)
        else None,
        route=route.facts if route and isinstance(route.facts, RouteFacts) else None,
        pods=children.pods(router.namespace, router.name),
        live_digest=config.config_digest if config else None,
    )


def _own(children: Children, router: SemanticRouter, key: ChildKey) -> Child | None:
    found = children.get(key)
    return found if found and found.owner == router.metadata.uid else None
