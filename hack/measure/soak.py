"""Churn for a given time, and whether memory, descriptors or tasks of the operator grow meanwhile.

    python -m measure.soak [--minutes 10] [--png FILE]

Routers are made, edited and deleted all the time, their backends come and go, whole namespaces too;
every connection of the operator is cut every 20 s, and now and then the API server is away.
"""

import argparse
import asyncio
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from controlplane import ControlPlane
from controlplane.wire import Wire
from installation import OperatorProcess
from measure.churn import Churn
from measure.clients import Clients
from measure.figures import Target, number, report
from measure.gauges import Sample, Sampler
from measure.plots import MEMORY, PLOTS, draw
from measure.stage import ground, say
from measure.trend import COUNT_NOISE, Trend, most_per_hour, trend

EVERY_SECONDS = 2.0
SAMPLED_SECONDS = 6.0
REST_SECONDS = 20.0
CALM_SECONDS = 90.0
"""Until what lives on for a while is gone: caches of namespaces for 60 s, idle connections 15 s."""
REST_NOISE = 3.0
"""So many descriptors or tasks more after the churn than before it are no growth."""


@dataclass(frozen=True, slots=True)
class Found:
    """The samples of the churn, and of the rest before and after it."""

    before: Sequence[Sample]
    during: Sequence[Sample]
    after: Sequence[Sample]


def main() -> int:
    """Prints the slopes, draws the plots; exit code 1 when something grows, 2 for a bad option."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=number(float, least=1), default=10.0)
    parser.add_argument("--png", type=Path, default=Path(".reports/soak.png"))
    options = parser.parse_args()
    try:
        options.png.parent.mkdir(parents=True, exist_ok=True)
        options.png.open("ab").close()
    except OSError as error:
        parser.error(f"--png: {options.png} can't be written: {error.strerror}")
    with ground() as (plane, kubeconfig, directory):
        found = asyncio.run(_soak(plane, kubeconfig, directory, options.minutes))
    draw(found.during, options.png)
    print(f"plots: {options.png}")
    return report(targets(found))


async def _soak(plane: ControlPlane, kubeconfig: Path, folder: Path, minutes: float) -> Found:
    through = folder / "through-the-wire.kubeconfig"
    wire = await Wire.before(kubeconfig, through)
    operator = OperatorProcess(through, folder / "operator.log")
    await asyncio.to_thread(operator.start)
    try:
        async with Clients(plane) as clients:
            churn = Churn(clients, wire)
            before = await _rest(operator, REST_SECONDS)
            say(f"churn for {minutes:g} minutes")
            with Sampler(operator, every=EVERY_SECONDS) as sampler:
                await churn.run(minutes * 60)
            if not operator.running:
                message = f"the operator has ended; its log: {operator.log}"
                raise SystemExit(message)
            say("clearing up")
            await churn.clear()
            after = await _rest(operator, CALM_SECONDS)
        print(", ".join(f"{what} {count}" for what, count in churn.counts.most_common()))
    finally:
        await asyncio.to_thread(operator.stop)
        await wire.close()
    return Found(before, sampler.samples, after)


async def _rest(operator: OperatorProcess, seconds: float) -> list[Sample]:
    """Samples of some seconds after so many of rest."""
    say(f"at rest for {seconds:.0f} s")
    await asyncio.sleep(seconds)
    with Sampler(operator, every=1.0) as sampler:
        await asyncio.sleep(SAMPLED_SECONDS)
    return sampler.samples


def targets(found: Found) -> Iterator[Target]:
    """The report; an empty row of samples is a miss: nobody answered."""
    for what, row in (("before", found.before), ("during", found.during), ("after", found.after)):
        if not row:
            yield Target(f"samples {what} the churn", "none", "some", met=False)
            return
    for what, value in PLOTS:
        yield _grown(what, trend(found.during, value))
    for what, value in PLOTS:
        at_first, at_last = (
            statistics.median(value(one) for one in row) for row in (found.before, found.after)
        )
        told = f"{at_first:.1f} -> {at_last:.1f}"
        if what == MEMORY:
            yield Target(f"{what}, at rest before -> after", told)
        else:
            met = at_last <= at_first + REST_NOISE
            yield Target(f"{what}, at rest before -> after", told, f"+{REST_NOISE:g}", met=met)


def _grown(what: str, found: Trend) -> Target:
    minutes = f"in {found.hours * 60:.1f} min after the warm-up"
    if what == MEMORY:
        limit = most_per_hour(found.hours)
        told = f"{found.per_hour:+.2f} an hour"
        return Target(f"{what}, {minutes}", told, f"< {limit:.1f}", met=found.per_hour < limit)
    told = f"{found.per_hour:+.1f} an hour"
    limit = COUNT_NOISE / found.hours if found.hours else 0.0
    return Target(f"{what}, {minutes}", told, f"< {limit:.1f}", met=found.per_hour < limit)


if __name__ == "__main__":
    raise SystemExit(main())
