"""Routers that are edited and backends that come and go, all the time, and what must be true of
each when it has stopped."""

import contextlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from cluster.live_objects import Object, Place, by_label, conditions, until
from faults.state import orphans

KINDS = ("sr", "deployment", "service", "configmap", "serviceaccount", "replicaset", "pod")
READY_SECONDS = 120.0
SETTLE_SECONDS = 45.0


class Churn:
    """Over routers of its own in one namespace. One step is an edit of a spec, or a backend that is
    made or deleted; neither rolls a pod."""

    def __init__(self, place: Place, routers: int) -> None:
        self.steps = 0
        self._place = place
        self._models = {f"r{number:02}": "model-0" for number in range(routers)}
        self._second: set[str] = set()
        """Routers whose second backend is there."""
        self._before: set[str] = set()

    def prepare(self) -> None:
        """Makes the routers, and waits until all of them are Ready."""
        for name in self._models:
            self._place.service(f"{name}-a", app=name)
            self._place.router(name, vllmEndpoints=[_endpoint(name, "model-0")])
        for name in self._models:
            self._place.ready(name, seconds=READY_SECONDS)
        self._before = self._names()

    def step(self) -> None:
        """The next change."""
        names = list(self._models)
        name = names[self.steps // 2 % len(names)]
        if self.steps % 2 == 0:
            self._models[name] = f"model-{self.steps + 1}"
            self._place.edit(name, vllmEndpoints=[_endpoint(name, self._models[name])])
        elif name in self._second:
            self._second.discard(name)
            self._place.delete("service", f"{name}-b")
        else:
            self._second.add(name)
            self._place.service(f"{name}-b", app=name)
        self.steps += 1

    def lost(self) -> list[str]:
        """Routers of which the last change isn't live, each with what is wrong; waits for it."""
        deadline = time.monotonic() + SETTLE_SECONDS
        found = []
        for name in self._models:
            with contextlib.suppress(AssertionError):
                left = max(deadline - time.monotonic(), 0.5)
                until(lambda name=name: not self._missing(name), seconds=left)  # type: ignore[misc]
            if missing := self._missing(name):
                found.append(f"{name}: {missing}")
        return found

    def surplus(self) -> list[str]:
        """What is there twice, without its owner, anew or no more, since `prepare`."""
        wanted = self._before | {f"Service/{name}-b" for name in self._second}
        changed = wanted ^ self._names()
        return sorted(changed | set(orphans(self._objects())))

    def _missing(self, name: str) -> str:
        """What of the router's last change isn't there yet; empty when all of it is."""
        if conditions(self._place.the("sr", name)).get("Ready", {}).get("status") != "True":
            return "not Ready with its latest generation"
        text = "".join(self._place.the("configmap", f"{name}-config")["data"].values())
        if f'"{self._models[name]}"' not in text:
            return f"{self._models[name]} isn't in the configuration"
        if (f"{name}-b." in text) != (name in self._second):
            return "its second backend isn't as it is in the cluster"
        return ""

    def _objects(self) -> list[Object]:
        plain = {"sr": "SemanticRouter"}
        return [
            {"kind": plain.get(kind, kind.title()), **item}
            for kind in KINDS
            for item in self._place.all(kind)
        ]

    def _names(self) -> set[str]:
        return {f"{item['kind']}/{item['metadata']['name']}" for item in self._objects()}


def _endpoint(name: str, model: str) -> Object:
    return {**by_label(name), "model": model}


@contextlib.contextmanager
def churning(churn: Churn, *, every: float) -> Iterator[None]:
    """A step each so many seconds while the block runs, which doesn't touch `churn` itself. Raises
    what a step has raised, in the end."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(every):
            churn.step()

    with ThreadPoolExecutor(1, "churn") as pool:
        working = pool.submit(work)
        try:
            yield
        finally:
            stop.set()
        working.result()
