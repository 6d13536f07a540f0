"""Whose an object is. By its controller's uid, and a claim that outlives its router by its name.

A claim with retentionPolicy Retain has no owner, so that the garbage collector leaves it. Our
label and the annotation with the router's name say whose it is: the next router of that name in
the namespace takes it up again (field case OP-07).
"""

from collections.abc import Mapping
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.cluster.child_facts import Child
from semantic_router_operator.cluster.ownership import applied_fields
from semantic_router_operator.errors import ApiConflict, NameConflict
from semantic_router_operator.model.manifests import CLAIM, ChildKey, ClaimFacts
from semantic_router_operator.model.router import SemanticRouter

GARBAGE_SECONDS = 2.0
"""When to look again for an object that is going away."""

_Owner = Mapping[str, Any]


def belongs(known: Child, router: SemanticRouter) -> bool:
    """Whether the cached object is the router's."""
    if known.owner is None:
        return isinstance(known.facts, ClaimFacts) and known.facts.kept_for == router.name
    return known.owner == router.metadata.uid


def refuse_foreign(key: ChildKey, raw: Mapping[str, Any], router: SemanticRouter) -> None:
    """Raises NameConflict for an object of somebody else, ApiConflict for one that goes away."""
    owners = raw["metadata"].get("ownerReferences") or ()
    controller = next((item for item in owners if item.get("controller")), None)
    if controller is not None and _is_predecessor(controller, router):
        text = f"{key} belongs to an earlier SemanticRouter of that name and is being removed"
        raise ApiConflict(text, retry_after=GARBAGE_SECONDS)
    mine = (controller or {}).get("uid") == router.metadata.uid or (
        controller is None
        and (
            any(item["uid"] == router.metadata.uid for item in owners)
            or (key.kind == CLAIM and _kept_for(raw) == router.name)
            or _is_orphan_of(raw, router)
        )
    )
    if not mine:
        raise NameConflict(_conflict(key, raw, controller))
    if "deletionTimestamp" in raw["metadata"]:
        text = f"{key} is being deleted"
        raise ApiConflict(text, retry_after=GARBAGE_SECONDS)


def _is_orphan_of(raw: Mapping[str, Any], router: SemanticRouter) -> bool:
    """Whether we made it for a router of that name, and only its owner reference was lost: by
    `kubectl delete --cascade=orphan`, or by hand: we take it back. Our labels alone prove
    nothing; that the API server says that we applied it does."""
    metadata = raw["metadata"]
    labels = metadata.get("labels") or {}
    wanted = names.child_labels(router.name)
    return (
        not metadata.get("ownerReferences")
        and all(labels.get(key) == value for key, value in wanted.items())
        and bool(applied_fields(raw))
    )


def _kept_for(raw: Mapping[str, Any]) -> str | None:
    """Name of the router whose data the claim keeps; None for a claim that isn't ours."""
    metadata = raw["metadata"]
    if (metadata.get("labels") or {}).get(names.LABEL_MANAGED_BY) != names.MANAGED_BY:
        return None
    found = (metadata.get("annotations") or {}).get(names.ANNOTATION_ROUTER)
    return None if found is None else str(found)


def _conflict(key: ChildKey, raw: Mapping[str, Any], controller: _Owner | None) -> str:
    keeper = _kept_for(raw) if key.kind == CLAIM else None
    owner = "to nobody"
    if controller:
        owner = f"to {controller['kind']} {controller['name']}"
    elif keeper:
        owner = f"to {names.KIND} {keeper}"
    way = "name it in spec.persistence.existingClaim, " if key.kind == CLAIM else ""
    return (
        f"{key} exists and belongs {owner}, not to this SemanticRouter; {way}"
        "remove or rename it, or give the SemanticRouter another name"
    )


def _is_predecessor(controller: _Owner, router: SemanticRouter) -> bool:
    return controller["uid"] != router.metadata.uid and (
        (controller["kind"], controller["name"]) == (names.KIND, router.name)
    )
