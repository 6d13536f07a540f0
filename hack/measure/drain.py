"""When everything that happened has been worked off, and what it took to write."""

import asyncio
import time
from collections import Counter

from measure.audit import WRITES, Request
from measure.crowd import Crowd, Observer
from measure.gauges import metrics
from measure.stage import Stage


async def drained(here: Stage, crowd: Crowd, observer: Observer, *, seconds: float) -> float:
    """Seconds until no router waits and every status says what was asked for, twice in a row.
    Raises SystemExit after too many."""
    began, calm_since = time.monotonic(), 0.0
    while True:
        now = time.monotonic()
        waiting = [
            crowd.name(number)
            for number in range(len(crowd.wanted))
            if not crowd.is_current(number, observer.latest.get(crowd.name(number)))
        ]
        found = {} if waiting else await asyncio.to_thread(metrics, here.operator)
        if found.get("queue_depth") != 0:
            calm_since = 0.0
        elif calm_since:
            return calm_since - began
        else:
            calm_since = now
        if now - began > seconds:
            message = (
                f"not worked off after {seconds:.0f} s: {len(waiting)} routers aren't as they were "
                f"asked for ({', '.join(waiting[:5])}); the operator's log: {here.operator.log}"
            )
            raise SystemExit(message)
        await asyncio.sleep(0.25)


def written(asked: list[Request]) -> Counter[str]:
    """The operator's writes by resource, without those of its Lease."""
    return Counter(
        one.resource
        for one in asked
        if one.ours and one.verb in WRITES and one.resource != "leases"
    )


def told(counts: Counter[str]) -> str:
    """The counts in one line."""
    parts = (f"{resource} {count}" for resource, count in counts.most_common())
    return f"the operator wrote {counts.total()} times: {', '.join(parts)}"


def written_by_others(asked: list[Request]) -> list[Request]:
    """Writes of others that came through, on what the operator watches."""
    return [
        one
        for one in asked
        if not one.ours and one.verb in WRITES and one.code < 300 and one.resource in WATCHED
    ]


WATCHED = frozenset(
    {"configmaps", "deployments", "endpointslices", "pods", "semanticrouters", "services"}
)
"""What the routers of a crowd make the operator watch."""
