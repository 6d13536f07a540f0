"""What goes wrong, and when: rules that a test adds and the proxy asks. Nothing here does I/O."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from faults.subject import Subject


@dataclass(frozen=True, slots=True)
class Answer:
    """The request isn't sent on; the client gets this."""

    code: int
    retry_after: int | None = None


@dataclass(frozen=True, slots=True)
class Kill:
    """The operator is killed before the request is sent, or after it is committed."""

    when: Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer for so long, then a closed connection; the request isn't sent on."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reset:
    """The connection is closed: before the request is sent on, or after it is committed."""

    committed: bool = False


@dataclass(frozen=True, slots=True)
class StaleList:
    """The LIST is answered as it was when somebody last froze the answers."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The event never comes."""


@dataclass(frozen=True, slots=True)
class Delay:
    """The event is shown so long after it came, and never before one that came earlier."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The event comes twice."""


@dataclass(frozen=True, slots=True)
class Swap:
    """The event comes after the next one, or half a second later when there is none."""


@dataclass(frozen=True, slots=True)
class Gone:
    """Instead of the event the watch ends with 410."""


@dataclass(frozen=True, slots=True)
class Mute:
    """The watch stays open and says nothing any more."""


RequestFault = Answer | Kill | Hang | Reset | StaleList
EventFault = Drop | Delay | Duplicate | Swap | Gone | Mute
Fault = RequestFault | EventFault


@dataclass(slots=True)
class Rule:
    """A fault for the subjects that `match` takes.

    The first `skip` are spared; `times` bounds how often it strikes, `per_target` how often it
    does for each verb and path; `seconds` is how long it holds, from when it was added.
    """

    fault: Fault
    match: Callable[[Subject], bool]
    skip: int = 0
    times: int | None = None
    per_target: int | None = None
    seconds: float | None = None
    hits: int = 0
    last_at: float = 0.0
    """When it struck last, on the plan's clock."""
    _since: float = 0.0
    _targets: dict[tuple[str, str], int] = field(default_factory=dict)

    def begin(self, now: float) -> None:
        """It holds from now on."""
        self._since = now

    def strikes(self, subject: Subject, now: float) -> bool:
        """Whether it strikes this subject; it counts."""
        if not self.open(now) or not self.match(subject):
            return False
        if self.skip:
            self.skip -= 1
            return False
        target = (subject.verb, subject.path)
        struck = self._targets.get(target, 0)
        if self.per_target is not None and struck >= self.per_target:
            return False
        self._targets[target] = struck + 1
        self.hits += 1
        self.last_at = now
        return True

    def over_at(self) -> float:
        """When it was over, as far as is known now: its last strike, or the end of its time, and
        what the fault itself makes people wait for. A request that hangs could be sent again at
        once."""
        ended = self.last_at if self.seconds is None else self._since + self.seconds
        match self.fault:
            case Answer(_, int(wait)) | Delay(wait):
                return ended + wait
            case _:
                return ended

    def open(self, now: float) -> bool:
        """Whether its time isn't over, nor its number used up."""
        in_time = self.seconds is None or now - self._since < self.seconds
        return in_time and (self.times is None or self.hits < self.times)


class Plan:
    """The rules in force; the first that strikes wins. Tests and the proxy use it from threads of
    their own."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rules: list[Rule] = []

    def add(self, rule: Rule) -> Rule:
        """In force from now on; the rule tells how often it struck."""
        with self._lock:
            rule.begin(self._clock())
            self._rules.append(rule)
        return rule

    def clear(self) -> None:
        """Nothing goes wrong any more."""
        with self._lock:
            self._rules.clear()

    def on_request(self, subject: Subject) -> RequestFault | None:
        """What happens to the request."""
        rule = self._struck(subject, lambda fault: isinstance(fault, RequestFault))
        return rule.fault if rule and isinstance(rule.fault, RequestFault) else None

    def on_event(self, subject: Subject) -> EventFault | None:
        """What happens to the event."""
        rule = self._struck(subject, lambda fault: isinstance(fault, EventFault))
        return rule.fault if rule and isinstance(rule.fault, EventFault) else None

    def _struck(self, subject: Subject, of_kind: Callable[[Fault], bool]) -> Rule | None:
        """The first rule of the kind that strikes."""
        now = self._clock()
        with self._lock:
            for rule in self._rules:
                if of_kind(rule.fault) and rule.strikes(subject, now):
                    return rule
        return None


_REASONS = {
    401: "Unauthorized",
    409: "Conflict",
    410: "Expired",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
}


def status_body(code: int, retry_after: int | None = None) -> bytes:
    """The Status that an API server would send."""
    details = {} if retry_after is None else {"retryAfterSeconds": retry_after}
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f"the fault proxy answers {code}",
        "reason": _REASONS.get(code, "InternalError"),
        "details": details,
        "code": code,
    }
    return json.dumps(status).encode()
