"""Writes the objects of a router, and only where something that we own differs.

Never on the word of a cache alone: a write to an object that exists carries its uid, so that one
which was replaced meanwhile is refused, and what the cache doesn't know is read live first.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from semantic_router_operator import names
from semantic_router_operator.cluster.capabilities import Capabilities
from semantic_router_operator.cluster.child_facts import Child, child
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.client import JSON_PATCH, Call, Client
from semantic_router_operator.cluster.ownership import owned_digest, wanted_digest
from semantic_router_operator.cluster.takeover import takeover_patch
from semantic_router_operator.errors import (
    ApiConflict,
    ApiNotFound,
    NameConflict,
    ObjectRejected,
    TransientError,
)
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    DEPLOYMENT,
    ROUTE,
    AppliedObject,
    ChildKey,
    DeploymentFacts,
    Manifest,
    Observed,
    RouteFacts,
)
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import read_config

GARBAGE_SECONDS = 2.0
"""When to look again for an object that is going away."""


class Writer:
    """ports.ClusterWriter over server-side apply."""

    def __init__(self, client: Client, children: Children, capabilities: Capabilities) -> None:
        self._client = client
        self._children = children
        self._capabilities = capabilities
        self._normalised: dict[ChildKey, tuple[bytes, bytes]] = {}
        """What the API server made of what we applied, where the two aren't the same."""

    async def platform(self) -> Platform:
        """What the API server serves. Raises TransientError while that isn't known."""
        return await self._capabilities.platform()

    async def last_good(self, router: SemanticRouter) -> CanonicalConfig | None:
        """The document that is live for the router, or None."""
        key = ChildKey(CONFIG_MAP, router.namespace, names.config_map(router.name))
        raw = await self._live(key)
        if raw is None or child(CONFIG_MAP, raw).owner != router.metadata.uid:
            return None
        return read_config(raw["metadata"].get("annotations") or {}, raw.get("data") or {})

    async def apply(
        self, router: SemanticRouter, manifests: Sequence[Manifest], keep: Sequence[ChildKey]
    ) -> tuple[AppliedObject, ...]:
        """Makes the cluster as `manifests` say, and removes what is ours and neither there nor in
        `keep`. Writes nothing where nothing differs. One object's trouble doesn't stop the others.
        """
        await self._children.ready()
        applied = [await self._outcome(router, manifest) for manifest in manifests]
        wanted = {manifest.key for manifest in manifests} | set(keep)
        surplus = [
            item for item in self._children.owned_by(router.metadata.uid) if item.key not in wanted
        ]
        removed = [await self._removal(item) for item in surplus if not item.deleting]
        return (*applied, *removed)

    def observe(self, router: SemanticRouter) -> Observed:
        """How the objects are now, from the caches; `objects` is empty."""
        workload = names.workload(router.name)
        deployment = self._own(router, ChildKey(DEPLOYMENT, router.namespace, workload))
        route = self._own(router, ChildKey(ROUTE, router.namespace, workload))
        config = self._own(
            router, ChildKey(CONFIG_MAP, router.namespace, names.config_map(router.name))
        )
        return Observed(
            deployment=deployment.facts
            if deployment and isinstance(deployment.facts, DeploymentFacts)
            else None,
            route=route.facts if route and isinstance(route.facts, RouteFacts) else None,
            pods=self._children.pods(router.namespace, router.name),
            live_digest=config.config_digest if config else None,
        )

    def _own(self, router: SemanticRouter, key: ChildKey) -> Child | None:
        found = self._children.get(key)
        return found if found and found.owner == router.metadata.uid else None

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
            return AppliedObject(key, "rejected", error.reason, error.message)
        except TransientError as error:
            return _failed(key, error)
        if written is None:
            return AppliedObject(key, "unchanged")
        generation = int(written["metadata"].get("generation") or 0)
        return AppliedObject(key, "applied", generation=generation)

    async def _write(
        self, router: SemanticRouter, manifest: Manifest, known: Child | None
    ) -> dict[str, Any] | None:
        """The object as written, None when nothing had to be. `known` is what the cache says."""
        key, uid = manifest.key, router.metadata.uid
        if known is None or known.owner != uid or known.deleting:
            raw = await self._live(key)
            if raw is None:
                return await self._create(manifest)
            _refuse_foreign(key, raw, router)
            known = await self._taken_over(key, raw)
        if self._is_settled(key, known, wanted_digest(manifest.body)):
            return None
        if known.owns_replicas and "replicas" not in manifest.body["spec"]:
            await self._hand_over_replicas(key)
        return await self._update(manifest, known.uid)

    def _is_settled(self, key: ChildKey, known: Child, wanted: bytes) -> bool:
        return wanted == known.digest or self._normalised.get(key) == (wanted, known.digest)

    async def _live(self, key: ChildKey) -> dict[str, Any] | None:
        try:
            return await self._client.get(_path(key))
        except ApiNotFound:
            return None

    async def _create(self, manifest: Manifest) -> dict[str, Any]:
        """Not forced: whoever was faster keeps the object."""
        raw = await self._client.apply(_path(manifest.key), manifest.body, force=False)
        return self._took(manifest, raw)

    async def _update(self, manifest: Manifest, uid: str) -> dict[str, Any]:
        raw = await self._client.apply(
            _path(manifest.key), _identified(manifest.body, uid=uid), force=True
        )
        return self._took(manifest, raw)

    def _took(self, manifest: Manifest, raw: dict[str, Any]) -> dict[str, Any]:
        key = manifest.key
        wanted, live = wanted_digest(manifest.body), owned_digest(raw)
        self._normalised.pop(key, None)
        if wanted != live:
            self._normalised[key] = (wanted, live)
        self._children.note(key, raw)
        return raw

    async def _taken_over(self, key: ChildKey, raw: dict[str, Any]) -> Child:
        patch = takeover_patch(raw)
        if patch is not None:
            raw = await self._client.request(
                Call("PATCH", _path(key), body=patch, content_type=JSON_PATCH)
            )
        return child(key.kind, raw)

    async def _hand_over_replicas(self, key: ChildKey) -> None:
        """Before we let go of spec.replicas, somebody else holds the live value: a field without
        an owner would fall back to its default of 1 (Kubernetes docs, server-side apply,
        "Transferring ownership")."""
        raw = await self._live(key)
        if raw is None:
            return
        body = {
            "apiVersion": key.kind.api_version,
            "kind": key.kind.kind,
            "metadata": {
                "name": key.name,
                "namespace": key.namespace,
                "uid": raw["metadata"]["uid"],
                "resourceVersion": raw["metadata"]["resourceVersion"],
            },
            "spec": {"replicas": raw["spec"]["replicas"]},
        }
        manager = names.SCALE_HANDOVER_MANAGER
        await self._client.apply(_path(key), body, force=True, manager=manager)

    async def _removal(self, surplus: Child) -> AppliedObject:
        key = surplus.key
        try:
            answer = await self._client.delete(_path(key), uid=surplus.uid)
        except ApiNotFound:
            answer = {}
        except ObjectRejected as error:
            return AppliedObject(key, "rejected", error.reason, error.message)
        except TransientError as error:
            return _failed(key, error)
        self._normalised.pop(key, None)
        if "deletionTimestamp" in (answer.get("metadata") or {}):
            self._children.note(key, answer)
        else:
            self._children.forget(key)
        return AppliedObject(key, "deleted")


