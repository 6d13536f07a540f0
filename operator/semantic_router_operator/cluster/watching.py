"""A cache of one kind: paged LIST, then WATCH, for ever, whatever the API server does.

It keeps a small projection of each object. What is older than what is held is left out.
"""

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from semantic_router_operator.cluster.backoff import backoff
from semantic_router_operator.cluster.call import JSON, METADATA, METADATA_LIST, Call
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.failures import ApiGone, status_failure
from semantic_router_operator.cluster.holdings import Holdings
from semantic_router_operator.cluster.watch_source import (
    DEFAULT_PACE,
    Failing,
    Forbidden,
    NotInstalled,
    NotSynced,
    Pace,
    Place,
    Source,
    State,
    Synced,
    number,
    place,
)
from semantic_router_operator.errors import (
    ApiForbidden,
    ApiNotFound,
    ApiUnreachable,
    RouterError,
    TransientError,
)

logger = logging.getLogger(__name__)

P = TypeVar("P")

LONGEST_PAUSE = 60.0
"""Seconds that a Retry-After may hold a watch up: somebody's proxy may ask for an hour."""
REFUSALS_DOUBTED = 4
"""So many 403 or 404 in a row, about 3 s, aren't believed of what was served and allowed before: an
API server that starts refuses everybody until it has read the roles, or one of several is late, or
a version gives way to another. Discovery says when a kind is gone."""


