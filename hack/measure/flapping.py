"""The storm: what routers watch changes without a pause, and users edit meanwhile."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from measure.clients import Clients, Sent, steadily
from measure.crowd import Body, Crowd, Observer, services_path

CHANGE_EVERY = 33
"""One in so many events is a real change, every other of them an edit of the spec."""
_WEIGHTS = {"Deployment status": 20, "pod status": 20, "Service label": 35, "CR annotation": 25}


class Storm:
    """Events on a crowd at rest. `run()`, then `calm()`: what we left of it is put right."""

    def __init__(self, clients: Clients, crowd: Crowd, observer: Observer) -> None:
        self.counts: Counter[str] = Counter()
        self.latencies: list[float] = []
        self.lost: list[str] = []
        """Real changes that no status has told of in time."""
        self._clients, self._crowd, self._observer = clients, crowd, observer
        self._dice = random.Random(5)  # noqa: S311 - the same storm each time
        self._pods: list[Body] = []
        self._broken: set[int] = set()
        self._watching: set[asyncio.Task[None]] = set()
        self._changes = 0
        self._send: dict[str, Callable[[int], Awaitable[None]]] = {
            "Deployment status": self._deployment,
            "pod status": self._pod,
            "Service label": self._label,
            "CR annotation": self._annotation,
        }

    async def run(self, events: int, seconds: float) -> Sent:
        """Sends the events evenly over the time."""
        path = f"/api/v1/namespaces/{self._crowd.namespace}/pods"
        self._pods = (await self._clients.get(path))["items"]
        return await steadily(events, seconds, self._one)

    async def calm(self) -> None:
        """Repairs the pods: nothing else would, here."""
        for number in sorted(self._broken):
            await self._clients.merge(self._pod_path(number), _containers(self._pods[number]))

    async def answered(self) -> None:
        """Returns when each real change is there or lost."""
        if self._watching:
            await asyncio.wait(self._watching)

    async def _one(self, number: int) -> None:
        if number % CHANGE_EVERY == 0:
            await self._change()
            self.counts["real change"] += 1
            return
        kind = self._dice.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        await self._send[kind](self._dice.randrange(len(self._crowd.wanted)))
        self.counts[kind] += 1

    async def _change(self) -> None:
        """In turn an edit of a spec and another port of a Service, in a steady walk over all."""
        self._changes += 1
        turn, is_port = divmod(self._changes, 2)
        number = turn % len(self._crowd.wanted)
        if is_port:
            done = await self._crowd.move_port(number)
        else:
            done = await self._crowd.edit(number, self._changes)
        task = asyncio.create_task(self._wait(number, done))
        self._watching.add(task)
        task.add_done_callback(self._watching.discard)

    async def _wait(self, number: int, done: Callable[[Body], bool]) -> None:
        name = self._crowd.name(number)
        try:
            self.latencies.append(await self._observer.until(name, done))
        except TimeoutError:
            self.lost.append(name)

    async def _deployment(self, number: int) -> None:
        """The controller that owns this status puts it right at once: a second event."""
        path = f"/apis/apps/v1/namespaces/{self._crowd.namespace}/deployments"
        ready = self._dice.randrange(2)
        status = {"readyReplicas": ready, "availableReplicas": ready}
        path = f"{path}/{self._crowd.name(number)}/status"
        await self._clients.merge(path, {"status": status})

    async def _pod(self, number: int) -> None:
        """Crashes, and is well the next time."""
        number %= len(self._pods)
        broken = number not in self._broken
        (self._broken.add if broken else self._broken.discard)(number)
        body = _containers(self._pods[number], broken=broken)
        await self._clients.merge(self._pod_path(number), body)

    async def _label(self, number: int) -> None:
        path = f"{services_path(self._crowd.namespace)}/{self._crowd.service_name(number)}"
        await self._clients.merge(path, _metadata("labels", self._dice))

    async def _annotation(self, number: int) -> None:
        await self._clients.merge(self._crowd.path(number), _metadata("annotations", self._dice))

    def _pod_path(self, number: int) -> str:
        name = self._pods[number]["metadata"]["name"]
        return f"/api/v1/namespaces/{self._crowd.namespace}/pods/{name}/status"


def _metadata(part: str, dice: random.Random) -> Body:
    return {"metadata": {part: {"storm": str(dice.randrange(10**9))}}}


def _containers(pod: Body, *, broken: bool = False) -> Body:
    """The pod's own container statuses, as they were, or in a crash loop."""
    found: list[dict[str, Any]] = pod["status"]["containerStatuses"]
    if broken:
        waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}
        ended = {"terminated": {"exitCode": 1, "reason": "Error"}}
        found = [{**item, "state": waiting, "lastState": ended} for item in found]
    return {"status": {"containerStatuses": found}}
