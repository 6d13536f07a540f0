"""Routers that the Go operator looked after: what it left behind, and its finalizer.

The Go operator put a finalizer on every SemanticRouter. Nobody removes it any more once that
operator is gone, so that `kubectl delete` would wait for ever: we remove exactly that one, after
what it stood for is taken care of (docs/adr/0010-the-go-operators-finalizer.md). While it is on a
router nothing of this was done yet; afterwards it costs no request.
"""

from collections.abc import Mapping
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.cluster.call import JSON_PATCH, MERGE_PATCH, Call
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.claims import goes_with, release
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.errors import ApiConflict, ApiNotFound, InvalidSpec, ObjectRejected
from semantic_router_operator.model.manifests import CLAIM, CONFIG_MAP, ChildKey
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.router import SemanticRouter

ATTEMPTS = 3
"""Of a patch that meets somebody else's write."""


class Adoption:
    """Over the client and the caches of what we make."""

    def __init__(self, client: Client, children: Children) -> None:
        self._client = client
        self._children = children

    async def adopt(self, body: Mapping[str, Any]) -> bool:
        """Settles what the Go operator left of the router, then removes its finalizer; whether
        there was one. Makes no request where there is none.

        Envoy's ConfigMap gets our label: the writer removes it once the pods that mount it are
        gone. A claim is kept without an owner, unless retentionPolicy says Delete. The writer does
        that as well for one that the router wants, but may have been refused, and with the
        finalizer goes what holds the router back until then.
        Nothing is done for a router that is suspended, unless it is being deleted. Call it after a
        pass, and at once for a router with a deletionTimestamp. Raises as `Client.request` does.
        """
        metadata = body["metadata"]
        if names.FORMER_FINALIZER not in (metadata.get("finalizers") or ()):
            return False
        router, deleting = _read(body), "deletionTimestamp" in metadata
        if router.spec.suspend and not deleting:
            return False
        if not deleting:
            name = names.former_envoy_config(router.name)
            await self._mark(router, ChildKey(CONFIG_MAP, router.namespace, name))
        key = ChildKey(CLAIM, router.namespace, names.claim(router.name))
        if not goes_with(router, key):
            await self._mark(router, key)
            if (kept := await release(self._client, key, router.metadata.uid)) is not None:
                self._children.note(key, kept)
        return await release_finalizer(self._client, body)

    async def _mark(self, router: SemanticRouter, key: ChildKey) -> None:
        """Our labels on an object that the router owns, so that our caches see it. Not by an
        apply: what the Go operator wrote is taken over by the first one."""
        try:
            raw = await self._client.get(object_path(key))
        except ApiNotFound:
            return
        metadata = raw["metadata"]
        owners = {item["uid"] for item in metadata.get("ownerReferences") or ()}
        if router.metadata.uid not in owners or "deletionTimestamp" in metadata:
            return
        change = {
            "labels": names.child_labels(router.name),
            "annotations": {names.ANNOTATION_ROUTER: router.name},
            "resourceVersion": metadata["resourceVersion"],
        }
        call = Call("PATCH", object_path(key), body={"metadata": change}, content_type=MERGE_PATCH)
        self._children.note(key, await self._client.request(call))


async def release_finalizer(client: Client, body: Mapping[str, Any]) -> bool:
    """Removes the Go operator's finalizer from the router, and nothing else; whether it did.

    `body` is the router as it was seen; another object of that name is left alone. Raises as
    `Client.request` does, ApiConflict when others write too fast.
    """
    metadata = body["metadata"]
    path = f"/apis/{names.API_VERSION}/namespaces/{metadata['namespace']}/{names.PLURAL}"
    path, uid = f"{path}/{metadata['name']}", metadata["uid"]
    for _ in range(ATTEMPTS):
        patch = _patch(metadata)
        if patch is None or metadata["uid"] != uid:
            return False
        try:
            await client.request(Call("PATCH", path, body=patch, content_type=JSON_PATCH))
        except ApiNotFound:
            return False
        except (ApiConflict, ObjectRejected) as error:
            refused = error
        else:
            return True
        try:
            metadata = (await client.get(path))["metadata"]
        except ApiNotFound:
            return False
    raise refused


def _patch(metadata: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Fails as a whole (422) where the object or its list of finalizers is another by now."""
    finalizers = list(metadata.get("finalizers") or ())
    if names.FORMER_FINALIZER not in finalizers:
        return None
    place = f"/metadata/finalizers/{finalizers.index(names.FORMER_FINALIZER)}"
    return [
        {"op": "test", "path": "/metadata/uid", "value": metadata["uid"]},
        {"op": "test", "path": place, "value": names.FORMER_FINALIZER},
        {"op": "remove", "path": place},
    ]


def _read(body: Mapping[str, Any]) -> SemanticRouter:
    """The router; of one that can't be read the metadata alone, which keeps its claim."""
    try:
        return parse(body)
    except InvalidSpec:
        return parse({"metadata": body["metadata"]})
