"""Requests from within the cluster, counted: what a client saw, second by second."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cluster.live_objects import Refused, until
from e2e import pods
from e2e.stage import Stage

START_SECONDS = 60.0


@dataclass
class Window:
    """What a client saw in some seconds on end."""

    ok: int = 0
    failed: int = 0
    skipped: int = 0
    attempts: int = 0
    slowest_ms: int = 0
    models: Counter[str] = field(default_factory=Counter)
    """Who answered, and how often."""
    errors: Counter[str] = field(default_factory=Counter)
    first: dict[str, float] = field(default_factory=dict)
    """Digest of a document -> when the first answer came that was made with it (Unix time)."""
    last: dict[str, float] = field(default_factory=dict)

    @property
    def sent(self) -> int:
        """Requests that have ended."""
        return self.ok + self.failed

    def share(self, model: str) -> float:
        """Part of the good answers that came from there."""
        return self.models[model] / max(self.ok, 1)

    def add(self, line: dict[str, Any]) -> None:
        """One second more."""
        for name in ("ok", "failed", "skipped", "attempts"):
            setattr(self, name, getattr(self, name) + line[name])
        self.slowest_ms = max(self.slowest_ms, line["slowest_ms"])
        self.models.update(line["models"])
        self.errors.update(line["errors"])
        for digest, seen in line["configs"].items():
            self.first.setdefault(digest, _seconds(seen["first"]))
            self.last[digest] = _seconds(seen["last"])


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@dataclass(frozen=True)
class Traffic:
    """A load client that runs as a pod."""

    stage: Stage
    pod: str

    def lines(self) -> list[dict[str, Any]]:
        """One for each second that is over."""
        text = self.stage.api.text(self.stage.path("pod", self.pod, "log"))
        whole = text[: text.rfind("\n") + 1].splitlines()
        return [json.loads(line) for line in whole if line.startswith("{")]

    def mark(self) -> int:
        """Where a window begins that has all that happens from now on."""
        return len(self.lines())

    def window(self, since: int = 0) -> Window:
        """What was seen from a mark on, the second that is under way included."""
        now = len(self.lines())
        until(lambda: len(self.lines()) > now, seconds=15)
        found = Window()
        for line in self.lines()[since:]:
            found.add(line)
        return found

    def watch(self, seconds: float) -> Window:
        """What is seen in the coming seconds."""
        mark = self.mark()
        time.sleep(seconds)
        return self.window(mark)


@contextmanager
def traffic(
    stage: Stage, router: str, models: Sequence[str], *, rate: int = 10, keep_alive: bool = False
) -> Iterator[Traffic]:
    """A client of a router's Service; the block begins once an answer has come."""
    name = f"load-{router}"
    url = f"http://{router}.{stage.namespace}.svc:8801/v1/chat/completions"
    args = ["load", f"-url={url}", f"-models={','.join(models)}", f"-rate={rate}"]
    if keep_alive:
        args.append("-keep-alive")
    stage.create("pod", name, spec=pods.spec("load", args, restart="Never"))
    found = Traffic(stage, name)
    until(lambda: _answered(found), seconds=START_SECONDS)
    try:
        yield found
    finally:
        stage.delete("pod", name)


def _answered(found: Traffic) -> bool:
    try:
        return any(line["ok"] for line in found.lines())
    except Refused:
        return False  # the container hasn't started
