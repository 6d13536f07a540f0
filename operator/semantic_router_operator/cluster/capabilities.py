"""Which of the kinds that not every cluster has are served.

The answer comes from aggregated discovery, one request for everything. It is asked for again when
a CustomResourceDefinition changes, never by polling at rest; where CRDs may not be watched, every
few seconds for as long as something that a router refers to is missing. The version is asked for
once: it says what a pod's hook may be.
"""

import asyncio
import contextlib
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.watch_source import Forbidden, Pace, Source, State, Synced
from semantic_router_operator.cluster.watching import Watch
from semantic_router_operator.errors import RouterError
from semantic_router_operator.model.platform import Platform

logger = logging.getLogger(__name__)

AGGREGATED = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
)
ROUTE_GROUP = "route.openshift.io"
OPENSHIFT_GROUPS = ("security.openshift.io", "config.openshift.io")
GROUPS = frozenset(
    {
        "serving.kserve.io",
        "gateway.networking.k8s.io",
        ROUTE_GROUP,
        *OPENSHIFT_GROUPS,
    }
)
"""Only these are kept of what the API server lists."""

SLEEP_ACTION = (1, 30)
"""Since when PodLifecycleSleepAction is on by default (Kubernetes docs, "Feature Gates")."""

POLL_SECONDS = 5.0
SETTLE_SECONDS = 20.0
"""Discovery follows a CRD within this time; after that, its change wasn't about us."""
SETTLE_STEP_SECONDS = 0.25

Served = Mapping[str, Mapping[str, frozenset[str]]]
"""group -> version -> plurals; an empty set where the server doesn't say."""


@dataclass(frozen=True, slots=True)
class _Crd:
    """A CustomResourceDefinition of a group that we know. `version` moves with each change."""

    name: str
    version: str
    deleting: bool


