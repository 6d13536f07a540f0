"""Requests of the operator at rest, and its memory.

    python -m measure.rest [--routers 50] [--minutes 5] [--memory-routers 200]

Routers with HPAs are made, everything settles, then the API server's own audit log is read for what
the operator's ServiceAccount asked for during the minutes. Writes and reads must be none; the
Lease and watches that begin again are counted apart.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterable

from measure.audit import WRITES, requests
from measure.stage import Stage, by_service, router, say, service, stage

SETTLE_SECONDS = 30.0


def main() -> int:
    """Prints the table; exit code 1 when anything was written or read at rest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--routers", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--memory-routers", type=int, default=200)
    options = parser.parse_args()
    # a full list within the minutes would hide a read that shouldn't be there, and prove nothing
    with stage({"RELIST_SECONDS": "36000", "RESYNC_SECONDS": "60"}) as here:
        time.sleep(5)
        print(f"resident memory, 0 routers: {here.operator.resident_bytes / 2**20:.1f} MiB")
        _populate(here, 0, options.routers)
        code = _rest(here, options.minutes)
        _populate(here, options.routers, options.memory_routers)
        time.sleep(SETTLE_SECONDS)
        count = options.memory_routers
        print(f"resident memory, {count} routers: {here.operator.resident_bytes / 2**20:.1f} MiB")
    return code


def _populate(here: Stage, first: int, last: int) -> None:
    objects = []
    for number in range(first, last):
        name = f"m{number:03}"
        scaling = {"enabled": True, "minReplicas": 1, "maxReplicas": 3}
        objects += [
            service(name),
            router(
                f"r{number:03}",
                [by_service(name)],
                autoscaling=scaling,
                resources={"requests": {"cpu": "1000m", "memory": "1024Mi"}},
            ),
        ]
    say(f"making routers {first} to {last}")
    here.apply(objects)
    took = here.wait(f"{last} ready routers", lambda: here.ready() >= last)
    print(f"{last - first} routers more are Ready after {took:.1f} s (kubectl apply apart)")


def _rest(here: Stage, minutes: float) -> int:
    say(f"settling {SETTLE_SECONDS:.0f} s")
    time.sleep(SETTLE_SECONDS)
    log = here.plane.audit_log
    assert log is not None  # noqa: S101 - the stage asked for it
    offset = log.stat().st_size
    say(f"counting for {minutes:g} minutes")
    time.sleep(minutes * 60)
    asked = ((one.verb, one.resource) for one in requests(log, offset) if one.ours)
    return report(asked, minutes)


def report(found: Iterable[tuple[str, str]], minutes: float) -> int:
    """Prints the counts; 1 when there is a write or a read that there mustn't be."""
    counts = Counter(found)
    lease = sum(count for (_, resource), count in counts.items() if resource == "leases")
    watches = sum(count for (verb, _), count in counts.items() if verb == "watch")
    rest = {
        (verb, resource): count
        for (verb, resource), count in counts.items()
        if resource != "leases" and verb != "watch"
    }
    writes = sum(count for (verb, _), count in rest.items() if verb in WRITES)
    reads = sum(count for (verb, _), count in rest.items() if verb not in WRITES)
    print(f"at rest, {minutes:g} min: {writes} writes, {reads} reads")
    print(f"  apart from these: Lease {lease}, watches begun again {watches}")
    for (verb, resource), count in sorted(rest.items()):
        print(f"  {count:6} {verb} {resource}")
    return 1 if writes or reads else 0


if __name__ == "__main__":
    raise SystemExit(main())
