"""Leader election on a coordination.k8s.io Lease, by the rules of client-go's leaderelection.

Clocks of different machines are never compared: another holder is dead when its Lease has not
changed for as long as it lasts, measured here on a monotonic clock. Who waits looks at the Lease at
the very moment at which it becomes free, and who leads renews without reading
(docs/adr/0014-the-lease.md).
"""

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semantic_router_operator.cluster.call import Call
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.errors import ApiConflict, ApiNotFound, RouterError
from semantic_router_operator.ports import Clock

logger = logging.getLogger(__name__)

MOMENT = 0.01
"""Seconds that a Lease must be over before it is taken."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The Lease and its times, in seconds. Whoever waits leads after `duration` and at most 1.2
    times `retry` at the latest, for it may have seen the last renewal that much too late: 12.4 s.
    Another one is to lead within 15 s (docs/reliability.md)."""

    namespace: str
    identity: str
    name: str = "semantic-router-operator"
    duration: float = 10.0
    """A Lease that is not renewed for so long is free."""
    renew: float = 7.0
    """A leader that could not renew for so long stops; what it has sent has the rest to end."""
    retry: float = 2.0


class Election:
    """`await lead()` returns once we are the leader; `await lost()` when we no longer are."""

    def __init__(self, client: Client, clock: Clock, terms: Terms) -> None:
        self._client = client
        self._clock = clock
        self._terms = terms
        self._task: asyncio.Task[None] | None = None
        self._leading = asyncio.Event()
        self._lost = asyncio.Event()
        self._mine: Mapping[str, Any] | None = None
        """The Lease as we wrote it last, while nobody else seems to have written to it."""
        self._seen: tuple[str, str] = ("", "")
        self._seen_at = self._renewed = time.monotonic()
        self._lasts = terms.duration

    @property
    def is_leader(self) -> bool:
        """Whether we may write: at once False after a pause of the whole process (SIGSTOP, a
        frozen machine) that was longer than a leader may go without renewing."""
        in_time = time.monotonic() - self._renewed < self._terms.renew
        return self._leading.is_set() and not self._lost.is_set() and in_time

    def start(self) -> None:
        """Begins to stand for election; returns at once."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="lease")

    async def lead(self) -> None:
        """Returns once we are the leader. Raises what the election has broken down with."""
        await self._awaited(self._leading)

    async def lost(self) -> None:
        """Returns when the lead is lost; whoever leads must stop writing at once, and end. Raises
        what the election has broken down with: then nobody renews the Lease any more."""
        await self._awaited(self._lost)

    async def _awaited(self, event: asyncio.Event) -> None:
        waiting = asyncio.ensure_future(event.wait())
        work = {waiting} if self._task is None else {waiting, self._task}
        try:
            await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        if self._task is not None and self._task.done() and not self._task.cancelled():
            self._task.result()

    async def stop(self) -> None:
        """Ends it; a leader gives the Lease away, so that the next needn't wait."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.wait([self._task])
        if self.is_leader:
            self._lost.set()
            with contextlib.suppress(RouterError, TimeoutError):
                await asyncio.wait_for(self._release(), self._terms.retry)

    async def _run(self) -> None:
        while not await self._try():
            await self._pause(until=self._free_at())
        logger.info("leading as %s", self._terms.identity)
        self._leading.set()
        while (deadline := self._renewed + self._terms.renew) > time.monotonic():
            await self._pause(until=deadline)
            if not await self._try(until=deadline) and self._taken_by_other():
                break
        logger.error("lead lost")
        self._lost.set()

    async def _pause(self, *, until: float) -> None:
        """Until the next attempt; no longer than until that time, unless it is over already."""
        seconds = self._terms.retry * random.uniform(1.0, 1.2)  # noqa: S311
        left = until - time.monotonic()
        await asyncio.sleep(min(seconds, left) if left > 0 else seconds)

    def _free_at(self) -> float:
        """When the Lease is another's no longer, as far as we know."""
        return self._seen_at + self._lasts + MOMENT

    async def _try(self, *, until: float | None = None) -> bool:
        """One attempt to take or to renew the Lease; no longer than until the deadline."""
        began = time.monotonic()
        seconds = self._terms.renew if until is None else until - began
        try:
            async with asyncio.timeout(max(seconds, 0.1)):  # wait_for may swallow a cancellation
                held = await self._acquire()
        except TimeoutError:
            return False
        except RouterError as error:
            logger.warning("lease: %s", error.message)
            return False
        if held:
            self._renewed = began
        return held

    async def _acquire(self) -> bool:
        if (known := self._mine) is not None:
            self._mine = None  # whatever comes of it: without an answer nobody knows
            with contextlib.suppress(ApiNotFound):
                if await self._replace(known, self._spec(known["spec"], taken=False)):
                    return True
        raw = await self._read()
        if raw is None:
            return await self._create()
        spec = raw.get("spec") or {}
        self._observe(spec)
        holder = spec.get("holderIdentity") or ""
        mine = holder == self._terms.identity
        if holder and not mine and not self._expired():
            return False
        return await self._replace(raw, self._spec(spec, taken=not mine))

    def _observe(self, spec: Mapping[str, Any]) -> None:
        seen = (str(spec.get("holderIdentity") or ""), str(spec.get("renewTime") or ""))
        if seen != self._seen:
            self._seen, self._seen_at = seen, time.monotonic()
        self._lasts = float(spec.get("leaseDurationSeconds") or self._terms.duration)

    def _expired(self) -> bool:
        return time.monotonic() - self._seen_at > self._lasts

    def _taken_by_other(self) -> bool:
        return self._seen[0] not in {"", self._terms.identity}

    async def _read(self) -> dict[str, Any] | None:
        try:
            return await self._client.get(f"{self._collection}/{self._terms.name}")
        except ApiNotFound:
            return None

    async def _create(self) -> bool:
        body = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._terms.name, "namespace": self._terms.namespace},
            "spec": self._spec({}, taken=True),
        }
        return await self._written(Call("POST", self._collection, body=body))

    async def _replace(self, raw: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
        """With the resourceVersion that is known: of two who try, one gets 409."""
        path = f"{self._collection}/{self._terms.name}"
        return await self._written(Call("PUT", path, body={**raw, "spec": spec}))

    async def _written(self, call: Call) -> bool:
        try:
            raw = await self._client.request(call)
        except ApiConflict:
            return False
        self._observe(raw["spec"])
        self._mine = raw
        return True

    async def _release(self) -> None:
        raw = await self._read()
        spec = (raw or {}).get("spec") or {}
        if raw is not None and spec.get("holderIdentity") == self._terms.identity:
            await self._replace(raw, {**spec, "holderIdentity": "", "leaseDurationSeconds": 1})

    def _spec(self, old: Mapping[str, Any], *, taken: bool) -> dict[str, Any]:
        now = self._clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        transitions = int(old.get("leaseTransitions") or 0)
        return {
            "holderIdentity": self._terms.identity,
            "leaseDurationSeconds": round(self._terms.duration),
            "acquireTime": now if taken else old.get("acquireTime") or now,
            "renewTime": now,
            "leaseTransitions": transitions + (1 if taken and old else 0),
        }

    @property
    def _collection(self) -> str:
        namespace = self._terms.namespace
        return f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
