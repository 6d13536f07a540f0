"""A queue of keys: each at most once, never two runs of one key at the same time."""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class WorkQueue(Generic[K]):
    """Keys that want a pass.

    A key added while its pass runs is handed out again when that pass is done, so no change is
    lost (field case KO-05). `clock` gives seconds, monotonic; the running loop's by default.
    """

    def __init__(self, *, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or asyncio.get_running_loop().time
        self._ready: deque[K] = deque()
        self._since: dict[K, float] = {}
        self._running: set[K] = set()
        self._again: set[K] = set()
        self._later: list[tuple[float, int, K]] = []
        self._due: dict[K, float] = {}
        self._serial = 0
        self._wake = asyncio.Event()

    def __len__(self) -> int:
        """Keys that wait now, those due later apart."""
        return len(self._ready) + len(self._again)

    def add(self, key: K) -> None:
        """Wants a pass as soon as possible."""
        self._due.pop(key, None)
        if key in self._running:
            self._again.add(key)
        elif key not in self._since:
            self._since[key] = self._clock()
            self._ready.append(key)
            self._wake.set()

    def add_after(self, key: K, seconds: float) -> None:
        """Wants a pass in so many seconds; an earlier wish for the key stands."""
        due = self._clock() + seconds
        if key in self._since or self._due.get(key, due + 1) <= due:
            return
        self._due[key] = due
        self._serial += 1
        heapq.heappush(self._later, (due, self._serial, key))
        self._tidy()
        self._wake.set()

    def postpone(self, key: K, seconds: float) -> None:
        """A wish for a pass as soon as possible becomes one for then; no wish stays none."""
        if key in self._since or key in self._again:
            self.forget(key)
            self.add_after(key, seconds)

    def forget(self, key: K) -> None:
        """Wants no pass any more; a running one goes on to its end."""
        self._due.pop(key, None)
        self._again.discard(key)
        if self._since.pop(key, None) is not None:
            self._ready.remove(key)

    async def get(self) -> tuple[K, float]:
        """The next key and the seconds that it has waited; `done` must follow."""
        while True:
            pause = self._promote()
            if self._ready:
                key = self._ready.popleft()
                waited = self._clock() - self._since.pop(key)
                self._running.add(key)
                return key, waited
            self._wake.clear()
            try:
                async with asyncio.timeout(pause):  # wait_for may swallow a cancellation
                    await self._wake.wait()
            except TimeoutError:
                continue

    def done(self, key: K) -> None:
        """The pass of the key has ended."""
        self._running.discard(key)
        if key in self._again:
            self._again.discard(key)
            self.add(key)

    def _tidy(self) -> None:
        """Clears wishes away that others have replaced, once they are the most: each pass makes
        one, and it would stay until its time."""
        if len(self._later) > 2 * len(self._due) + 16:
            self._later = [(due, n, key) for n, (key, due) in enumerate(self._due.items())]
            heapq.heapify(self._later)

    def _promote(self) -> float | None:
        """Moves what is due to the ready ones; seconds until the next one, or None."""
        now = self._clock()
        while self._later:
            due, _, key = self._later[0]
            if self._due.get(key) != due:
                heapq.heappop(self._later)
            elif due <= now:
                heapq.heappop(self._later)
                self.add(key)
            else:
                return due - now
        return None
