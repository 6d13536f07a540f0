"""The room as one thing: what the run command starts and the controller is given."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from semantic_router_operator import names
from semantic_router_operator.cluster.adoption import Adoption
from semantic_router_operator.cluster.caches import Caches, Wake
from semantic_router_operator.cluster.capabilities import Capabilities
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.interests import RouterKey
from semantic_router_operator.cluster.publisher import Publisher
from semantic_router_operator.cluster.watch_source import Pace, Synced
from semantic_router_operator.cluster.watching import Watch
from semantic_router_operator.cluster.writer import Writer
from semantic_router_operator.errors import ApiForbidden
from semantic_router_operator.ports import Clock
from semantic_router_operator.settings import Settings

if TYPE_CHECKING:
    from semantic_router_operator.model.platform import Platform


@dataclass(frozen=True, slots=True)
class Listed:
    """The SemanticRouters, and the namespaces in which we may not list them."""

    bodies: Sequence[Mapping[str, Any]]
    refused: frozenset[str] = frozenset()


class Cluster:
    """Caches, writers and capabilities over one client, wired to each other.

    `wake(namespace, name)` is called when something that a router depends on, or one of its
    objects, has changed; `on_platform()` when the platform has, which concerns every router.
    """

    def __init__(
        self,
        client: Client,
        settings: Settings,
        clock: Clock,
        *,
        wake: Wake,
        on_platform: Callable[[], None],
    ) -> None:
        pace = Pace(relist=settings.relist_seconds)
        watched = settings.watched
        self.client = client
        self.capabilities = Capabilities(client, on_change=self._served_changed, pace=pace)
        self.caches = Caches(client, self.capabilities, wake=wake, watched=watched, pace=pace)
        self.children = Children(client, self.capabilities, wake=wake, watched=watched, pace=pace)
        self.writer = Writer(client, self.children, self.capabilities)
        self.adoption = Adoption(client, self.children)
        self.publisher = Publisher(client, clock, instance=settings.identity or names.APP_NAME)
        self.capabilities.wanted = self.caches.lacks_a_kind
        self._watched = watched
        self._on_platform = on_platform
        self._platform: Platform | None = None

    def start(self) -> None:
        """Starts the caches; they fill in the background. Returns at once."""
        self.capabilities.start()
        self.children.start()
        self.publisher.start()

    async def stop(self) -> None:
        """Ends everything but the client, which whoever made it closes."""
        await self.publisher.stop()
        await self.caches.stop()
        await self.children.stop()
        await self.capabilities.stop()

    def forget(self, key: RouterKey) -> None:
        """The router is gone: nothing wakes it any more, and nothing stays in memory of it."""
        self.caches.forget(key)
        self.writer.forget(key)
        self.publisher.forget(key)

    async def routers(self) -> Listed:
        """Every SemanticRouter of the watched namespaces. One of several namespaces in which the
        list is forbidden doesn't keep us from the others; otherwise raises as `Client.request`."""
        base = f"/apis/{names.API_VERSION}"
        if not self._watched:
            return Listed(await self.client.list_all(f"{base}/{names.PLURAL}"))
        found: list[dict[str, Any]] = []
        refused: dict[str, ApiForbidden] = {}
        for space in self._watched:
            path = f"{base}/namespaces/{space}/{names.PLURAL}"
            try:
                found.extend(await self.client.list_all(path))
            except ApiForbidden as error:
                refused[space] = error
        if len(refused) == len(self._watched):
            raise refused[self._watched[0]]
        return Listed(found, frozenset(refused))

    @property
    def silent_seconds(self) -> float:
        """Since the slowest cache gave a sign of life: a heard event, a list, or an attempt; a rest
        that it plans is none of it. Grows without an end only when a cache is stuck, never because
        the API server is away."""
        now = time.monotonic()
        return max((now - watch.beat for watch in self._watches()), default=0.0)

    @property
    def unheard_seconds(self) -> float:
        """Since any cache last heard from the API server, 0 while a stream is thought alive (a
        mute one is for `Pace.idle` at most); for readiness."""
        if any(isinstance(watch.state, Synced) for watch in self._watches()):
            return 0.0
        now = time.monotonic()
        return min((now - watch.progress for watch in self._watches()), default=0.0)

    def _watches(self) -> Iterator[Watch[Any]]:
        return chain(self.capabilities.watches, self.caches.watches, self.children.watches)

    def _served_changed(self) -> None:
        self.caches.retry_missing()
        self.children.retry_missing()
        before, self._platform = self._platform, self.capabilities.platform_known
        if before is not None and before != self._platform:
            self._on_platform()
