"""The history of a router's accepted documents, as ControllerRevisions.

The numbering is that of Kubernetes' own controllers (StatefulSet, DaemonSet): a document that was
recorded before isn't recorded again, it gets the highest number. At rest no request is made.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from semantic_router_operator.cluster.belonging import refuse_foreign
from semantic_router_operator.cluster.child_facts import Child
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.errors import ApiConflict, ApiNotFound
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import ChildKey, RevisionFacts
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import revision


@dataclass(frozen=True, slots=True)
class _Known:
    """A recorded revision."""

    child: Child
    facts: RevisionFacts


class Revisions:
    """Records documents and forgets the oldest."""

    def __init__(self, client: Client, children: Children) -> None:
        self._client = client
        self._children = children

    async def record(self, router: SemanticRouter, config: CanonicalConfig) -> int:
        """The number of the document's revision, which is the newest afterwards.

        Raises RouterError as the client does; nothing is lost then, the next pass tries again.
        """
        known = sorted(self._of(router), key=lambda item: item.facts.number)
        digest = revision.revision_digest(config)
        newest = known[-1] if known else None
        if newest is None or newest.facts.digest != digest:
            number = newest.facts.number + 1 if newest else 1
            await self._write(router, config, number=number)
        else:
            number = newest.facts.number
        others = [item for item in known if item.facts.digest != digest]
        kept = max(router.spec.revision_history_limit - 1, 0)
        for item in others[: max(len(others) - kept, 0)]:
            await self._remove(item.child)
        return number

    def newest(self, router: SemanticRouter) -> Child | None:
        """The revision with the highest number, as the caches know it."""
        newest = max(self._of(router), key=lambda item: item.facts.number, default=None)
        return newest.child if newest else None

    def _of(self, router: SemanticRouter) -> Iterator[_Known]:
        for child in self._children.owned_by(router.metadata.uid):
            if isinstance(child.facts, RevisionFacts) and not child.deleting:
                yield _Known(child, child.facts)

    async def _write(self, router: SemanticRouter, config: CanonicalConfig, *, number: int) -> None:
        wanted = revision.build(router, config, number=number)
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