class Watch(Generic[P]):
    """`start()` it once; read it at any time.

    `on_change(old, new)` is called when a projection differs, with None for absent;
    `on_state(old, new)` when the state changes its kind. Both run inside the event loop and must
    return at once. `progress`: when it last heard from the API server. `beat`: its last sign of
    life, or the end of a planned rest.
    """

    def __init__(
        self,
        client: Client,
        source: Source[P],
        *,
        on_change: Callable[[P | None, P | None], None],
        on_state: Callable[[State, State], None] = lambda *_: None,
        pace: Pace = DEFAULT_PACE,
    ) -> None:
        self.source = source
        self.state: State = NotSynced()
        self.synced_once = False
        self.progress = self.beat = time.monotonic()
        self._client = client
        self._on_state = on_state
        self._pace = pace
        self._holdings = Holdings(source.project, on_change)
        self._version = ""
        self._older_lists = self._failures = self._refusals = 0
        self._poke = asyncio.Event()
        self._settled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins; returns at once."""
        if self._task is None:
            name = f"watch {self.source.plural} {self.source.namespace or '*'}"
            self._task = asyncio.create_task(self._run(), name=name)
            self._task.add_done_callback(_report_end)

    async def stop(self) -> None:
        """Ends it; what is held stays readable."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def settled(self) -> None:
        """Returns once it has been filled, or has failed for the first time."""
        await self._settled.wait()

    def retry(self) -> None:
        """Doesn't wait any longer before the next attempt: the kind may be there now."""
        self._poke.set()

    def get(self, namespace: str, name: str) -> P | None:
        """What is held of an object."""
        return self._holdings.get((namespace, name))

    def values(self) -> Iterator[P]:
        """What is held, in no order."""
        return self._holdings.values()

    def __len__(self) -> int:
        return len(self._holdings)

    def note(self, raw: Mapping[str, Any]) -> None:
        """Takes in the answer of a write of ours, so that it is known before its event comes.
        Nobody is told."""
        self._holdings.put(raw, tell=False)

    def forget(self, namespace: str, name: str) -> None:
        """Drops an object that a write of ours has deleted. Nobody is told."""
        self._holdings.forget((namespace, name))

    async def _run(self) -> None:
        while True:
            if delay := await self._cycle():
                await self._rest(delay)

    async def _cycle(self) -> float:
        """One LIST and the watches after it; how long to wait before the next."""
        try:
            path = await self.source.locate()
            if path is None:
                self._not_installed()
                return self._pace.relist
            await self._list(path)
            await self._follow(path)
        except ApiForbidden as error:
            self._enter((Failing if self._doubted() else Forbidden)(error.message))
            return self._delay(self._refusals, self._pace.forbidden)
        except ApiNotFound as error:
            if self._doubted():
                self._enter(Failing(error.message))
            else:
                self._not_installed()
            return self._delay(self._refusals, self._pace.relist)
        except RouterError as error:
            self._failures += 1
            self._enter(Failing(error.message))
            return self._retry_delay(error)
        self._failures = 0
        return 0.0

    def _retry_delay(self, error: RouterError) -> float:
        delay = self._delay(self._failures, self._pace.longest_retry)
        asked = error.retry_after if isinstance(error, TransientError) else None
        return max(delay, min(asked or 0.0, LONGEST_PAUSE))

    def _doubted(self) -> bool:
        """Whether one more 403 or 404 is still no news about what was there before."""
        self._refusals += 1
        return self.synced_once and self._refusals <= REFUSALS_DOUBTED

    def _delay(self, attempt: int, limit: float) -> float:
        return backoff(attempt, first=self._pace.first_retry, limit=limit)

    async def _rest(self, seconds: float) -> None:
        self.beat = time.monotonic() + seconds
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # wait_for would swallow a cancellation
                await self._poke.wait()
        self._poke.clear()
        self.beat = time.monotonic()

    async def _list(self, path: str) -> None:
        found: dict[Place, None] = {}
        version, token = "", ""
        while True:
            page = await self._client.get(
                self.source.url(path),
                query=self.source.query(
                    limit=str(self.source.page), **({"continue": token} if token else {})
                ),
                accept=METADATA_LIST if self.source.metadata_only else JSON,
            )
            metadata = page.get("metadata") or {}
            if not version:
                version = str(metadata.get("resourceVersion", ""))
                self._check_age(version)
            for raw in page.get("items") or ():
                found[place(raw)] = None
                self._holdings.put(raw)
            self._went_on()
            token = metadata.get("continue") or ""
            if not token:
                break
        self._holdings.remove_absent(found, number(version))
        self._version = version
        self._enter(Synced())

    def _check_age(self, version: str) -> None:
        """A list that is older than what was heard is refused once. Twice means that the API
        server's data went back in time (a restored backup): everything is taken as it is now."""
        if number(version) >= number(self._version):
            self._older_lists = 0
            return
        self._older_lists += 1
        if self._older_lists < 2:
            text = f"{self.source.plural}: the API server answered with an old list"
            raise ApiUnreachable(text)
        self._holdings.forget_versions()
        self._version = ""

    async def _follow(self, path: str) -> None:
        """Watches until the next LIST is due or needed."""
        until = time.monotonic() + self._pace.relist * random.uniform(0.8, 1.2)  # noqa: S311
        while (left := until - time.monotonic()) > 0:
            began = time.monotonic()
            try:
                await self._stream(path, left)
                self._failures = 0
            except ApiGone:
                await self._rest(self._pace.first_retry)
                return
            except (ApiForbidden, ApiNotFound):
                raise
            except RouterError as error:
                self._failures = 1 if self.progress > began else self._failures + 1
                if self._failures > 1:
                    self._enter(Failing(error.message))
                await self._rest(self._retry_delay(error))
                continue
            if time.monotonic() - began < 1.0:
                await self._rest(3 * self._pace.first_retry)

    async def _stream(self, path: str, left: float) -> None:
        seconds = min(left, self._pace.server * random.uniform(0.8, 1.2))  # noqa: S311
        query = self.source.query(
            watch="true",
            allowWatchBookmarks="true",
            resourceVersion=self._version,
            timeoutSeconds=str(max(1, round(seconds))),
        )
        accept = METADATA if self.source.metadata_only else JSON
        call = Call("GET", self.source.url(path), query, accept=accept)
        async with self._client.stream(
            call, seconds=seconds + 15.0, idle_seconds=self._pace.idle
        ) as events:
            self._refusals = 0
            self._enter(Synced())
            await self._hear_all(events)

    async def _hear_all(self, events: AsyncIterator[dict[str, Any]]) -> None:
        async for event in events:
            self._hear(str(event.get("type")), event.get("object") or {})
            self._went_on()

    def _hear(self, kind: str, raw: Mapping[str, Any]) -> None:
        if kind == "ERROR":
            raise status_failure(raw, about=f"WATCH {self.source.plural}")
        version = str(raw["metadata"].get("resourceVersion", ""))
        if kind in {"ADDED", "MODIFIED"}:
            self._holdings.put(raw)
        elif kind == "DELETED":
            self._holdings.remove(raw)
        self._version = version

    def _not_installed(self) -> None:
        self._holdings.clear()
        self._version = ""
        self._failures = 0
        self._enter(NotInstalled())

    def _went_on(self) -> None:
        self.progress = self.beat = time.monotonic()

    def _enter(self, state: State) -> None:
        old, self.state = self.state, state
        self.synced_once = (self.synced_once or isinstance(state, Synced)) and not isinstance(
            state, NotInstalled
        )
        self._settled.set()
        if type(old) is type(state):
            return
        if isinstance(state, Forbidden | Failing):
            where = self.source.namespace or "all namespaces"
            logger.warning("cache of %s in %s: %s", self.source.kind, where, state.message)
        self._on_state(old, state)


def _report_end(task: asyncio.Task[None]) -> None:
    """A watch ends only when it is told to; anything else is a defect that liveness notices."""
    if not task.cancelled() and task.exception() is not None:
        logger.error("%s ended", task.get_name(), exc_info=task.exception())
