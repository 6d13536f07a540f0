"""What the suite has measured: a table at the end of its output, and a file for other programs."""

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from e2e.traffic import Window


@dataclass(frozen=True)
class Disruption:
    """Something that happened while requests went on."""

    what: str
    requests: int
    failed: int
    slowest_ms: int


@dataclass(frozen=True)
class Duration:
    """How long something took, in seconds."""

    what: str
    count: int
    p50: float
    longest: float


@dataclass
class Figures:
    """Filled by the tests, in their order."""

    disruptions: list[Disruption] = field(default_factory=list)
    durations: list[Duration] = field(default_factory=list)

    def disruption(self, what: str, seen: Window) -> None:
        """What a client saw of it."""
        found = Disruption(what, seen.sent, seen.failed, seen.slowest_ms)
        self.disruptions.append(found)

    def duration(self, what: str, *seconds: float) -> None:
        """How long it took, each time."""
        found = Duration(what, len(seconds), statistics.median(seconds), max(seconds))
        self.durations.append(found)

    def lines(self) -> list[str]:
        """Both tables."""
        found = _table(
            ["while requests went on", "requests", "failed", "slowest ms"],
            [[one.what, one.requests, one.failed, one.slowest_ms] for one in self.disruptions],
        )
        rows = [
            [one.what, one.count, f"{one.p50:.1f}", f"{one.longest:.1f}"] for one in self.durations
        ]
        return [*found, "", *_table(["seconds", "times", "p50", "max"], rows)]

    def write(self, path: Path) -> None:
        """As JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")


def _table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> list[str]:
    texts = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[i]) for row in texts) for i in range(len(head))]
    return [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in texts
    ]
