"""The document to go on with while a candidate is rejected.

It is the live one; where somebody edited that by hand, the newest recorded one. Each is read once
for each state, so that a router that stays rejected costs no request at rest.
"""

from collections.abc import Mapping
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.contents import Contents
from semantic_router_operator.cluster.interests import RouterKey
from semantic_router_operator.cluster.revisions import Revisions
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import CONFIG_MAP, ChildKey
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import read_config


class LastGood:
    """Over the client and the caches of what we make."""

    def __init__(self, client: Client, children: Children, revisions: Revisions) -> None:
        self._children = children
        self._revisions = revisions
        self._live = Contents(client, _document)

    def forget(self, router: RouterKey) -> None:
        """The router is gone."""
        self._live.forget(router)

    async def of(self, router: SemanticRouter) -> CanonicalConfig | None:
        """The document, or None where there is none yet. Raises as `Client.request` does."""
        key = ChildKey(CONFIG_MAP, router.namespace, names.config_map(router.name))
        live = self._children.get(key)
        if live is not None and live.owner == router.metadata.uid:
            found = await self._live.of(live)
            if found is not None:
                return found
        recorded = await self._revisions.latest(router)
        return None if recorded is None else recorded.config


def _document(raw: Mapping[str, Any]) -> CanonicalConfig | None:
    return read_config(raw["metadata"].get("annotations") or {}, raw.get("data") or {})
