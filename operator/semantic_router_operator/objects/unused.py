"""Fields that are accepted, so that no resource is refused or pruned, and that do nothing."""

from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.router import SemanticRouter


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """A warning for each that the resource has."""
    given = router.spec.bootstrap
    reference = given.config_map_ref if given else None
    if reference is None or not (reference.name or reference.key):
        return ()
    message = (
        "is not used: the router's configuration is made from the spec; write what the ConfigMap "
        "says into spec.config and spec.vllmEndpoints, and remove it"
    )
    path = "spec.bootstrap.configMapRef"
    return (Issue("UnsupportedField", path, message, severity="warning"),)
