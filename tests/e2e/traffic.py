"""Requests from within the cluster, counted: what a client saw, second by second."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cluster.live_objects import Refused, until
from e2e import pods
from e2e.stage import Stage

START_SECONDS = 60.0
LONGEST_SECONDS = 30.0
"""A request gives up after 10 s; a log may lag."""


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
        """What was seen from a mark on, with all that was under way when this is called: a request
        counts in the second in which it ends, and one that hangs ends late."""
        now = len(self.lines())
        until(lambda: all_ended(self.lines(), now), seconds=LONGEST_SECONDS)
        found = Window()
        for line in self.lines()[since:]:
            found.add(line)
        assert found.sent, "no request has ended: this shows nothing"
        assert not found.skipped, "so many requests hang that others weren't sent"
        return found

    def watch(self, seconds: float) -> Window:
        """What is seen in the coming seconds."""
        mark = self.mark()
        time.sleep(seconds)
        return self.window(mark)


def all_ended(lines: Sequence[Mapping[str, Any]], by: int) -> bool:
    """Whether every request has ended that was under way in second `by`: the oldest of a later line
    began after it."""
    return any(line["oldest_ms"] <= 1000 * number for number, line in enumerate(lines[by:]))


@contextmanager
def traffic(
    stage: Stage, router: str, models: Sequence[str], *, rate: int = 10, keep_alive: bool = False
) -> Iterator[Traffic]:
    """A client of a router's Service; the block begins once all is answered."""
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
    """Whether a second went well, and nothing of before is under way: while kube-proxy makes a new
    Service known, requests are refused, and one may hang until it gives up."""
    try:
        return any(settled(line) for line in found.lines())
    except Refused:
        return False  # the container hasn't started


def settled(line: Mapping[str, Any]) -> bool:
    """Whether the second went well, and what is under way in its end began in it."""
    return bool(line["ok"] and not line["failed"] and line["oldest_ms"] <= 1000)
