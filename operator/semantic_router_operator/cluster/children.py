"""Caches of the objects that we make, and of the pods of the routers, all by our label."""

import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.cluster.caches import Wake
from semantic_router_operator.cluster.capabilities import ROUTE_GROUP, Capabilities
from semantic_router_operator.cluster.child_facts import Child, PodFacts, child_of, pod_facts
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.settling import all_answered, all_settled
from semantic_router_operator.cluster.watch_source import DEFAULT_PACE, NotInstalled, Pace, Source
from semantic_router_operator.cluster.watching import Watch
from semantic_router_operator.model.manifests import (
    CHILD_KINDS,
    CONFIG_MAP,
    CONTROLLER_REVISION,
    ROUTE,
    ChildKey,
    Kind,
    PodTrouble,
)

READY_SECONDS = 30.0
"""How long the first pass waits for these caches."""
BLIND_SECONDS = 10.0
"""And how long, from then on, for those that got no answer: an operator that has started in an
outage would tell of objects that it can't see as if they weren't there."""
_LARGE_PAGE = 25
"""A ConfigMap or a ControllerRevision may have 1 MiB."""


class Children:
    """`start()` it before the first pass."""

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
        self._pace = pace
        self._namespaces: tuple[str | None, ...] = watched or (None,)
        self._owned: dict[str, set[ChildKey]] = defaultdict(set)
        self._objects: dict[tuple[Kind, str | None], Watch[Child]] = {
            (kind, namespace): self._new_watch(kind, namespace)
            for kind in (*CHILD_KINDS, CONTROLLER_REVISION)
            for namespace in self._namespaces
        }
        self._pods: dict[str | None, Watch[PodFacts]] = {
            namespace: self._new_pod_watch(namespace) for namespace in self._namespaces
        }
        self._troubles: dict[tuple[str, str], dict[str, PodTrouble]] = defaultdict(dict)
        self._pod_names: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._blind_until = 0.0

    @property
    def watches(self) -> Collection[Watch[Any]]:
        """For liveness and metrics."""
        return list(chain(self._objects.values(), self._pods.values()))

    def start(self) -> None:
        """Begins to watch; returns at once."""
        for watch in self.watches:
            watch.start()

    async def stop(self) -> None:
        """Ends every watch."""
        for watch in self.watches:
            await watch.stop()

    async def ready(self, *, blind_seconds: float = BLIND_SECONDS) -> None:
        """Returns when each cache has been filled, or was refused for certain.

        One that gets no answer is waited for during the first passes only: then what it doesn't
        know is read live, and what it doesn't tell is taken for absent.
        """
        await all_settled(self.watches, seconds=READY_SECONDS)
        now = time.monotonic()
        self._blind_until = self._blind_until or now + blind_seconds
        if now < self._blind_until:
            await all_answered(self.watches, seconds=self._blind_until - now)

    def retry_missing(self) -> None:
        """What is served has changed: caches of kinds that weren't there look again."""
        for watch in self.watches:
            if isinstance(watch.state, NotInstalled):
                watch.retry()

    def knows(self, kind: Kind, namespace: str) -> bool:
        """Whether all objects of the kind have been listed there at least once."""
        return self._watch(kind, namespace).synced_once

    def get(self, key: ChildKey) -> Child | None:
        """The object, if it is there and carries our label."""
        return self._watch(key.kind, key.namespace).get(key.namespace, key.name)

    def owned_by(self, uid: str) -> Iterator[Child]:
        """Everything with our label whose controller has that uid."""
        for key in sorted(self._owned.get(uid, ())):
            found = self.get(key)
            if found is not None:
                yield found

    def pods(self, namespace: str, router: str) -> tuple[PodTrouble, ...]:
        """What hinders the pods of the router, in the order of their names."""
        found = self._troubles.get((namespace, names.limited(router)), {})
        return tuple(trouble for _, trouble in sorted(found.items()))

    def pod_names(self, namespace: str, router: str) -> list[str]:
        """The pods of the router's Deployment, sorted."""
        return sorted(self._pod_names.get((namespace, names.workload(router)), ()))

    def note(self, key: ChildKey, raw: Mapping[str, Any]) -> None:
        """Takes in the answer of a write of ours. Nobody is woken."""
        before = self.get(key)
        self._watch(key.kind, key.namespace).note(raw)
        self._index(before, self.get(key))

    def forget(self, key: ChildKey) -> None:
        """Drops an object that we have deleted. Nobody is woken."""
        self._index(self.get(key), None)
        self._watch(key.kind, key.namespace).forget(key.namespace, key.name)

    def _watch(self, kind: Kind, namespace: str) -> Watch[Child]:
        return self._objects[kind, None if self._namespaces == (None,) else namespace]

    def _new_watch(self, kind: Kind, namespace: str | None) -> Watch[Child]:
        async def locate() -> str | None:
            if kind != ROUTE:
                return kind.path
            return await self._capabilities.locate(ROUTE_GROUP, kind.plural, ("v1",))

        source = Source(
            kind.kind,
            kind.plural,
            locate,
            child_of(kind),
            namespace=namespace,
            selector=names.MANAGED_SELECTOR,
            page=_LARGE_PAGE if kind in {CONFIG_MAP, CONTROLLER_REVISION} else 500,
        )
        return Watch(self._client, source, on_change=self._changed, pace=self._pace)

    def _new_pod_watch(self, namespace: str | None) -> Watch[PodFacts]:
        source = Source(
            "Pod",
            "pods",
            _core,
            pod_facts,
            namespace=namespace,
            selector=names.MANAGED_SELECTOR,
        )
        return Watch(self._client, source, on_change=self._pod_changed, pace=self._pace)

    def _changed(self, old: Child | None, new: Child | None) -> None:
        self._index(old, new)
        for router in {(item.key.namespace, item.router) for item in (old, new) if item}:
            self._wake(*router)

    def _index(self, old: Child | None, new: Child | None) -> None:
        if old is not None and old.owner is not None:
            self._owned[old.owner].discard(old.key)
            if not self._owned[old.owner]:
                del self._owned[old.owner]
        if new is not None and new.owner is not None:
            self._owned[new.owner].add(new.key)

    def _pod_changed(self, old: PodFacts | None, new: PodFacts | None) -> None:
        self._index_pod(old, new)
        before = old.trouble if old is not None else None
        after = new.trouble if new is not None else None
        pod = new or old
        if pod is None or before == after:
            return
        known = self._troubles[pod.namespace, pod.instance]
        known.pop(pod.name, None)
        if after is not None:
            known[pod.name] = after
        if not known:
            del self._troubles[pod.namespace, pod.instance]
        self._wake(pod.namespace, pod.router)

    def _index_pod(self, old: PodFacts | None, new: PodFacts | None) -> None:
        """A ReplicaSet has its Deployment's name, and a hash."""
        if old is not None:
            place = (old.namespace, old.controller.rpartition("-")[0])
            self._pod_names[place].discard(old.name)
            if not self._pod_names[place]:
                del self._pod_names[place]
        if new is not None and new.controller:
            place = (new.namespace, new.controller.rpartition("-")[0])
            self._pod_names[place].add(new.name)


async def _core() -> str:
    return "/api/v1"
