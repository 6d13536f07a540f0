"""The PersistentVolumeClaim for the router's models."""

import re
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.model import quantity
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.manifests import CLAIM, Manifest
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.storage import Persistence
from semantic_router_operator.objects.metadata import manifest, metadata
from semantic_router_operator.objects.raw import SUBDOMAIN
from semantic_router_operator.objects.storage import PATH, access_mode, check_mode, persistence


def build(router: SemanticRouter) -> Manifest | None:
    """The claim; None when persistence is off or a claim of the user's own is named.

    With retentionPolicy Retain it names no owner, so that nothing removes it with the router; the
    annotation with the router's name tells whose it is, and the next router of that name finds
    its data again (field case OP-07). No class is written where the resource names none.
    """
    given = persistence(router)
    if given is None or given.existing_claim:
        return None
    annotations = dict(sorted({**given.annotations, names.ANNOTATION_ROUTER: router.name}.items()))
    spec: dict[str, Any] = {
        "accessModes": [access_mode(given)],
        "resources": {"requests": {"storage": given.size}},
    }
    if given.storage_class_name:
        spec["storageClassName"] = given.storage_class_name
    return manifest(
        router,
        CLAIM,
        {
            "metadata": metadata(
                router,
                names.claim(router.name),
                annotations,
                owned=given.retention_policy == "Delete",
            ),
            "spec": spec,
        },
    )


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """A mode and a size that are none, and a class that no cluster can have."""
    given = persistence(router)
    if given is None or given.existing_claim:
        return ()
    return (*check_mode(given), *_check_size(given), *_check_class(given))


def _check_size(given: Persistence) -> tuple[Issue, ...]:
    try:
        amount = quantity.milli(given.size)
    except ValueError as error:
        return (Issue("InvalidSpec", f"{PATH}.size", str(error)),)
    if amount <= 0:
        return (Issue("InvalidSpec", f"{PATH}.size", "must be more than nothing, such as 10Gi"),)
    return ()


def _check_class(given: Persistence) -> tuple[Issue, ...]:
    name = given.storage_class_name
    if not name or (len(name) <= 253 and re.fullmatch(SUBDOMAIN, name)):
        return ()
    message = "is no name of a StorageClass; use lower-case letters, digits, - and ."
    return (Issue("InvalidSpec", f"{PATH}.storageClassName", message),)
