"""How soon the next one led and wrote after each blow, and whether anybody else did."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from faults.disturbance import Blow, Kill
from faults.lead_log import LeadLog, Request

LEADER_SECONDS = 15.0
"""Within this time after each blow another one has to lead: docs/reliability.md."""
COLD_LISTS = 5
"""As many lists between the two are a leader whose caches weren't filled; one may be due anyway."""
FIRST_WRITE_SECONDS = 17.0
"""A standby whose caches are warm has only the passes before it."""


@dataclass(frozen=True)
class Failover:
    """What followed a blow: seconds until another led, and until that one wrote."""

    leader: float | None
    write: float | None
    lists: int = 0
    """Of the new leader between the two, that of the routers apart: its caches are warm."""


@dataclass(frozen=True)
class Verdict:
    """What came of a run; `problems` is empty when all was as it must be."""

    blows: Sequence[Blow]
    failovers: Sequence[Failover]
    trespasses: Sequence[Request]
    lost: Sequence[str]
    surplus: Sequence[str]
    steps: int
    writes: int

    @property
    def problems(self) -> list[str]:
        """What wasn't as it must be."""
        return list(self._problems())

    def _problems(self) -> Iterator[str]:
        for blow, found in zip(self.blows, self.failovers, strict=True):
            if found.leader is None or found.leader > LEADER_SECONDS:
                yield f"{blow}: {_late(found.leader, 'a new leader')}"
            elif found.write is None or found.write > FIRST_WRITE_SECONDS:
                yield f"{blow}: {_late(found.write, 'a write by the new leader')}"
            elif found.lists >= COLD_LISTS:
                yield f"{blow}: the new leader listed {found.lists} times before it wrote"
        yield from (f"written by somebody who didn't lead: {one}" for one in self.trespasses)
        yield from (f"change lost: {one}" for one in self.lost)
        yield from (f"not as before: {one}" for one in self.surplus)

    def lines(self) -> Iterator[str]:
        """The table, and the problems."""
        kills = sum(isinstance(blow.what, Kill) for blow in self.blows)
        leader = [found.leader for found in self.failovers if found.leader is not None]
        write = [found.write for found in self.failovers if found.write is not None]
        rows = (
            ("leaders killed", str(kills)),
            ("leaders stopped and woken", str(len(self.blows) - kills)),
            ("changes made meanwhile", str(self.steps)),
            ("until another leads, p50 / max", _spread(leader)),
            ("until it writes, p50 / max", _spread(write)),
            ("lists for caches between the two", str(sum(found.lists for found in self.failovers))),
            ("writes by the leader", str(self.writes - len(self.trespasses))),
            ("writes by anybody else", str(len(self.trespasses))),
            ("changes lost", str(len(self.lost))),
            ("objects twice, orphaned or rolled", str(len(self.surplus))),
        )
        yield ""
        yield from (f"{name:<34} {value:>16}" for name, value in rows)
        yield from self.problems


def judge(
    requests: Sequence[Request],
    blows: Sequence[Blow],
    *,
    lost: Sequence[str] = (),
    surplus: Sequence[str] = (),
    steps: int = 0,
) -> Verdict:
    """The verdict on a run: `requests` of its audit log, `blows` that were dealt."""
    log = LeadLog(requests)
    return Verdict(
        blows,
        [_failover(log, blow) for blow in blows],
        log.trespasses(),
        lost,
        surplus,
        steps,
        sum(one.is_write for one in requests),
    )


def _failover(log: LeadLog, blow: Blow) -> Failover:
    lead = log.follower(blow.leader.who, blow.at)
    if lead is None:
        return Failover(None, None)
    write = log.first_write(lead)
    if write is None:
        return Failover(lead.done - blow.at, None)
    lists = log.lists(lead.who, lead.done, write.received)
    return Failover(lead.done - blow.at, write.received - blow.at, lists)


def _late(seconds: float | None, what: str) -> str:
    return f"{what} never came" if seconds is None else f"{what} came after {seconds:.1f} s"


def _spread(seconds: Sequence[float]) -> str:
    if not seconds:
        return "-"
    return f"{statistics.median(seconds):.1f} / {max(seconds):.1f} s"
