"""How long to wait before a request is tried again."""

import random

FIRST_RETRY_SECONDS = 0.2


def backoff(attempt: int, *, first: float = FIRST_RETRY_SECONDS, limit: float = 30.0) -> float:
    """Seconds before the next attempt: doubles, with jitter, up to `limit`."""
    longest = min(limit, first * 2.0 ** min(attempt - 1, 16))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311
