"""The ServiceAccount under which the router runs. It carries no rights: the router needs none."""

import re

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.manifests import SERVICE_ACCOUNT, Manifest
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.metadata import manifest, metadata
from semantic_router_operator.objects.raw import SUBDOMAIN


def name(router: SemanticRouter) -> str:
    """spec.serviceAccount.name, else the router's own name."""
    return router.spec.service_account.name or names.workload(router.name)


def build(router: SemanticRouter) -> Manifest | None:
    """The ServiceAccount; None when spec.serviceAccount.create is false: then it is only named."""
    wanted = router.spec.service_account
    if not wanted.create:
        return None
    annotations = wanted.annotations
    return manifest(
        router, SERVICE_ACCOUNT, {"metadata": metadata(router, name(router), annotations)}
    )


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """A name that no ServiceAccount can have."""
    text = name(router)
    if len(text) <= 253 and re.fullmatch(SUBDOMAIN, text):
        return ()
    message = "is no name of a ServiceAccount; use lower-case letters, digits, - and ."
    return (Issue("InvalidSpec", "spec.serviceAccount.name", message),)
