"""What goes wrong while a scenario's change is under way."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from faults.plan import (
    Answer,
    Delay,
    Drop,
    Duplicate,
    Fault,
    Gone,
    Hang,
    Kill,
    Mute,
    Reset,
    Rule,
    StaleList,
    Swap,
)
from faults.process import Operator
from faults.proxy import FaultProxy
from faults.subject import EVENT, Subject

STALE_SECONDS = 3.0
OUTAGE_SECONDS = 10.0


@dataclass(frozen=True)
class Field:
    """Where it happens."""

    proxy: FaultProxy
    operator: Operator
    namespace: str

    def writes(self, subject: Subject) -> bool:
        """A write to something of the scenario."""
        return subject.is_write and subject.namespace == self.namespace

    def events(self, subject: Subject) -> bool:
        """An event about something of the scenario."""
        return subject.verb == EVENT and subject.namespace == self.namespace


Arm = Callable[[Field], Rule | None]


@dataclass(frozen=True)
class Perturbation:
    """`arm` before the change; `after` follows it. `on` is what it needs to strike at all."""

    name: str
    arm: Arm
    on: Literal["writes", "anything"] = "anything"
    after: Callable[[Field], object] = lambda _: None


def killing(when: Literal["before", "after"], nth: int) -> Perturbation:
    """The operator is killed at its nth write."""

    def arm(field: Field) -> Rule:
        return field.proxy.plan.add(Rule(Kill(when), field.writes, skip=nth - 1, times=1))

    return Perturbation(f"kill {when} write {nth}", arm, "writes")


def _each_write(name: str, fault: Fault) -> Perturbation:
    def arm(field: Field) -> Rule:
        return field.proxy.plan.add(Rule(fault, field.writes, per_target=1))

    return Perturbation(name, arm, "writes")


def _events(
    name: str, fault: Fault, *, seconds: float | None = None, per_watch: int | None = None
) -> Perturbation:
    def arm(field: Field) -> Rule:
        rule = Rule(fault, field.events, seconds=seconds, per_target=per_watch)
        return field.proxy.plan.add(rule)

    return Perturbation(name, arm)


def _hang(field: Field) -> Rule:
    return field.proxy.plan.add(Rule(Hang(60.0), field.writes, times=1))


def _expire(field: Field) -> Rule:
    return field.proxy.plan.add(Rule(Answer(401), lambda _: True, seconds=2.0))


def _outage(field: Field) -> None:
    field.proxy.outage(OUTAGE_SECONDS)


def _down(field: Field) -> None:
    field.operator.kill()


def _stale(field: Field) -> Rule:
    """It starts again, and is shown the world as it was before the change."""
    field.proxy.freeze_lists()
    field.operator.kill()
    rule = Rule(StaleList(), lambda one: one.verb == "LIST", per_target=1)
    return field.proxy.plan.add(rule)


def _silent(arm: Callable[[Field], None]) -> Arm:
    def quietly(field: Field) -> None:
        arm(field)

    return quietly


PERTURBATIONS = (
    _each_write("409 once for each write", Answer(409)),
    _each_write("429 once, Retry-After 1", Answer(429, retry_after=1)),
    _each_write("500 once for each write", Answer(500)),
    _each_write("503 once for each write", Answer(503)),
    _each_write("reset once for each write", Reset()),
    _each_write("answer lost once for each write", Reset(committed=True)),
    Perturbation("first write hangs", _hang, "writes"),
    _events("410 in each watch", Gone(), per_watch=1),
    _events("events of 3 s dropped", Drop(), seconds=3.0),
    _events("each event 1 s late", Delay(1.0), seconds=5.0),
    _events("each event twice", Duplicate()),
    _events("events in another order", Swap()),
    _events("each watch mute", Mute(), per_watch=1),
    Perturbation("restart on stale lists", _stale),
    Perturbation("token refused for 2 s", _expire),
    Perturbation("outage of 10 s", _silent(_outage)),
    Perturbation("operator down at the change", _silent(_down)),
)
