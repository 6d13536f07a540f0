"""How one run ended, and what is wrong with that."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from faults.seen import Seen, hasty
from faults.state import Object, State, differences, duplicates, normalised, orphans

EXTRA_SHARE = 0.5
EXTRA_AT_LEAST = 2
"""How many writes more than without the fault are fine: half as many again, or two."""


@dataclass(frozen=True)
class Trial:
    """How one run ended. `problems` is empty when it is as good as the run without faults."""

    state: State
    problems: tuple[str, ...]
    writes: int
    """Those that the API server made and the operator learned of; Events and Leases apart."""
    seconds: float
    """From the change to the last write that changed anything; to the end where that was wrong."""
    recovery: float = 0.0
    """The same from the moment on when the fault was over."""
    struck: bool = True
    attempts: int = 0
    """Writes that the operator asked for, whatever came of them."""
    kept: str = ""
    """Of the pods that there were before the change, how many are there in the end: `1/1`."""


@dataclass(frozen=True)
class Rules:
    """What a run has to keep to."""

    keeps_pods: bool = False
    """Every pod of before is there in the end."""
    limited: bool = False
    """The operator makes no more than half as many writes again as without the fault."""
    may_end: int = 0
    """How often the operator may end by itself."""
    struck: bool = True
    """Whether the perturbation found something to strike at."""


@dataclass(frozen=True)
class Ending:
    """What was found at the end of a run. Times are on the monotonic clock."""

    objects: Sequence[Object]
    standing: str
    """How the namespace is: there, ending or gone."""
    pods_before: frozenset[str]
    seen: Sequence[Seen]
    """The operator's writes to the namespace since the change."""
    began: float
    over: float
    """When the fault was over."""
    now: float
    ends: int = 0
    """How often the operator ended by itself."""

    @property
    def state(self) -> State:
        """What is compared between two runs. Pods are counted, and those of before as well, so that
        a restart for nothing is seen."""
        state = normalised(self.objects)
        return {**state, "namespace": self.standing, "pods of before": len(self._kept)}

    @property
    def _kept(self) -> frozenset[str]:
        return self.pods_before & pods(self.objects)

    def judged(self, reference: Trial | None, rules: Rules) -> Trial:
        """The trial; without a reference it is the run without faults itself."""
        state, writes = self.state, sum(item.told for item in self.seen)
        problems = [f"orphan: {name}" for name in orphans(self.objects)]
        problems += [f"duplicate: {name}" for name in duplicates(self.objects)]
        problems += hasty(self.seen)
        if rules.keeps_pods and self._kept != self.pods_before:
            problems.append("pods were restarted")
        if self.ends > rules.may_end:
            problems.append(f"the operator ended by itself {self.ends} times")
        if reference is not None:
            problems += differences(reference.state, state)
            most = allowed(reference.writes)
            if rules.limited and writes > most:
                problems.append(f"{writes} writes, of which {most} would have been fine")
        last = self.now if problems else max((s.at for s in self.seen if s.changed), default=0.0)
        return Trial(
            state,
            tuple(problems),
            writes,
            seconds=max(last - self.began, 0.0),
            recovery=max(last - max(self.over, self.began), 0.0),
            struck=rules.struck,
            attempts=len(self.seen),
            kept=f"{len(self._kept)}/{len(self.pods_before)}",
        )


def allowed(writes: int) -> int:
    """How many writes a run with a fault may make when one without it makes so many."""
    return writes + max(EXTRA_AT_LEAST, math.floor(writes * EXTRA_SHARE))


def pods(objects: Sequence[Object]) -> frozenset[str]:
    """The uids of the pods among the objects."""
    return frozenset(item["metadata"]["uid"] for item in objects if item["kind"] == "Pod")
