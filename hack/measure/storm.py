"""A storm of watch events on many routers, then very many routers at once: is anything lost?

    python -m measure.storm [--part events|burst|both] [--routers 200] [--events 10000]
                            [--seconds 60] [--new 1000]

events: routers at rest; what they watch changes without a pause, and users edit meanwhile.
burst: routers are created as fast as the API server takes them, with one pod each.
"""

import argparse
import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from measure.audit import Request, requests
from measure.burst import burst
from measure.clients import Clients, Sent, background
from measure.crowd import Crowd, Observer
from measure.drain import drained, told, written, written_by_others
from measure.figures import Target, at_most, number, quantile, report
from measure.flapping import Storm
from measure.gauges import Sample, Sampler, processor, resident
from measure.stage import NAMESPACE, Stage, say, stage

SETTLE_SECONDS = 30.0
DRAIN_SECONDS = 60.0
EDIT_SECONDS = 5.0
MORE_MIB = 64.0
BACK_WITHIN = 1.10
"""Resident memory afterwards, as a part of what it was before."""
GIVE_UP_SECONDS = 300.0
LATE = 1.05
"""How much longer than asked the sending may take: a slower storm is none."""


def main() -> int:
    """Prints the figures; exit code 1 when a target is missed, 2 for a bad option."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=("events", "burst", "both"), default="both")
    count = number(int, least=1, most=9999)
    parser.add_argument("--routers", type=count, default=200, help="routers at rest")
    parser.add_argument("--events", type=number(int, least=1), default=10_000)
    parser.add_argument("--seconds", type=number(float, least=1), default=60.0)
    parser.add_argument("--new", type=count, default=1000, help="routers created at once")
    options = parser.parse_args()
    targets: list[Target] = []
    if options.part != "burst":
        with stage() as here:
            targets += asyncio.run(_events(here, options))
    if options.part != "events":
        with stage() as here:
            targets += asyncio.run(burst(here, options.new))
    return report(targets)


@dataclass
class Found:
    """What was measured; memory in MiB, times in seconds."""

    sent: Sent
    processor: float
    drain: float
    samples: list[Sample]
    behind: list[str]
    asked: list[Request]


async def _events(here: Stage, options: argparse.Namespace) -> list[Target]:
    async with Clients(here.plane) as clients:
        crowd = Crowd(clients, NAMESPACE, options.routers)
        observer = Observer(clients, NAMESPACE)
        storm = Storm(clients, crowd, observer)
        async with background(observer.run()):
            say(f"making {options.routers} routers")
            await crowd.make_services()
            await crowd.make_routers()
            await drained(here, crowd, observer, seconds=GIVE_UP_SECONDS)
            say(f"settling {SETTLE_SECONDS:.0f} s")
            await asyncio.sleep(SETTLE_SECONDS)
            before = resident(here.operator)
            found = await _weather(here, options, crowd, observer, storm)
            await asyncio.sleep(SETTLE_SECONDS)
        after = resident(here.operator)
    return list(_targets(found, storm, options.seconds, (before, after)))


async def _weather(
    here: Stage, options: argparse.Namespace, crowd: Crowd, observer: Observer, storm: Storm
) -> Found:
    log = here.plane.audit_log
    assert log is not None  # noqa: S101 - the stage asked for it
    offset = log.stat().st_size
    say(f"{options.events} events in {options.seconds:.0f} s")
    used = processor(here.operator)
    with Sampler(here.operator, every=0.5) as sampler:
        sent = await storm.run(options.events, options.seconds)
        await storm.calm()
        say("the last event is sent")
        drain = await drained(here, crowd, observer, seconds=GIVE_UP_SECONDS)
        await storm.answered()
    used = processor(here.operator) - used
    asked = list(requests(log, offset))
    return Found(sent, used, drain, sampler.samples, await crowd.behind(), asked)


def _targets(
    found: Found, storm: Storm, seconds: float, memory: tuple[float, float]
) -> Iterator[Target]:
    sent, (before, after), latencies = found.sent, memory, storm.latencies
    kinds = ", ".join(f"{kind} {count}" for kind, count in storm.counts.most_common())
    print(f"sent {sent.done} events in {sent.seconds:.1f} s, {sent.refused} refused: {kinds}")
    changes = len(written_by_others(found.asked))
    print(f"  with what controllers made of them: {changes} changes of what the operator watches")
    print(f"  {told(written(found.asked))}")
    late = seconds * LATE
    yield at_most("events: sent within", sent.seconds, late, "s")
    yield Target("events: processor time of the operator", f"{found.processor:.1f} s")
    yield Target("events: deepest queue", f"{max(one.queue for one in found.samples)} routers")
    yield Target("events: edit to applied, p50", f"{quantile(latencies, 0.5):.3f} s")
    yield at_most("events: edit to applied, p99", quantile(latencies, 0.99), EDIT_SECONDS, "s")
    lost = sorted({*storm.lost, *found.behind})
    yield Target("events: lost", f"{len(lost)} {lost[:5] or ''}", "none", met=not lost)
    yield at_most("events: from the last to all worked off", found.drain, DRAIN_SECONDS, "s")
    peak = max(one.resident for one in found.samples)
    yield Target("events: resident memory before", f"{before:.1f} MiB")
    yield at_most("events: resident memory, peak", peak, before + MORE_MIB, "MiB")
    yield at_most("events: resident memory afterwards", after, before * BACK_WITHIN, "MiB")


if __name__ == "__main__":
    raise SystemExit(main())
