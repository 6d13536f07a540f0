"""What the operator's probes say while something goes wrong, as kubelet would hear it."""

import http.client
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import NamedTuple, Self

PERIOD_SECONDS = 0.25
SILENCE_SECONDS = 5.0
"""How long nobody may answer: a leader that lost the Lease is started again."""
RECOVERY_SECONDS = 10.0


class Sample(NamedTuple):
    """Status codes at one moment, on the monotonic clock; 0 when nobody answered."""

    at: float
    live: int
    ready: int


class Probe:
    """Asks /healthz and /readyz all the time while the block runs."""

    def __init__(self, port: int) -> None:
        self.samples: list[Sample] = []
        self._port = port
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask_all, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _ask_all(self) -> None:
        while not self._stop.wait(PERIOD_SECONDS):
            at = time.monotonic()
            self.samples.append(Sample(at, self._ask("/healthz"), self._ask("/readyz")))

    def _ask(self, path: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=2)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()


def unhealthy(samples: Sequence[Sample], began: float, over: float) -> list[str]:
    """What was wrong with the probes, given when the API server went away and came back: liveness
    is to stay green, readiness to be red in the end, and green again soon after."""
    problems = []
    if bad := sorted({item.live for item in samples if item.live not in {0, 200}}):
        problems.append(f"liveness answered {bad} though only the API server was away")
    if (silent := _longest_silence(samples)) > SILENCE_SECONDS:
        problems.append(f"nobody answered /healthz for {silent:.1f} s")
    during = [item for item in samples if began <= item.at < over]
    if not during or during[-1].ready == 200:
        problems.append("readiness was green while the API server was away")
    after = [item for item in samples if item.at >= over and item.ready == 200]
    if not after or after[0].at - over > RECOVERY_SECONDS:
        problems.append(f"readiness wasn't green {RECOVERY_SECONDS:.0f} s after the outage")
    return problems


def _longest_silence(samples: Sequence[Sample]) -> float:
    longest, heard = 0.0, samples[0].at if samples else 0.0
    for item in samples:
        if item.live:
            heard = item.at
        longest = max(longest, item.at - heard)
    return longest
