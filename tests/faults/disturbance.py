"""What is done to a leader, and when."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from faults.contenders import Contender, Contenders

KILLS_PER_PAUSE = 3


@dataclass(frozen=True)
class Kill:
    """SIGKILL; a new one stands for election at once. `seconds` in all."""

    seconds: float = 30.0


@dataclass(frozen=True)
class Pause:
    """SIGSTOP for so long, then SIGCONT; `seconds` in all."""

    stopped: float = 60.0
    seconds: float = 90.0


@dataclass(frozen=True)
class Blow:
    """What was done to whom, and when, in seconds since 1970."""

    what: Kill | Pause
    leader: Contender
    at: float
    woken: float = 0.0
    """When a stopped one was let go on."""

    @override
    def __str__(self) -> str:
        verb = "killed" if isinstance(self.what, Kill) else f"stopped for {self.what.stopped:g} s"
        return f"{self.leader} {verb}"


def plan(seconds: float, *, every: float, pause: float) -> Sequence[Kill | Pause]:
    """Kills, and each fourth time a pause; no longer than `seconds` in all. After a pause comes a
    rest of `every`: who woke has lost the lead and ends, and is no standby before it runs again."""
    found: list[Kill | Pause] = []
    left = seconds
    whole = every * (math.ceil(pause / every) + 1)
    while left >= every:
        due = len(found) % (KILLS_PER_PAUSE + 1) == KILLS_PER_PAUSE
        found.append(Pause(pause, whole) if due and left >= whole else Kill(every))
        left -= found[-1].seconds
    return found


def disturb(them: Contenders, what: Kill | Pause) -> Blow:
    """Strikes whoever leads; returns after `what.seconds`. Raises HarnessError when nobody does."""
    number = them.leader()
    leader, at, began = them.running[number], time.time(), time.monotonic()
    woken = 0.0
    if isinstance(what, Kill):
        them.kill(number)
        them.start(number)
    else:
        them.pause(number)
        them.wait(what.stopped)
        woken = time.time()
        them.resume(number)
    them.wait(max(what.seconds - (time.monotonic() - began), 0.0))
    return Blow(what, leader, at, woken)
