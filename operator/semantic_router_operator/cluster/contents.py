"""Whole objects that are looked into rarely: read once for each state, a few kept in memory."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from semantic_router_operator.cluster.child_facts import Child
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.errors import ApiNotFound

REMEMBERED = 128
"""Objects whose content is kept; a further one costs a read."""
T = TypeVar("T")


class Contents(Generic[T]):
    """What `read` makes of an object; None when it is gone, or isn't one that we wrote."""

    def __init__(self, client: Client, read: Callable[[Mapping[str, Any]], T | None]) -> None:
        self._client = client
        self._read = read
        self._known: OrderedDict[str, tuple[str, T | None]] = OrderedDict()

    async def of(self, child: Child) -> T | None:
        """The content of the object as the cache knows it. Raises as `Client.request` does."""
        known = self._known.get(child.uid)
        if known is not None and known[0] == child.version:
            self._known.move_to_end(child.uid)
            return known[1]
        try:
            found = self._read(await self._client.get(object_path(child.key)))
        except ApiNotFound:
            found = None
        self._known[child.uid] = (child.version, found)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return found
