"""Caches of what routers refer to: started when somebody asks, stopped when nobody does."""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

from semantic_router_operator.cluster.capabilities import Capabilities
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.interests import Area, Interest, Readers, RouterKey
from semantic_router_operator.cluster.references import (
    REFERENCE_KINDS,
    Facts,
    RecordingView,
    ReferenceKind,
)
from semantic_router_operator.cluster.settling import all_settled
from semantic_router_operator.cluster.watch_source import (
    DEFAULT_PACE,
    Failing,
    NotInstalled,
    Pace,
    Source,
    State,
    Synced,
)
from semantic_router_operator.cluster.watching import Watch
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.ports import ClusterView

logger = logging.getLogger(__name__)

T = TypeVar("T")
Wake = Callable[[str, str], None]
"""`(namespace, name)` of a router that wants a pass."""

FILL_SECONDS = 10.0
"""How long a pass waits for a cache to be filled for the first time."""
GRACE_SECONDS = 60.0
"""A cache that nobody needs any more lives on for so long."""
ROUNDS = 4
"""An answer may lead to a further question: how often `consult` follows."""


class Caches:
    """ports.References over watch caches, one for each kind and namespace that a router asks of."""

    def __init__(
        self,
        client: Client,
        capabilities: Capabilities,
        *,
        wake: Wake,
        watched: tuple[str, ...] = (),
        pace: Pace = DEFAULT_PACE,
    ) -> None:
        self._client = client
        self._capabilities = capabilities
        self._wake = wake
        self._watched = watched
        self._pace = pace
        self._watches: dict[Area, Watch[Facts]] = {}
        self._readers: dict[Area, Readers] = defaultdict(Readers)
        self._areas: dict[RouterKey, frozenset[Area]] = {}
        self._releases: dict[Area, asyncio.TimerHandle] = {}
        self._stopping: set[asyncio.Task[None]] = set()

    @property
    def watches(self) -> Collection[Watch[Facts]]:
        """For liveness and metrics."""
        return self._watches.values()

    async def stop(self) -> None:
        """Ends every watch."""
        for handle in self._releases.values():
            handle.cancel()
        for watch in list(self._watches.values()):
            await watch.stop()
        self._watches.clear()

    async def consult(self, router: SemanticRouter, ask: Callable[[ClusterView], T]) -> T:
        """What `ask` answers once every cache that it looks into has been filled or has failed.

        From then on the router is woken when something that `ask` looked at changes.
        """
        view = self.view()
        answer = ask(view)
        for _ in range(ROUNDS):
            if not view.missing:
                break
            await self.ensure(view.missing)
            view = self.view()
            answer = ask(view)
        self.commit((router.namespace, router.name), view)
        return answer

    def view(self) -> RecordingView:
        """The caches as they are now; it notes down what is asked."""
        return RecordingView(self._watches, watched=self._watched)

    async def ensure(self, areas: Collection[Area], *, seconds: float = FILL_SECONDS) -> None:
        """Starts what isn't watched yet; returns when each has been filled or has failed once."""
        await all_settled([self._watch(area) for area in sorted(areas)], seconds=seconds)

    def commit(self, router: RouterKey, view: RecordingView) -> None:
        """The router depends on what it asked this view, and on nothing else."""
        by_area: dict[Area, list[Interest]] = defaultdict(list)
        for interest in view.interests:
            by_area[interest.area].append(interest)
        self._depend(router, by_area)

    def forget(self, key: RouterKey) -> None:
        """The router is gone: nothing wakes it any more."""
        self._depend((key[0], key[1]), {})

    def retry_missing(self) -> None:
        """What is served has changed: caches that have no answer look again."""
        for watch in self._watches.values():
            if isinstance(watch.state, NotInstalled | Failing):
                watch.retry()

    def lacks_a_kind(self) -> bool:
        """Whether some router refers to a kind that isn't served."""
        return any(
            isinstance(watch.state, NotInstalled) and self._readers.get(area)
            for area, watch in self._watches.items()
        )

    def _depend(self, router: RouterKey, by_area: dict[Area, list[Interest]]) -> None:
        before = self._areas.pop(router, frozenset())
        if by_area:
            self._areas[router] = frozenset(by_area)
        for area in before | frozenset(by_area):
            self._readers[area].replace(router, by_area.get(area, ()))
            if not self._readers[area]:
                del self._readers[area]
                self._release_later(area)

    def _watch(self, area: Area) -> Watch[Facts]:
        watch = self._watches.get(area)
        if watch is None:
            watch = self._new_watch(area, REFERENCE_KINDS[area.kind])
            self._watches[area] = watch
            watch.start()
            self._release_later(area)
        return watch

    def _new_watch(self, area: Area, kind: ReferenceKind) -> Watch[Facts]:
        async def locate() -> str | None:
            if kind.builtin:
                return f"/apis/{kind.group}/{kind.versions[0]}" if kind.group else "/api/v1"
            return await self._capabilities.locate(kind.group, kind.plural, kind.versions)

        def changed(old: Facts | None, new: Facts | None) -> None:
            self._tell(area, old, new)

        def state_changed(old: State, new: State) -> None:
            if not (isinstance(old, Synced) and isinstance(new, Failing)):
                self._wake_all(self._readers[area].routers() if area in self._readers else ())

        return Watch(
            self._client,
            Source(kind.kind, kind.plural, locate, kind.project, namespace=area.namespace),
            on_change=changed,
            on_state=state_changed,
            pace=self._pace,
        )

    def _tell(self, area: Area, old: Facts | None, new: Facts | None) -> None:
        facts = new or old
        if facts is not None and area in self._readers:
            labels = (_labels(item) for item in (old, new))
            self._wake_all(self._readers[area].of(facts.name, *labels))

    def _wake_all(self, routers: Iterator[RouterKey] | tuple[RouterKey, ...]) -> None:
        for namespace, name in routers:
            self._wake(namespace, name)

    def _release_later(self, area: Area) -> None:
        """Stops the cache after a while, unless somebody wants it by then."""
        handle = self._releases.pop(area, None)
        if handle is not None:
            handle.cancel()
        loop = asyncio.get_running_loop()
        self._releases[area] = loop.call_later(GRACE_SECONDS, self._release, area)

    def _release(self, area: Area) -> None:
        self._releases.pop(area, None)
        if area in self._readers:
            return
        watch = self._watches.pop(area, None)
        if watch is not None:
            task = asyncio.create_task(watch.stop())
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)


def _labels(facts: Facts | None) -> dict[str, str] | None:
    with contextlib.suppress(AttributeError):
        return dict(facts.labels)  # type: ignore[union-attr]
    return None
