"""Writes what a pass has to say onto the CR: its status, and Events about it."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import orjson

from semantic_router_operator import names
from semantic_router_operator.cluster.call import Call
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.interests import RouterKey
from semantic_router_operator.cluster.normalised import Normalised
from semantic_router_operator.cluster.paths import router_path
from semantic_router_operator.errors import ApiConflict, ApiNotFound, RouterError
from semantic_router_operator.model.status import EventNote
from semantic_router_operator.ports import Clock

logger = logging.getLogger(__name__)

ATTEMPTS = 3
"""Of a status write that meets somebody else's write."""
NOTE_BYTES = 1024
"""Longest note of an Event (events.k8s.io/v1)."""
QUEUE_LIMIT = 1000
QUIET_SECONDS = 300.0
"""The same reason about the same router isn't posted again within this time."""


class Publisher:
    """`start()` it for the Events; the status needs no start."""

    def __init__(self, client: Client, clock: Clock, *, instance: str) -> None:
        self._client = client
        self._clock = clock
        self._instance = instance
        self._normalised = Normalised()
        self._queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(QUEUE_LIMIT)
        self._posted: dict[tuple[str, str], float] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to post Events; returns at once."""
        if self._task is None:
            self._task = asyncio.create_task(self._post_all(), name="events")

    async def stop(self, *, seconds: float = 2.0) -> None:
        """Posts what waits, for some seconds at most, and ends."""
        if self._task is None:
            return
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._queue.join(), seconds)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def write_status(
        self, body: Mapping[str, Any], status: Mapping[str, Any]
    ) -> Mapping[str, Any] | None:
        """The CR after the write, or None when it is gone or another one has its name.

        `body` is the CR as the pass saw it. Writes nothing if nothing differs: then it is `body`
        itself. Raises TransientError, or ObjectRejected when the CRD's schema refuses the status.
        """
        metadata, current = body["metadata"], body.get("status") or {}
        if status == current or self._is_settled(metadata, status, current):
            return body
        written = await self._written(metadata, status)
        if written is None:
            self._normalised.drop(_place(metadata), metadata["uid"])
        else:
            made = _digest(written.get("status") or {})
            self._normalised.remember(_place(metadata), metadata["uid"], _digest(status), made)
        return written

    def forget(self, key: RouterKey) -> None:
        """The router is gone."""
        self._normalised.forget(key)

    async def _written(
        self, metadata: Mapping[str, Any], status: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """The CR with that status, None when it is gone. The status subresource of a CR ignores a
        uid in the patch, so that only the resourceVersion tells an object from its successor.
        Raises ApiConflict when what is there is about a newer spec than `status` is."""
        path, version = (
            router_path(metadata["namespace"], metadata["name"]),
            str(metadata["resourceVersion"]),
        )
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._client.apply(
                    f"{path}/status", _body(metadata, version, status), force=True
                )
            except ApiNotFound:
                return None
            except ApiConflict:
                live = await self._live(path)
                if live is None or live["metadata"]["uid"] != metadata["uid"]:
                    return None
                if attempt == ATTEMPTS or _observed(live.get("status")) > _observed(status):
                    raise
                version = live["metadata"]["resourceVersion"]
        return None

    async def _live(self, path: str) -> dict[str, Any] | None:
        try:
            return await self._client.get(path)
        except ApiNotFound:
            return None

    def post(self, body: Mapping[str, Any], event: EventNote) -> None:
        """Posts an Event about the CR, some time; drops it when too many wait already."""
        uid, now = str(body["metadata"]["uid"]), time.monotonic()
        self._posted = {key: at for key, at in self._posted.items() if now - at < QUIET_SECONDS}
        if (uid, event.reason) in self._posted:
            return
        self._posted[uid, event.reason] = now
        with contextlib.suppress(asyncio.QueueFull):
            self._queue.put_nowait(self._event(body["metadata"], event))

    def _is_settled(
        self, metadata: Mapping[str, Any], status: Mapping[str, Any], current: Mapping[str, Any]
    ) -> bool:
        """Whether writing this made the current status already: fields that others own stay."""
        return self._normalised.holds(
            _place(metadata), metadata["uid"], _digest(status), _digest(current)
        )

    def _event(self, metadata: Mapping[str, Any], event: EventNote) -> dict[str, Any]:
        now = self._clock.now()
        stamp = now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {
                "generateName": f"{names.limited(metadata['name'], limit=200)}-",
                "namespace": metadata["namespace"],
            },
            "eventTime": stamp,
            "type": event.type,
            "reason": event.reason,
            "note": _cut(event.message),
            "action": "Reconcile",
            "reportingController": names.FIELD_MANAGER,
            "reportingInstance": names.limited(self._instance, limit=128),
            "regarding": {
                "apiVersion": names.API_VERSION,
                "kind": names.KIND,
                "name": metadata["name"],
                "namespace": metadata["namespace"],
                "uid": metadata["uid"],
                "resourceVersion": metadata.get("resourceVersion", ""),
            },
        }

    async def _post_all(self) -> None:
        while True:
            event = await self._queue.get()
            namespace = event["metadata"]["namespace"]
            path = f"/apis/events.k8s.io/v1/namespaces/{namespace}/events"
            try:
                await self._client.request(Call("POST", path, body=event))
            except RouterError as error:
                logger.warning("event %s not posted: %s", event["reason"], error.message)
            finally:
                self._queue.task_done()


def _place(metadata: Mapping[str, Any]) -> RouterKey:
    return (metadata["namespace"], metadata["name"])


def _observed(status: Mapping[str, Any] | None) -> int:
    return int((status or {}).get("observedGeneration", 0))


def _body(metadata: Mapping[str, Any], version: str, status: Mapping[str, Any]) -> dict[str, Any]:
    identity = {key: metadata[key] for key in ("name", "namespace", "uid")}
    return {
        "apiVersion": names.API_VERSION,
        "kind": names.KIND,
        "metadata": {**identity, "resourceVersion": version},
        "status": status,
    }


def _digest(value: Mapping[str, Any]) -> bytes:
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    return blake2b(text, digest_size=16).digest()


def _cut(text: str) -> str:
    data = text.encode()
    if len(data) <= NOTE_BYTES:
        return text
    return data[: NOTE_BYTES - 3].decode(errors="ignore") + "…"
