"""Where the router's models are: a claim that we make, one of the user's, or an emptyDir."""

import re
from typing import Final

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.storage import Persistence
from semantic_router_operator.objects.raw import SUBDOMAIN

PATH: Final = "spec.persistence"
READ_ONLY: Final = "ReadOnlyMany"
_ONE_NODE: Final = ("ReadWriteOnce", "ReadWriteOncePod")
_MODES: Final = (*_ONE_NODE, "ReadWriteMany", READ_ONLY)


def persistence(router: SemanticRouter) -> Persistence | None:
    """spec.persistence while it is on. Without the object it is off."""
    given = router.spec.persistence
    return given if given is not None and given.enabled else None


def claim_name(router: SemanticRouter) -> str | None:
    """The claim that the pods use; None for an emptyDir."""
    given = persistence(router)
    return (given.existing_claim or names.claim(router.name)) if given else None


def one_node(router: SemanticRouter) -> bool:
    """Whether two pods can't be sure to mount the volume: then none may start before the old one
    has ended (field case OP-15). The mode of a claim of the user's own is what the resource says.
    """
    given = persistence(router)
    return given is not None and access_mode(given) in _ONE_NODE


def read_only(router: SemanticRouter) -> bool:
    """Whether the pods may only read the volume."""
    given = persistence(router)
    return given is not None and access_mode(given) == READ_ONLY


def access_mode(given: Persistence) -> str:
    """The mode, ReadWriteOnce where the resource has an empty text."""
    return given.access_mode or "ReadWriteOnce"


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """What would make the pods impossible, and what they will wait for."""
    given = persistence(router)
    if given is None:
        return ()
    found = list(check_mode(given))
    claim = given.existing_claim
    if claim and not (len(claim) <= 253 and re.fullmatch(SUBDOMAIN, claim)):
        message = "is no name of a claim; use lower-case letters, digits, - and ."
        found.append(Issue("InvalidSpec", f"{PATH}.existingClaim", message))
    if one_node(router) and _several(router):
        message = (
            f"{access_mode(given)} with more than one replica: pods on other nodes wait for the "
            "volume for ever; use ReadWriteMany, or one replica without autoscaling"
        )
        found.append(Issue("SharedVolume", f"{PATH}.accessMode", message, severity="warning"))
    return tuple(found)


def check_mode(given: Persistence) -> tuple[Issue, ...]:
    """A mode that Kubernetes doesn't know."""
    if access_mode(given) in _MODES:
        return ()
    message = f"is not a known mode; write one of {', '.join(_MODES)}"
    return (Issue("InvalidSpec", f"{PATH}.accessMode", message),)


def _several(router: SemanticRouter) -> bool:
    scaling = router.spec.autoscaling
    most = scaling.max_replicas if scaling.enabled else router.spec.replicas
    return most > 1
