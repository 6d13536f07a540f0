"""PersistentVolumeClaims: what can't be changed of them, and how they outlive their router.

A claim's class and access mode can't be changed, its size can only grow. A wish for that is
reported and nothing else waits for it: the apply carries what is there (field case OP-07).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.cluster.call import JSON_PATCH, Call
from semantic_router_operator.cluster.child_facts import Child
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.errors import ApiNotFound
from semantic_router_operator.model import quantity
from semantic_router_operator.model.manifests import ChildKey, ClaimFacts, Manifest
from semantic_router_operator.model.router import SemanticRouter

_WAY: Final = "write that, or move the data to a claim of your own and name it in existingClaim"


def feasible(manifest: Manifest, known: Child) -> Manifest:
    """The manifest with what is there in the place of what can't be changed."""
    facts = known.facts
    if not isinstance(facts, ClaimFacts):
        return manifest
    spec = dict(manifest.body["spec"])
    if spec["accessModes"] != list(facts.access_modes):
        spec["accessModes"] = list(facts.access_modes)
    if facts.storage_class is not None and ("storageClassName" in spec or facts.owns_class):
        spec["storageClassName"] = facts.storage_class
    if _shrinks(spec, facts):
        spec["resources"] = {"requests": {"storage": facts.size}}
    body = {**manifest.body, "spec": spec}
    return Manifest(manifest.kind, manifest.namespace, manifest.name, body)


def unmet(manifest: Manifest, known: Child | None) -> tuple[tuple[str, str], ...]:
    """What of the manifest can't be: (path in the claim, why and what to do)."""
    facts = known.facts if known is not None else None
    if not isinstance(facts, ClaimFacts):
        return ()
    return tuple(_unmet(manifest, facts))


def _unmet(manifest: Manifest, facts: ClaimFacts) -> Iterator[tuple[str, str]]:
    spec = manifest.body["spec"]
    wanted = spec.get("storageClassName")
    if wanted is not None and wanted != facts.storage_class:
        now = facts.storage_class
        has = f"'s class is {now} and can't change" if now else " has no class and can't get one"
        yield "spec.storageClassName", f"the claim{has}; {_WAY}"
    if spec["accessModes"] != list(facts.access_modes):
        has = ", ".join(facts.access_modes)
        yield "spec.accessModes", f"the claim's mode is {has} and can't change; {_WAY}"
    if _shrinks(spec, facts):
        where = "spec.resources.requests.storage"
        yield where, f"the claim has {facts.size} and can't shrink; {_WAY}"


def _shrinks(spec: Mapping[str, Any], facts: ClaimFacts) -> bool:
    wanted = spec["resources"]["requests"]["storage"]
    try:
        return quantity.milli(wanted) < quantity.milli(facts.size)
    except ValueError:
        return False


def release_patch(raw: Mapping[str, Any], uid: str) -> list[dict[str, Any]] | None:
    """A JSON patch that takes the router with that uid off the owners, so that the claim outlives
    it; None where it is none of them. It fails with 409 when the claim has changed meanwhile."""
    metadata = raw["metadata"]
    owners = metadata.get("ownerReferences") or []
    others = [item for item in owners if item["uid"] != uid]
    if len(others) == len(owners):
        return None
    path = "/metadata/ownerReferences"
    change = {"op": "replace", "path": path, "value": others}
    return [
        change if others else {"op": "remove", "path": path},
        {
            "op": "replace",
            "path": "/metadata/resourceVersion",
            "value": metadata["resourceVersion"],
        },
    ]


def goes_with(router: SemanticRouter, key: ChildKey) -> bool:
    """Whether the claim is to be removed with the router; one of the user's own never is."""
    given = router.spec.persistence
    return (
        given is not None
        and given.retention_policy == "Delete"
        and given.existing_claim != key.name
    )


async def release(client: Client, key: ChildKey, uid: str) -> dict[str, Any] | None:
    """Takes the router with that uid off the claim's owners; the claim afterwards, None where
    there was nothing to do. Raises as the client does."""
    try:
        raw = await client.get(object_path(key))
    except ApiNotFound:
        return None
    patch = release_patch(raw, uid)
    if patch is None:
        return None
    return await client.request(
        Call("PATCH", object_path(key), body=patch, content_type=JSON_PATCH)
    )
