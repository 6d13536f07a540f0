"""The history of what a router ran with, as ControllerRevisions.

The numbering is that of Kubernetes' own controllers (StatefulSet, DaemonSet): what was recorded
before isn't recorded again, it gets the highest number. At rest no request is made.
"""

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from semantic_router_operator.cluster.belonging import belongs, refuse_foreign
from semantic_router_operator.cluster.child_facts import Child, child_of
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.contents import Contents
from semantic_router_operator.cluster.interests import RouterKey
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.errors import ApiConflict, ApiNotFound, ApiUnreachable
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import (
    CONTROLLER_REVISION,
    ChildKey,
    Manifest,
    Recorded,
    Revision,
    RevisionFacts,
)
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import revision


@dataclass(frozen=True, slots=True)
class _Known:
    """A recorded revision."""

    child: Child
    facts: RevisionFacts


class Revisions:
    """Records revisions and forgets the oldest."""

    def __init__(self, client: Client, children: Children) -> None:
        self._client = client
        self._children = children
        self._contents = Contents(client, revision.read_revision)

    async def record(
        self,
        router: SemanticRouter,
        config: CanonicalConfig,
        pods: Mapping[str, Any],
        *,
        keep: Collection[int] = (),
    ) -> Recorded:
        """The number of their revision, which is the newest afterwards.

        The oldest beyond spec.revisionHistoryLimit are removed, those numbered `keep` never.
        Raises RouterError as the client does; nothing is lost then, the next pass tries again.
        """
        digest = revision.revision_digest(config, pods)
        await self._look_at(router, revision.key(router, digest))
        known = self._of(router)
        newest = known[-1] if known else None
        former = next((item.facts.number for item in known if item.facts.digest == digest), None)
        if newest is None or newest.facts.digest != digest:
            number = newest.facts.number + 1 if newest else 1
            await self._write(router, revision.build(router, config, pods, number=number))
        else:
            number = newest.facts.number
        others = [item for item in known if item.facts.digest != digest]
        surplus = len(others) - max(router.spec.revision_history_limit - 1, 0)
        for item in others[: max(surplus, 0)]:
            if item.facts.number not in keep:
                await self._remove(item.child)
        return Recorded(number, former=former)

    async def latest(self, router: SemanticRouter) -> Revision | None:
        """The one with the highest number. Raises as the client does."""
        known = self._of(router)
        return await self._contents.of(known[-1].child) if known else None

    def forget(self, router: RouterKey) -> None:
        """The router is gone."""
        self._contents.forget(router)

    def history(self, router: SemanticRouter) -> tuple[RevisionFacts, ...]:
        """The recorded revisions, the oldest first."""
        return tuple(item.facts for item in self._of(router))

    async def read(self, router: SemanticRouter, number: int) -> Revision | None:
        """What is recorded under that number; None when nothing is. Raises as the client does,
        ApiUnreachable while the history isn't known: what isn't seen may be there."""
        found = next((item for item in self._of(router) if item.facts.number == number), None)
        if found is not None:
            return await self._contents.of(found.child)
        if not self._children.knows(CONTROLLER_REVISION, router.namespace):
            message = "the recorded revisions can't be listed"
            raise ApiUnreachable(message)
        return None

    def _of(self, router: SemanticRouter) -> list[_Known]:
        """The oldest first."""
        owned = self._children.owned_by(router.metadata.uid)
        found = [
            _Known(child, child.facts)
            for child in owned
            if isinstance(child.facts, RevisionFacts) and not child.deleting
        ]
        return sorted(found, key=lambda item: item.facts.number)

    async def _look_at(self, router: SemanticRouter, key: ChildKey) -> None:
        """What the cache doesn't know is read live: one of the router's that is there already, as
        after a restart on lists of the past, keeps its number."""
        known = self._children.get(key)
        if known is not None and belongs(known, router):
            return
        with contextlib.suppress(ApiNotFound):
            raw = await self._client.get(object_path(key))
            if belongs(child_of(key.kind)(raw), router):
                self._children.note(key, raw)

    async def _write(self, router: SemanticRouter, wanted: Manifest) -> None:
        known = self._children.get(wanted.key)
        ours = known is not None and known.owner == router.metadata.uid
        try:
            raw = await self._client.apply(object_path(wanted.key), wanted.body, force=ours)
        except ApiConflict:
            await self._refuse_foreign(router, wanted.key)
            raise
        self._children.note(wanted.key, raw)

    async def _refuse_foreign(self, router: SemanticRouter, key: ChildKey) -> None:
        """Others make ControllerRevisions of such names too: every StatefulSet and DaemonSet. Not
        forced, an apply to one of theirs is a conflict, since they own its data and number."""
        with contextlib.suppress(ApiNotFound):
            refuse_foreign(key, await self._client.get(object_path(key)), router)

    async def _remove(self, child: Child) -> None:
        key: ChildKey = child.key
        with contextlib.suppress(ApiNotFound):
            await self._client.delete(object_path(key), uid=child.uid)
        self._children.forget(key)
