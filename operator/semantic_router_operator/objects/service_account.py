"""The ServiceAccount under which the router runs. It carries no rights: the router needs none."""

import re
from collections.abc import Mapping
from typing import Any

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
    return _named(router, name(router), wanted.annotations) if wanted.create else None


def of_pods(router: SemanticRouter, template: Mapping[str, Any]) -> Manifest | None:
    """The ServiceAccount that earlier pods had from us; None where it was the user's own.

    Pods get no token exactly where the account is ours (objects/pod.py). What the user had it
    annotated with then is recorded nowhere.
    """
    pod = template["spec"]
    if pod.get("automountServiceAccountToken") is not False:
        return None
    return _named(router, pod["serviceAccountName"], {})


def _named(router: SemanticRouter, account: str, annotations: Mapping[str, str]) -> Manifest:
    return manifest(router, SERVICE_ACCOUNT, {"metadata": metadata(router, account, annotations)})


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """A name that no ServiceAccount can have."""
    text = name(router)
    if len(text) <= 253 and re.fullmatch(SUBDOMAIN, text):
        return ()
    message = "is no name of a ServiceAccount; use lower-case letters, digits, - and ."
    return (Issue("InvalidSpec", "spec.serviceAccount.name", message),)