class Capabilities:
    """`start()` it; `on_change()` is called whenever what is served has changed."""

    def __init__(self, client: Client, *, on_change: Callable[[], None], pace: Pace) -> None:
        self.wanted: Callable[[], bool] = lambda: False
        """Whether a router refers to something that isn't served."""
        self._client = client
        self._on_change = on_change
        self._pace = pace
        self._served: Served | None = None
        self._sleep_action: bool | None = None
        """Never asked for again: while a control plane is upgraded its servers are of two versions,
        and an answer that changes with the server would roll the pods to and fro."""
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._settling: asyncio.Task[None] | None = None
        self._polling: asyncio.Task[None] | None = None
        self._gone: set[str] = set()
        self._crds: Watch[_Crd | None] = Watch(
            client,
            Source(
                "CustomResourceDefinition",
                "customresourcedefinitions",
                _crd_path,
                _crd,
                metadata_only=True,
            ),
            on_change=self._crd_changed,
            on_state=self._crd_state,
            pace=replace(pace, forbidden=pace.relist),
        )

    def start(self) -> None:
        """Begins to look out for new kinds; returns at once."""
        self._crds.start()
        self._spawn(self._refresh_now_and_then())

    async def stop(self) -> None:
        """Ends it."""
        await self._crds.stop()
        for task in list(self._tasks):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    @property
    def watches(self) -> tuple[Watch[Any], ...]:
        """For liveness."""
        return (self._crds,)

    async def locate(self, group: str, plural: str, versions: tuple[str, ...]) -> str | None:
        """`/apis/<group>/<version>` of the first version that serves the plural, None for none.
        Raises TransientError while it isn't known."""
        served = (await self._known()).get(group, {})
        for version in versions:
            plurals = served.get(version)
            if plurals is not None and (not plurals or plural in plurals):
                return f"/apis/{group}/{version}"
        return None

    async def platform(self) -> Platform:
        """What the API server is. Raises TransientError while that isn't known (OS-02)."""
        return self._platform(await self._known())

    @property
    def platform_known(self) -> Platform | None:
        """The same from memory; None while nobody has asked yet."""
        return None if self._served is None else self._platform(self._served)

    async def refresh(self) -> bool:
        """Asks again; whether the answer differs. Raises TransientError."""
        async with self._lock:
            return await self._ask()

    async def _ask(self) -> bool:
        answer = await self._client.get("/apis", accept=AGGREGATED)
        if self._sleep_action is None:
            self._sleep_action = _at_least(await self._client.get("/version"), SLEEP_ACTION)
        old, self._served = self._served, _served(answer)
        if old != self._served:
            self._on_change()
        return old != self._served

    def _platform(self, served: Served) -> Platform:
        routes = "v1" in served.get(ROUTE_GROUP, {})
        return Platform(
            openshift=routes and any(group in served for group in OPENSHIFT_GROUPS),
            routes=routes,
            sleep_action=bool(self._sleep_action),
        )

    async def _known(self) -> Served:
        """From memory; of many who ask first, one sends the request."""
        async with self._lock:
            if self._served is None:
                await self._ask()
            return self._served or {}

    def _spawn(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _crd_changed(self, old: _Crd | None, new: _Crd | None) -> None:
        """The first list says nothing new: discovery is asked for by whoever needs it."""
        if new is None and old is not None:
            self._gone.add(old.name)
        if new is not None:
            self._gone.discard(new.name)
        busy = self._settling is not None and not self._settling.done()
        if self._crds.synced_once and (old or new) and not busy:
            self._settling = self._spawn(self._settle())

    def _crd_state(self, _old: State, new: State) -> None:
        if isinstance(new, Synced) and self._served is not None:
            self._spawn(self._settle())
        if isinstance(new, Forbidden) and (self._polling is None or self._polling.done()):
            self._polling = self._spawn(self._poll())

    async def _settle(self) -> None:
        """Discovery lags behind a CRD; asks until it has followed."""
        loop = asyncio.get_running_loop()
        until = loop.time() + SETTLE_SECONDS
        step = SETTLE_STEP_SECONDS
        while self._lags() and loop.time() < until:
            await self._try_refresh()
            await asyncio.sleep(step)
            step = min(step * 1.2, 2.0)
        self._gone.clear()

    def _lags(self) -> bool:
        served = {
            f"{plural}.{group}"
            for group, versions in (self._served or {}).items()
            for plurals in versions.values()
            for plural in plurals
        }
        there = {crd.name for crd in self._crds.values() if crd and not crd.deleting}
        return bool(there - served) or bool(self._gone & served)

    async def _poll(self) -> None:
        while isinstance(self._crds.state, Forbidden):
            await asyncio.sleep(POLL_SECONDS)
            if self.wanted():
                await self._try_refresh()

    async def _refresh_now_and_then(self) -> None:
        """With the re-lists of the caches: for what an aggregated API server brings."""
        while True:
            await asyncio.sleep(self._pace.relist)
            await self._try_refresh()

    async def _try_refresh(self) -> bool:
        try:
            return await self.refresh()
        except RouterError as error:
            logger.warning("discovery: %s", error.message)
            return False


async def _crd_path() -> str:
    return "/apis/apiextensions.k8s.io/v1"


def _crd(raw: Mapping[str, Any]) -> _Crd | None:
    metadata = raw["metadata"]
    if metadata["name"].partition(".")[2] not in GROUPS:
        return None
    return _Crd(metadata["name"], metadata["resourceVersion"], "deletionTimestamp" in metadata)


def _at_least(answer: Mapping[str, Any], version: tuple[int, int]) -> bool:
    """Providers write the minor version as "30+"; one that is no number counts as old."""
    numbers = [re.match(r"\d+", str(answer.get(part, ""))) for part in ("major", "minor")]
    return tuple(int(number.group()) if number else 0 for number in numbers) >= version


def _served(answer: Mapping[str, Any]) -> Served:
    """From an APIGroupDiscoveryList, or an APIGroupList (versions only) of an older server."""
    if answer.get("kind") == "APIGroupList":
        return {
            group["name"]: {item["version"]: frozenset() for item in group.get("versions") or ()}
            for group in answer.get("groups") or ()
            if group["name"] in GROUPS
        }
    return {
        group["metadata"]["name"]: {
            item["version"]: frozenset(
                resource["resource"] for resource in item.get("resources") or ()
            )
            for item in group.get("versions") or ()
        }
        for group in answer.get("items") or ()
        if group["metadata"]["name"] in GROUPS
    }
