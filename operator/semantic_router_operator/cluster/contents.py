"""Whole objects that are looked into rarely: read once for each state, one kept for each router."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from semantic_router_operator.cluster.child_facts import Child
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.interests import RouterKey
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.errors import ApiNotFound

REMEMBERED = 128
"""Routers of which an object's content is kept; a further one costs a read."""
T = TypeVar("T")


class Contents(Generic[T]):
    """What `read` makes of an object; None when it is gone, or isn't one that we wrote."""

    def __init__(self, client: Client, read: Callable[[Mapping[str, Any]], T | None]) -> None:
        self._client = client
        self._read = read
        self._known: OrderedDict[RouterKey, tuple[str, str, T | None]] = OrderedDict()

    async def of(self, child: Child) -> T | None:
        """The content of the object as the cache knows it. Raises as `Client.request` does."""
        router = (child.key.namespace, child.router)
        known = self._known.get(router)
        if known is not None and known[:2] == (child.uid, child.version):
            self._known.move_to_end(router)
            return known[2]
        try:
            found = self._read(await self._client.get(object_path(child.key)))
        except ApiNotFound:
            found = None
        self._known[router] = (child.uid, child.version, found)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return found

    def forget(self, router: RouterKey) -> None:
        """The router is gone."""
        self._known.pop(router, None)