def _failed(key: ChildKey, error: TransientError) -> AppliedObject:
    return AppliedObject(key, "failed", error.reason, error.message, retry_after=error.retry_after)


def _refuse_foreign(key: ChildKey, raw: Mapping[str, Any], router: SemanticRouter) -> None:
    """Raises NameConflict for an object of somebody else, ApiConflict for one that goes away."""
    owners = raw["metadata"].get("ownerReferences") or ()
    controller = next((item for item in owners if item.get("controller")), None)
    if controller is not None and _is_predecessor(controller, router):
        text = f"{key} belongs to an earlier SemanticRouter of that name and is being removed"
        raise ApiConflict(text, retry_after=GARBAGE_SECONDS)
    mine = (controller or {}).get("uid") == router.metadata.uid or (
        controller is None and any(item["uid"] == router.metadata.uid for item in owners)
    )
    if not mine:
        owner = f"to {controller['kind']} {controller['name']}" if controller else "to nobody"
        text = (
            f"{key} exists and belongs {owner}, not to this SemanticRouter; "
            "remove or rename it, or give the SemanticRouter another name"
        )
        raise NameConflict(text)
    if "deletionTimestamp" in raw["metadata"]:
        text = f"{key} is being deleted"
        raise ApiConflict(text, retry_after=GARBAGE_SECONDS)


def _is_predecessor(controller: Mapping[str, Any], router: SemanticRouter) -> bool:
    return controller["uid"] != router.metadata.uid and (
        (controller["kind"], controller["name"]) == (names.KIND, router.name)
    )


def _identified(body: Mapping[str, Any], **identity: str) -> dict[str, Any]:
    return {**body, "metadata": {**body["metadata"], **identity}}


def _path(key: ChildKey) -> str:
    return f"{key.kind.path}/namespaces/{key.namespace}/{key.kind.plural}/{quote(key.name)}"
