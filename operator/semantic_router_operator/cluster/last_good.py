"""The document to go on with while a candidate is rejected.

It is the live one; where somebody edited that by hand, the newest recorded one. Read once for each
state of the objects, so that a router that stays rejected costs no request at rest.
"""

from collections import OrderedDict
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.cluster.child_facts import Child
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.interests import RouterKey
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.cluster.revisions import Revisions
from semantic_router_operator.errors import ApiNotFound
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import CONFIG_MAP, ChildKey
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import read_config
from semantic_router_operator.objects.revision import read_revision

REMEMBERED = 128
"""Documents of rejected routers that are kept in memory; a further one costs a read."""

_State = tuple[tuple[str, str] | None, tuple[str, str] | None]
"""(uid, resourceVersion) of the live ConfigMap and of the newest revision."""


class LastGood:
    """Over the client and the caches of what we make."""

    def __init__(self, client: Client, children: Children, revisions: Revisions) -> None:
        self._client = client
        self._children = children
        self._revisions = revisions
        self._known: OrderedDict[RouterKey, tuple[_State, CanonicalConfig | None]] = OrderedDict()

    async def of(self, router: SemanticRouter) -> CanonicalConfig | None:
        """The document, or None where there is none yet. Raises as `Client.request` does."""
        await self._children.ready()
        live, newest = self._live(router), self._revisions.newest(router)
        state = (_version(live), _version(newest))
        key = (router.namespace, router.name)
        if key in self._known and self._known[key][0] == state:
            self._known.move_to_end(key)
            return self._known[key][1]
        found = await self._read(live, newest)
        self._known[key] = (state, found)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return found

    def forget(self, key: RouterKey) -> None:
        """The router is gone."""
        self._known.pop(key, None)

    async def _read(self, live: Child | None, newest: Child | None) -> CanonicalConfig | None:
        raw = await self._get(live)
        if raw is not None:
            found = read_config(raw["metadata"].get("annotations") or {}, raw.get("data") or {})
            if found is not None:
                return found
        raw = await self._get(newest)
        return None if raw is None else read_revision(raw)

    async def _get(self, child: Child | None) -> dict[str, Any] | None:
        if child is None:
            return None
        try:
            return await self._client.get(object_path(child.key))
        except ApiNotFound:
            return None

    def _live(self, router: SemanticRouter) -> Child | None:
        key = ChildKey(CONFIG_MAP, router.namespace, names.config_map(router.name))
        found = self._children.get(key)
        return found if found is not None and found.owner == router.metadata.uid else None


def _version(child: Child | None) -> tuple[str, str] | None:
    return None if child is None else (child.uid, child.version)
