"""What the controller remembers of a router from pass to pass."""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semantic_router_operator.model.body import lean, older

HASTE_SECONDS = 2.0
"""After so many seconds at most a name is asked for again whose object is going away; the event of
its end may hasten that. A longer Retry-After is the API server's own wish."""

PATIENCE_SECONDS = 60.0
"""For so long at most a Retry-After puts off the pass that an event asks for: somebody's proxy may
ask for an hour, and an edit wants an answer sooner."""


@dataclass(slots=True)
class KnownRouter:
    """The newest body, and how the passes went. Times are on the monotonic clock."""

    body: Mapping[str, Any]
    failures: int = 0
    retry_at: float = 0.0
    """When the delay after the last failure is over."""
    not_before: float = 0.0
    """The API server asked for a longer pause, until then."""
    doubted: Mapping[str, Any] | None = None
    """What was known when the last list had the router in an earlier state."""
    settled: object = None
    """What of the CR the last finished pass took in and left behind; an event that brings the
    same again needs no pass (field case OP-12)."""

    @property
    def pause(self) -> float:
        """Seconds for which no event may ask for a pass; none when that is over."""
        return self.not_before - time.monotonic()

    def failed(self, retry_after: float | None, *, first: float, longest: float) -> float:
        """Seconds until it is tried again: doubled each time from `first` to `longest`, with
        jitter, and never sooner than the API server asked for.

        A pass that an event woke before the delay was over doesn't lengthen it: a start has many.
        """
        now, asked = time.monotonic(), retry_after or 0.0
        if asked > HASTE_SECONDS:
            self.not_before = now + min(asked, PATIENCE_SECONDS)
        if now >= self.retry_at:
            self.failures += 1
            delay = min(longest, first * 2 ** min(self.failures - 1, 20))
            self.retry_at = now + delay * random.uniform(0.5, 1.0)  # noqa: S311
        return max(self.retry_at - now, asked)

    def succeeded(self) -> None:
        """The next failure is the first one again."""
        self.failures, self.retry_at = 0, 0.0

    def doubt(self, listed: Mapping[str, Any]) -> None:
        """Believes a list that is older than what was known at the list before it."""
        if not older(listed, self.body):
            self.doubted = None
        elif self.doubted is None:
            self.doubted = self.body
        elif older(listed, self.doubted):
            self.body, self.doubted = lean(listed), None
