"""spec.gateway.existingRef: whether that Gateway is there."""

from semantic_router_operator.discovery.misses import explained
from semantic_router_operator.model.facts import GatewayFacts
from semantic_router_operator.model.resolution import GatewayFound, GatewayMissing, GatewayState
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.ports import ClusterView

_PATH = "spec.gateway.existingRef"


def resolve(router: SemanticRouter, view: ClusterView) -> GatewayState:
    """None without a reference. A Gateway that exists is enough; it need not be programmed.

    Reasons: GatewayNotFound, KindNotInstalled, Forbidden, Unreachable.
    """
    ref = router.spec.gateway.existing_ref
    if ref is None:
        return None
    what = f"Gateway {ref.namespace}/{ref.name}"
    found = view.gateway(ref.namespace, ref.name)
    if isinstance(found, GatewayFacts):
        if not found.deleting:
            return GatewayFound()
        text = f"{what} is being deleted; create it anew, or remove the reference"
        return GatewayMissing("GatewayNotFound", f"{_PATH}: {text}")
    miss = explained(what, found)
    reason = "GatewayNotFound" if miss.reason == "NotFound" else miss.reason
    return GatewayMissing(reason, f"{_PATH}: {miss.text}", miss.uncertain)
