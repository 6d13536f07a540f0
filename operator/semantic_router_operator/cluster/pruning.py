"""Which of a router's objects may be removed once its spec no longer asks for them."""

from collections.abc import Sequence

from semantic_router_operator import names
from semantic_router_operator.cluster.child_facts import Child
from semantic_router_operator.cluster.claims import goes_with
from semantic_router_operator.model.manifests import (
    CLAIM,
    CONFIG_MAP,
    CONTROLLER_REVISION,
    DEPLOYMENT,
    SERVICE_ACCOUNT,
    DeploymentFacts,
    Manifest,
)
from semantic_router_operator.model.router import SemanticRouter


def may_go(
    router: SemanticRouter,
    surplus: Child,
    manifests: Sequence[Manifest],
    deployment: DeploymentFacts | None,
) -> bool:
    """Not the history; not a claim that the router is to take with it in the end; nothing that
    pods need which may still be made from an older template: until a rollout is complete it can be
    undone, and pods of the old template that a node loses come back.

    `manifests` is what has just been applied. A claim is only ever let go, so it never needs to
    wait: whoever has it mounted keeps it.
    """
    key = surplus.key
    if surplus.deleting or key.kind == CONTROLLER_REVISION:
        return False
    if key.kind == CLAIM:
        return not goes_with(router, key)
    complete = deployment is not None and deployment.complete
    if key.kind == CONFIG_MAP and key.name == names.former_envoy_config(router.name):
        return complete
    if key.kind == SERVICE_ACCOUNT:
        return complete and key.name not in _accounts(manifests, key.name)
    return True


def _accounts(manifests: Sequence[Manifest], unknown: str) -> set[str]:
    """The accounts that the wanted pods run under: not always that of the spec, after a rollback.
    Without a Deployment it may be any: `unknown`."""
    pods = [item.body["spec"]["template"]["spec"] for item in manifests if item.kind == DEPLOYMENT]
    return {spec.get("serviceAccountName", "default") for spec in pods} or {unknown}
