"""Writes the objects of a router, and only where something that we own differs.

Never on the word of a cache alone: a write to an object that exists carries its uid, so that one
which was replaced meanwhile is refused, and what the cache doesn't know is read live first.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from semantic_router_operator.cluster.belonging import belongs, refuse_foreign
from semantic_router_operator.cluster.call import JSON_PATCH, Call
from semantic_router_operator.cluster.capabilities import Capabilities
from semantic_router_operator.cluster.child_facts import Child, child
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.claims import feasible, release, unmet
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.delivery import Delivery
from semantic_router_operator.cluster.handover import hand_over_replicas
from semantic_router_operator.cluster.interests import RouterKey
from semantic_router_operator.cluster.last_good import LastGood
from semantic_router_operator.cluster.normalised import Normalised
from semantic_router_operator.cluster.observing import observe
from semantic_router_operator.cluster.ownership import owned_digest, wanted_digest
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.cluster.presence import is_gone
from semantic_router_operator.cluster.pruning import may_go
from semantic_router_operator.cluster.revisions import Revisions
from semantic_router_operator.cluster.takeover import takeover_patch
from semantic_router_operator.errors import (
    ApiConflict,
    ApiNotFound,
    NameConflict,
    ObjectRejected,
    RouterError,
    RouterGone,
    TransientError,
)
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import (
    CLAIM,
    DEPLOYMENT,
    AppliedObject,
    ChildKey,
    Manifest,
    Observed,
    Recorded,
    Revision,
    RevisionFacts,
)
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.revision import revision_key
from semantic_router_operator.objects.rollback import forgets, keeps, rolls


class Writer:
    """ports.ClusterWriter over server-side apply."""

    def __init__(self, client: Client, children: Children, capabilities: Capabilities) -> None:
        self._client = client
        self._children = children
        self._capabilities = capabilities
        self._revisions = Revisions(client, children)
        self._last_good = LastGood(client, children, self._revisions)
        self._normalised = Normalised()
        self._delivery = Delivery(client, children)

    async def ready(self) -> None:
        """Returns when the caches know what there is, as far as that can be found out."""
        await self._children.ready()

    async def platform(self) -> Platform:
        """What the API server serves. Raises TransientError while that isn't known."""
        return await self._capabilities.platform()

    async def last_good(self, router: SemanticRouter) -> CanonicalConfig | None:
        """The document to go on with while a candidate is rejected, or None where there is none."""
        return await self._last_good.of(router)

    def forget(self, key: RouterKey) -> None:
        """The router is gone; its objects are the garbage collector's."""
        self._normalised.forget(key)
        self._last_good.forget(key)
        self._revisions.forget(key)

    async def apply(
        self, router: SemanticRouter, manifests: Sequence[Manifest], keep: Sequence[ChildKey]
    ) -> tuple[AppliedObject, ...]:
        """Makes the cluster as `manifests` say, and removes what is ours and neither there nor in
        `keep`. Writes nothing where nothing differs. One object's trouble doesn't stop the others.
        Raises RouterGone, having written nothing, where an object is to be made for a router that
        isn't there any more. Call it once the caches are `ready`.
        """
        known = [self._children.get(manifest.key) for manifest in manifests]
        if None in known and await is_gone(self._client, router):
            raise RouterGone
        pods_stay = any(
            keeps(manifest, child.facts)
            for manifest, child in zip(manifests, known, strict=True)
            if child is not None
        )
        applied = await self._in_order(router, manifests)
        if pods_stay:
            await self._delivery.hurry(router, applied)
        wanted = {manifest.key for manifest in manifests} | set(keep)
        deployment = self.observe(router).deployment
        surplus = [
            item
            for item in self._children.owned_by(router.metadata.uid)
            if item.key not in wanted and may_go(router, item, manifests, deployment)
        ]
        removed = [await self._removal(router, item) for item in surplus]
        return (*applied, *removed)

    async def record(
        self,
        router: SemanticRouter,
        config: CanonicalConfig,
        pods: Mapping[str, Any],
        *,
        keep: Collection[int],
    ) -> Recorded:
        """Keeps the accepted document and its pod template in the history. Writes nothing if they
        are the newest revision. Those with the numbers `keep` are never dropped for their age."""
        try:
            return await self._revisions.record(router, config, pods, keep=keep)
        except RouterError as error:
            key = revision_key(router, config, pods)
            wait = error.retry_after if isinstance(error, TransientError) else None
            text = f"the revision isn't recorded: {error.message}"
            return Recorded(
                None, AppliedObject(key, "failed", error.reason, text, retry_after=wait)
            )

    def history(self, router: SemanticRouter) -> tuple[RevisionFacts, ...]:
        """The recorded revisions, the oldest first."""
        return self._revisions.history(router)

    async def revision(self, router: SemanticRouter, number: int) -> Revision | None:
        """What is recorded under that number; read once for each state of the object."""
        return await self._revisions.read(router, number)

    def observe(self, router: SemanticRouter) -> Observed:
        """How the objects are now, from the caches; `objects` is empty."""
        return observe(self._children, router)

    async def _in_order(
        self, router: SemanticRouter, manifests: Sequence[Manifest]
    ) -> list[AppliedObject]:
        """One after the other; one that must come after another isn't written if that wasn't."""
        applied: list[AppliedObject] = []
        undone: set[ChildKey] = set()
        for manifest in manifests:
            if manifest.after in undone:
                text = f"waits for {manifest.after}"
                done = AppliedObject(manifest.key, "failed", ApiConflict.reason, text)
            else:
                done = await self._outcome(router, manifest)
            if not done.as_wanted:
                undone.add(done.key)
            applied.append(done)
        return applied

    async def _outcome(self, router: SemanticRouter, manifest: Manifest) -> AppliedObject:
        key = manifest.key
        try:
            try:
                written = await self._write(router, manifest, self._children.get(key))
            except ApiConflict:
                written = await self._write(router, manifest, None)
        except NameConflict as error:
            return AppliedObject(key, "conflict", error.reason, error.message)
        except ObjectRejected as error:
            return _rejected(key, error)
        except TransientError as error:
            return _failed(key, error)
        if fields := unmet(manifest, self._children.get(key)):
            text = "; ".join(f"{path}: {why}" for path, why in fields)
            return AppliedObject(key, "rejected", ObjectRejected.reason, text, fields=fields)
        if written is None:
            return AppliedObject(key, "unchanged")
        generation = int(written["metadata"].get("generation") or 0)
        return AppliedObject(key, "applied", generation=generation)

    async def _write(
        self, router: SemanticRouter, manifest: Manifest, known: Child | None
    ) -> dict[str, Any] | None:
        """The object as written, None when nothing had to be. `known` is what the cache says."""
        key = manifest.key
        if known is None or not belongs(known, router) or known.deleting:
            raw = await self._live(key)
            if raw is None:
                return await self._create(router, manifest)
            refuse_foreign(key, raw, router)
            known = await self._taken_over(key, raw)
        manifest = feasible(manifest, known)
        if self._is_settled(router, known, wanted_digest(manifest.body)):
            return None
        if rolls(manifest, known.facts):
            await self._refuse_rolled_back(router, manifest)
        if known.owns_replicas and "replicas" not in manifest.body["spec"]:
            await hand_over_replicas(self._client, key)
        return await self._update(router, manifest, known.uid)

    async def _refuse_rolled_back(self, router: SemanticRouter, manifest: Manifest) -> None:
        """Pods are replaced only after a live look: what a cache lags behind may be that we went
        back from the very template. Raises ApiConflict; the next pass knows then."""
        raw = await self._live(manifest.key)
        if raw is not None and forgets(router, manifest, child(DEPLOYMENT, raw).facts):
            self._children.note(manifest.key, raw)
            message = f"{manifest.key}: was rolled back meanwhile"
            raise ApiConflict(message)

    def _is_settled(self, router: SemanticRouter, known: Child, wanted: bytes) -> bool:
        return wanted == known.digest or self._normalised.holds(
            _place(router), known.key, wanted, known.digest
        )

    async def _live(self, key: ChildKey) -> dict[str, Any] | None:
        try:
            return await self._client.get(object_path(key))
        except ApiNotFound:
            return None

    async def _create(self, router: SemanticRouter, manifest: Manifest) -> dict[str, Any]:
        """Not forced: whoever was faster keeps the object."""
        raw = await self._client.apply(object_path(manifest.key), manifest.body, force=False)
        return self._took(router, manifest, raw)

    async def _update(self, router: SemanticRouter, manifest: Manifest, uid: str) -> dict[str, Any]:
        raw = await self._client.apply(
            object_path(manifest.key), _identified(manifest.body, uid=uid), force=True
        )
        return self._took(router, manifest, raw)

    def _took(
        self, router: SemanticRouter, manifest: Manifest, raw: dict[str, Any]
    ) -> dict[str, Any]:
        key = manifest.key
        wanted, live = wanted_digest(manifest.body), owned_digest(raw)
        self._normalised.remember(_place(router), key, wanted, live)
        self._children.note(key, raw)
        return raw

    async def _taken_over(self, key: ChildKey, raw: dict[str, Any]) -> Child:
        patch = takeover_patch(raw)
        if patch is not None:
            raw = await self._client.request(
                Call("PATCH", object_path(key), body=patch, content_type=JSON_PATCH)
            )
        return child(key.kind, raw)

    async def _removal(self, router: SemanticRouter, surplus: Child) -> AppliedObject:
        """Deletes it; a claim is only let go, its data stays."""
        key = surplus.key
        try:
            if key.kind == CLAIM:
                return await self._released(router, key)
            answer = await self._client.delete(object_path(key), uid=surplus.uid)
        except ApiNotFound:
            answer = {}
        except ObjectRejected as error:
            return _rejected(key, error)
        except TransientError as error:
            return _failed(key, error)
        self._normalised.drop(_place(router), key)
        if "deletionTimestamp" in (answer.get("metadata") or {}):
            self._children.note(key, answer)
        else:
            self._children.forget(key)
        return AppliedObject(key, "deleted")

    async def _released(self, router: SemanticRouter, key: ChildKey) -> AppliedObject:
        raw = await release(self._client, key, router.metadata.uid)
        if raw is None:
            return AppliedObject(key, "unchanged")
        self._children.note(key, raw)
        return AppliedObject(key, "applied")


def _place(router: SemanticRouter) -> RouterKey:
    return (router.namespace, router.name)


def _failed(key: ChildKey, error: TransientError) -> AppliedObject:
    return AppliedObject(key, "failed", error.reason, error.message, retry_after=error.retry_after)


def _rejected(key: ChildKey, error: ObjectRejected) -> AppliedObject:
    return AppliedObject(key, "rejected", error.reason, error.message, fields=error.fields)


def _identified(body: Mapping[str, Any], **identity: str) -> dict[str, Any]:
    return {**body, "metadata": {**body["metadata"], **identity}}
