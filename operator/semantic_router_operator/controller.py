"""Which router is looked at when: the store of CRs, the work queue, back-off and resync.

Whoever leads runs passes; a standby only fills the caches, so that it can take over at once.
"""

import asyncio
import logging
import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from semantic_router_operator.errors import (
    ApiUnreachable,
    InvalidSpec,
    RouterError,
    RouterGone,
    TransientError,
)
from semantic_router_operator.known_router import KnownRouter
from semantic_router_operator.model.body import (
    RouterKey,
    facets,
    is_ending,
    is_held,
    key_of,
    lean,
    older,
    outdated,
)
from semantic_router_operator.model.parse import parse
from semantic_router_operator.ports import Adoption, Interests, Publisher
from semantic_router_operator.reconcile import Outcome, World, look, reconcile
from semantic_router_operator.settings import Settings
from semantic_router_operator.status import assess_failure, events, publish
from semantic_router_operator.telemetry import Telemetry
from semantic_router_operator.work_queue import WorkQueue

logger = logging.getLogger(__name__)

ADOPTED_SECONDS = 0.5
"""When a router that was taken over gets another pass, which removes what has become ours."""


@dataclass(slots=True)
class Controller:
    """The loop around `reconcile`.

    `saw` and `wake` only note that a router wants a pass. `run` works until it is cancelled.
    """

    world: World
    publisher: Publisher
    adoption: Adoption
    interests: Interests
    telemetry: Telemetry
    settings: Settings
    queue: WorkQueue[RouterKey] = field(default_factory=WorkQueue)
    pass_seconds: float = 900.0
    """A pass that takes longer is given up: whatever it waits for, its worker is needed."""
    _entries: dict[RouterKey, KnownRouter] = field(default_factory=dict)
    _leading: bool = False

    def __post_init__(self) -> None:
        self.telemetry.queue_depth.set_function(lambda: len(self.queue))

    def saw(self, body: Mapping[str, Any], *, deleted: bool = False) -> None:
        """An event of a SemanticRouter: added, changed or deleted.

        One that is being deleted is left to the garbage collector: an object that we made now
        would only be in its way. Only one that the Go operator's finalizer holds gets a pass.
        """
        key = key_of(body)
        entry = self._entries.get(key)
        ends = deleted or is_ending(body)
        if entry is not None and outdated(body, entry.body, ends=ends):
            return
        if ends and (deleted or not is_held(body)):
            self._forget(key)
            return
        body = lean(body)
        if entry is None:
            self._entries[key] = KnownRouter(body)
        else:
            entry.body = body
            if entry.settled == facets(body):
                return
        self.wake(key)

    def saw_all(self, bodies: Sequence[Mapping[str, Any]], *, listed: set[RouterKey]) -> None:
        """A full list: takes in each body, and forgets those of `listed` that aren't there.

        `listed` is what was known before the list was asked for. A body that is older than what was
        heard is no news; twice in a row means that the API server's data went back in time (a
        restored backup), and it is taken as it is.
        """
        found = {key_of(body) for body in bodies}
        for key in listed - found:
            self._forget(key)
        for body in bodies:
            entry = self._entries.get(key_of(body))
            if entry is not None:
                entry.doubt(body)
            self.saw(body)

    @property
    def known(self) -> set[RouterKey]:
        """The routers that exist, as far as we know."""
        return set(self._entries)

    def wake(self, key: RouterKey) -> None:
        """Something that the router depends on, or one of its objects, has changed."""
        entry = self._entries.get(key)
        if entry is None:
            return
        if (pause := entry.pause) > 0:
            self.queue.add_after(key, pause)
        else:
            self.queue.add(key)

    def wake_all(self) -> None:
        """Something that concerns every router has changed: the platform, who leads."""
        for key in self._entries:
            self.wake(key)

    def lead(self) -> None:
        """From now on this process writes: every router gets a pass."""
        self._leading = True
        self.telemetry.leader.set(1)
        self.wake_all()

    async def run(self) -> None:
        """Works with as many workers as the settings say, until it is cancelled."""
        async with asyncio.TaskGroup() as workers:
            for _ in range(self.settings.workers):
                workers.create_task(self._work())

    async def _work(self) -> None:
        while True:
            key, waited = await self.queue.get()
            self.telemetry.waited(waited)
            try:
                await self._pass(key)
            finally:
                self.queue.done(key)
                if key not in self._entries:
                    self.interests.forget(key)

    async def _pass(self, key: RouterKey) -> None:
        """One pass; whatever goes wrong stays with this router."""
        entry = self._entries.get(key)
        if entry is None:
            return
        began = time.monotonic()
        try:
            async with asyncio.timeout(self.pass_seconds):
                result = await (self._reconcile(key, entry) if self._leading else self._warm(entry))
        except TimeoutError:
            logger.warning("%s: given up after %g s", key, self.pass_seconds)
            result = await self._failed(key, entry, ApiUnreachable("the pass took too long"))
        except TransientError as error:
            logger.warning("%s: %s", key, error.message)
            result = await self._failed(key, entry, error)
        except Exception as error:
            logger.exception("%s: unexpected error", key)
            result = await self._failed(key, entry, error)
        self.telemetry.passed(result, time.monotonic() - began)

    async def _warm(self, entry: KnownRouter) -> str:
        if is_ending(entry.body):
            return "standby"
        try:
            router = parse(entry.body)
        except InvalidSpec:
            return "standby"
        await look(router, entry.body.get("status") or {}, self.world)
        return "standby"

    async def _reconcile(self, key: RouterKey, entry: KnownRouter) -> str:
        body = entry.body
        if is_ending(body):
            await self.adoption.adopt(body)
            return "success"
        try:
            outcome = await reconcile(body, self.world)
        except RouterGone:
            self._lost(key, entry, body)
            return "success"
        await self._publish(key, entry, body, outcome)
        if await self.adoption.adopt(body):
            self.queue.add_after(key, ADOPTED_SECONDS)
        if outcome.retry:
            self._back_off(key, entry, outcome.retry_after, within=outcome.retry_within)
            return "waiting"
        entry.succeeded()
        resync = self.settings.resync_seconds * random.uniform(0.9, 1.1)  # noqa: S311
        self.queue.add_after(key, min(resync, outcome.again_in or resync))
        return "success"

    async def _publish(
        self, key: RouterKey, entry: KnownRouter, body: Mapping[str, Any], outcome: Outcome
    ) -> None:
        """Writes the status that belongs to `body`; an entry that moved on meanwhile, or another
        one of the same name, gets a pass of its own, which its event has asked for already."""
        written = await self.publisher.write_status(body, outcome.status)
        if written is None:
            self._lost(key, entry, body)
            return
        for event in outcome.events:
            self.publisher.post(body, event)
        if self._entries.get(key) is entry:
            self.telemetry.published(key, outcome.status)
        if not older(written, entry.body):
            entry.body = lean(written)
        entry.settled = facets(body) | {"status": written.get("status")}

    def _lost(self, key: RouterKey, entry: KnownRouter, body: Mapping[str, Any]) -> None:
        """The router with that body isn't there any more; nothing newer is forgotten with it."""
        if self._entries.get(key) is entry and entry.body is body:
            self._forget(key)

    async def _failed(self, key: RouterKey, entry: KnownRouter, error: Exception) -> str:
        """Says so on the CR where that is possible, and tries again later."""
        after = error.retry_after if isinstance(error, TransientError) else None
        try:
            await self._report(key, entry, error)
        except RouterError as second:
            logger.warning("%s: status not written: %s", key, second.message)
        except Exception:
            logger.exception("%s: status not written", key)
        self._back_off(key, entry, after)
        return "error"

    async def _report(self, key: RouterKey, entry: KnownRouter, error: Exception) -> None:
        if not self._leading:
            return
        body = entry.body
        previous = body.get("status") or {}
        generation = int(body["metadata"].get("generation", 0))
        assessment = assess_failure(error, previous)
        status = publish(assessment, previous, generation=generation, now=self.world.clock.now())
        await self._publish(key, entry, body, Outcome(status, events(previous, status)))

    def _back_off(
        self,
        key: RouterKey,
        entry: KnownRouter,
        retry_after: float | None,
        *,
        within: float | None = None,
    ) -> None:
        """No event hastens what the API server asked to put off."""
        longest = min(within or math.inf, self.settings.backoff_limit_seconds)
        wait = entry.failed(retry_after, first=self.settings.backoff_seconds, longest=longest)
        if (pause := entry.pause) > 0:
            self.queue.postpone(key, pause)
        self.queue.add_after(key, wait)

    def _forget(self, key: RouterKey) -> None:
        self._entries.pop(key, None)
        self.queue.forget(key)
        self.interests.forget(key)
        self.telemetry.forgotten(key)
