"""What goes wrong while a scenario's change is under way."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
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

LATE_TOKEN_SECONDS = 2.0
LATE_SECONDS = 3.0


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
        """An event about something of the scenario, or about its namespace."""
        return subject.verb == EVENT and subject.namespace == self.namespace

    def started_again(self) -> float:
        """When the operator that was killed ran again; infinite while it doesn't."""
        return self.operator.started_at if self.operator.running else math.inf


@dataclass(frozen=True)
class Strike:
    """Something that goes wrong. `over` is when it was over, on the monotonic clock, as far as is
    known now; a moment to come while it isn't."""

    over: Callable[[], float]
    rule: Rule | None = None

    @property
    def struck(self) -> bool:
        """Whether it found something to strike at."""
        return self.rule is None or self.rule.hits > 0


@dataclass(frozen=True)
class Perturbation:
    """`arm` it right before the change, `again` when the operator has followed it, if there is such
    a thing. `on` is what it needs to strike at all."""

    name: str
    arm: Callable[[Field], Strike]
    on: Literal["writes", "events", "anything"] = "anything"
    again: Callable[[Field], Strike] | None = None
    limited: bool = True
    """Whether the operator may make half as many writes again as without the fault, not more."""
    may_end: int = 0
    """How often the operator may end by itself, as one does that can't renew its Lease."""
    only: frozenset[str] = frozenset()
    """The scenarios that it is run with, if not with all."""
    health: bool = False
    """Whether the operator's probes are to tell of it."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """How the operator is run, other than usual."""


def killing(when: Literal["before", "after"], nth: int) -> Perturbation:
    """The operator is killed at its nth write."""

    def arm(field: Field) -> Strike:
        rule = field.proxy.plan.add(Rule(Kill(when), field.writes, skip=nth - 1, times=1))
        return Strike(lambda: field.started_again() if rule.hits else 0.0, rule)

    return Perturbation(f"kill {when} write {nth}", arm, "writes", limited=False)


def _ruled(field: Field, rule: Rule) -> Strike:
    field.proxy.plan.add(rule)
    return Strike(rule.over_at, rule)


def _each_write(name: str, fault: Fault) -> Perturbation:
    def arm(field: Field) -> Strike:
        return _ruled(field, Rule(fault, field.writes, per_target=1))

    return Perturbation(name, arm, "writes")


def _events(
    name: str, fault: Fault, *, seconds: float | None = None, per_watch: int | None = None
) -> Perturbation:
    def arm(field: Field) -> Strike:
        return _ruled(field, Rule(fault, field.events, seconds=seconds, per_target=per_watch))

    return Perturbation(name, arm, "events")


def _hang(field: Field) -> Strike:
    return _ruled(field, Rule(Hang(60.0), field.writes, times=1))


def _expire(field: Field) -> Strike:
    return _ruled(field, Rule(Answer(401), lambda _: True, seconds=2.0))


def _rotate(field: Field) -> Strike:
    field.proxy.rotate_token(LATE_TOKEN_SECONDS)
    known = time.monotonic() + LATE_TOKEN_SECONDS
    return Strike(lambda: known)


def _outage(seconds: float) -> Callable[[Field], Strike]:
    def arm(field: Field) -> Strike:
        field.proxy.outage(seconds)
        back = time.monotonic() + seconds
        return Strike(lambda: max(back, field.started_again()))

    return arm


def _down(field: Field) -> Strike:
    field.operator.kill()
    return Strike(field.started_again)


def _freeze(field: Field) -> Strike:
    field.proxy.freeze_lists()
    return Strike(lambda: 0.0)


def _stale(field: Field) -> Strike:
    """It starts again, and is shown the world as it was before the change."""
    field.proxy.freeze_lists()
    field.operator.kill()
    rule = field.proxy.plan.add(Rule(StaleList(), lambda one: one.verb == "LIST", per_target=1))
    return Strike(lambda: max(rule.last_at, field.started_again()), rule)


def _unread(field: Field) -> Strike:
    """It starts again, and each read goes wrong once: lists, watches, and single looks."""
    field.operator.kill()
    faults: Mapping[str, Fault] = {"LIST": Answer(503), "WATCH": Reset(), "GET": Answer(500)}
    rules = [
        field.proxy.plan.add(Rule(fault, partial(_is, verb), per_target=1))
        for verb, fault in faults.items()
    ]
    return Strike(lambda: max(field.started_again(), *(rule.last_at for rule in rules)), rules[0])


def _is(verb: str, subject: Subject) -> bool:
    return subject.verb == verb


def _travel(field: Field) -> Strike:
    """It starts again behind an API server that is behind: what has happened since comes late."""
    field.operator.kill()
    late = field.proxy.plan.add(Rule(Delay(LATE_SECONDS), field.events))
    rule = field.proxy.plan.add(Rule(StaleList(), lambda one: one.verb == "LIST", per_target=1))
    return Strike(lambda: max(rule.last_at, late.over_at(), field.started_again()), rule)


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
    _events("each event 5 s late", Delay(5.0)),
    _events("each event twice", Duplicate()),
    _events("events in another order", Swap()),
    _events("each watch mute", Mute(), per_watch=1),
    Perturbation("restart on stale lists", _stale),
    Perturbation("restart, each read refused once", _unread),
    Perturbation("time travel", _freeze, again=_travel, limited=False),
    Perturbation("operator down at the change", _down),
    Perturbation("token refused for 2 s", _expire),
    Perturbation("token rotated", _rotate),
    Perturbation("outage of 10 s", _outage(10.0), may_end=1),
    Perturbation(
        "outage of 60 s",
        _outage(60.0),
        may_end=1,
        only=frozenset(("create", "endpoint added")),
        health=True,
    ),
    Perturbation(
        "outage of 60 s, no election",
        _outage(60.0),
        only=frozenset(("endpoint added",)),
        health=True,
        environment={"LEADER_ELECTION": "false"},
    ),
)
