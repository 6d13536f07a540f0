"""What the operator's process needs, sampled from outside while it works."""

import os
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from installation import OperatorProcess

_METRIC = re.compile(r"^semantic_router_operator_(\w+) (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at the process. `at` in seconds, monotonic."""

    at: float
    resident: float
    """MiB"""
    descriptors: int
    tasks: int
    queue: int


def metrics(operator: OperatorProcess) -> dict[str, float]:
    """The metrics without labels, by their name without prefix; none when nobody answers."""
    return {name: float(value) for name, value in _METRIC.findall(operator.get("/metrics")[1])}


def resident(operator: OperatorProcess) -> float:
    """Resident memory in MiB."""
    return operator.resident_bytes / 2**20


def processor(operator: OperatorProcess) -> float:
    """Seconds of processor time that it has used so far."""
    fields = Path(f"/proc/{operator.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def look(operator: OperatorProcess) -> Sample | None:
    """A sample, None when the metrics don't answer in time."""
    found = metrics(operator)
    if "queue_depth" not in found:
        return None
    return Sample(
        at=time.monotonic(),
        resident=resident(operator),
        descriptors=sum(1 for _ in Path(f"/proc/{operator.pid}/fd").iterdir()),
        tasks=int(found["asyncio_tasks"]),
        queue=int(found["queue_depth"]),
    )


class Sampler:
    """Looks again and again, in a thread, while the block runs; `samples` is what it saw."""

    def __init__(self, operator: OperatorProcess, *, every: float) -> None:
        self.samples: list[Sample] = []
        self._operator = operator
        self._every = every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        """Begins."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends."""
        self._stop.set()
        self._thread.join(10)

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            found = look(self._operator)
            if found is not None:
                self.samples.append(found)
