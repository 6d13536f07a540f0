"""Very many routers at once: until they are Ready, with how many writes, in how much memory."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from measure.audit import Request, requests
from measure.clients import Clients, background
from measure.crowd import Crowd, Observer
from measure.drain import drained, told, written, written_by_others
from measure.figures import Target, at_most, quantile
from measure.gauges import Sampler, metrics, processor, resident
from measure.stage import NAMESPACE, Stage, say

SETTLE_SECONDS = 30.0
READY_SECONDS = 120.0
DRAIN_SECONDS = 60.0
IDLE_EDIT_SECONDS = 1.0
GIVE_UP_SECONDS = 900.0
EDITS = 100
EMPTY_MIB, FULL_MIB, MORE_MIB, ROUTER_KIB = 80.0, 150.0, 64.0, 64.0
BACK_WITHIN = 1.10
"""Resident memory afterwards, as a part of what a process that is started later needs for the same
routers: one without a past needs only what they cost."""
MANY = 500
"""With fewer routers, what the first one needs of all is most of it."""
BACKENDS = 10
WRITES_BESIDE = 2
"""Writes for a new router beyond one for each of its objects."""
_OBJECTS = (
    "/api/v1/namespaces/{}/configmaps",
    "/api/v1/namespaces/{}/services",
    "/api/v1/namespaces/{}/serviceaccounts",
    "/apis/apps/v1/namespaces/{}/deployments",
    "/apis/apps/v1/namespaces/{}/controllerrevisions",
)


@dataclass
class Found:
    """What was measured; memory in MiB, times in seconds."""

    size: int
    empty: float = 0.0
    created: float = 0.0
    ready: float = 0.0
    ready_at: float = 0.0
    """Since the epoch."""
    processor: float = 0.0
    peak: float = 0.0
    after: float = 0.0
    fresh: float = 0.0
    objects: int = 0
    behind: list[str] = field(default_factory=list)
    edits: list[float] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)


async def burst(here: Stage, size: int) -> list[Target]:
    """All figures of the burst."""
    found = Found(size)
    async with Clients(here.plane) as clients:
        crowd = Crowd(clients, NAMESPACE, size, services=BACKENDS)
        observer = Observer(clients, NAMESPACE)
        async with background(observer.run()):
            await crowd.make_services()
            await asyncio.sleep(SETTLE_SECONDS / 2)
            await _create(here, crowd, observer, found)
            found.objects = await _owned(clients)
            say("edits, one at a time")
            for number in range(min(EDITS, size)):
                done = await crowd.edit(number, number + 1)
                found.edits.append(await observer.until(crowd.name(number), done))
        found.behind = await crowd.behind()
    found.fresh = await _fresh(here, size)
    return list(_targets(found))


async def _create(here: Stage, crowd: Crowd, observer: Observer, found: Found) -> None:
    log = here.plane.audit_log
    assert log is not None  # noqa: S101 - the stage asked for it
    found.empty, offset = resident(here.operator), log.stat().st_size
    say(f"{found.size} routers at once")
    began, at = time.monotonic(), time.time()
    used = processor(here.operator)
    with Sampler(here.operator, every=1.0) as sampler:
        await crowd.make_routers()
        found.created = time.monotonic() - began
        found.ready = found.created + await drained(here, crowd, observer, seconds=GIVE_UP_SECONDS)
        found.ready_at = at + found.ready
        found.processor = processor(here.operator) - used
        say(f"Ready; settling {SETTLE_SECONDS:.0f} s")
        await asyncio.sleep(SETTLE_SECONDS)
    found.peak = max(sample.resident for sample in sampler.samples)
    found.after = resident(here.operator)
    found.asked = list(requests(log, offset))


async def _owned(clients: Clients) -> int:
    """How many objects the routers own."""
    count = 0
    for path in _OBJECTS:
        for item in (await clients.get(path.format(NAMESPACE)))["items"]:
            owners = item["metadata"].get("ownerReferences") or ()
            count += any(owner["kind"] == "SemanticRouter" for owner in owners)
    return count


async def _fresh(here: Stage, size: int) -> float:
    """Resident memory of a process that finds all routers when it starts."""
    say("the operator is started again")
    here.operator.stop()
    here.operator.start()
    began, calm = time.monotonic(), 0
    while calm < 10:
        seen = await asyncio.to_thread(metrics, here.operator)
        calm = calm + 1 if seen.get("routers") == size and seen.get("queue_depth") == 0 else 0
        if time.monotonic() - began > GIVE_UP_SECONDS:
            message = f"not at rest {GIVE_UP_SECONDS:.0f} s after the start: {seen}"
            raise SystemExit(message)
        await asyncio.sleep(0.5)
    await asyncio.sleep(SETTLE_SECONDS)
    return resident(here.operator)


def _targets(found: Found) -> Iterator[Target]:
    size, counts = found.size, written(found.asked)
    events = counts.pop("events", 0)
    others = [
        one.answered for one in written_by_others(found.asked) if one.answered <= found.ready_at
    ]
    print(f"{size} routers were created in {found.created:.1f} s")
    print(f"  {told(counts)}; and {events} Events")
    last = found.ready_at - max(others)
    yield at_most("burst: all Ready, from the first creation", found.ready, READY_SECONDS, "s")
    yield Target("burst: processor time of the operator", f"{found.processor:.1f} s")
    yield at_most("burst: from the last event of others", last, DRAIN_SECONDS, "s")
    lost = f"{len(found.behind)} {found.behind[:5] or ''}"
    yield Target("burst: routers not as asked for", lost, "none", met=not found.behind)
    limit = found.objects / size + WRITES_BESIDE
    yield at_most("burst: writes for each, Events apart", counts.total() / size, limit, "")
    yield Target("burst: Events for each", f"{events / size:.1f}")
    p99 = quantile(found.edits, 0.99)
    yield Target("burst: edit to applied at rest, p50", f"{quantile(found.edits, 0.5):.3f} s")
    yield at_most("burst: edit to applied at rest, p99", p99, IDLE_EDIT_SECONDS, "s")
    yield at_most("burst: resident memory, no router", found.empty, EMPTY_MIB, "MiB")
    yield Target("burst: resident memory, started later", f"{found.fresh:.1f} MiB")
    yield at_most("burst: resident memory, peak", found.peak, found.fresh + MORE_MIB, "MiB")
    yield at_most("burst: resident memory afterwards", found.after, FULL_MIB, "MiB")
    back = found.fresh * BACK_WITHIN
    yield at_most("burst: the same, as if started later", found.after, back, "MiB")
    each = (found.after - found.empty) * 1024 / size
    if size >= MANY:
        yield at_most("burst: resident memory for each router", each, ROUTER_KIB, "KiB")
