"""Messages that stay the same while the state does: bounded, without names of pods or counters."""

import re
from collections.abc import Iterable, Sequence

from semantic_router_operator.model.canonical import Issue

LIMIT = 1024
"""UTF-8 bytes of a message: what an Event takes (events.k8s.io/v1, `note`)."""
SHOWN = 10
"""Findings that one message lists."""

_ELLIPSIS = "…"
_POD = re.compile(r'\bpods? "[^"]*"')
_VOLATILE = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"  # uid
    r"|\b[0-9a-f]{12,64}\b"  # container or sandbox
    r"|\b(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|h|m|s))+\b"  # duration
    r"|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*"  # time
)
_NODES = re.compile(r"^\d+/\d+ nodes are available:?\s*")
_COUNT = re.compile(r"^\d+ ")


def bounded(text: str, *, limit: int = LIMIT) -> str:
    """`text` in at most `limit` bytes of UTF-8; what can't be written in UTF-8 becomes `?`."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return data.decode()
    head = data[: limit - len(_ELLIPSIS.encode())].decode("utf-8", "ignore")
    return f"{head.rstrip()}{_ELLIPSIS}"


def joined(parts: Iterable[str], *, limit: int = LIMIT) -> str:
    """The parts with `; ` between them, as many as fit (at most 10), then `and N more`."""
    distinct = tuple(dict.fromkeys(parts))
    for count in range(min(len(distinct), SHOWN), 0, -1):
        rest = len(distinct) - count
        text = "; ".join((*distinct[:count], *([f"and {rest} more"] if rest else [])))
        if len(text.encode("utf-8", "replace")) <= limit:
            return bounded(text, limit=limit)
    if not distinct:
        return ""
    tail = f"; and {len(distinct) - 1} more" if len(distinct) > 1 else ""
    return bounded(distinct[0], limit=limit - len(tail)) + tail


def issues(found: Sequence[Issue]) -> str:
    """Findings about the document, each beginning with its field path."""
    return joined(issue.message if _has_path(issue) else str(issue) for issue in found)


def _has_path(issue: Issue) -> bool:
    head = issue.message[: len(issue.path)]
    return head == issue.path and issue.message[len(head) : len(head) + 1] in {":", ".", "["}


def unnamed(text: str) -> str:
    """`text` on one line, without names of pods: `pods "r-7d9-" is forbidden` tells of any pod."""
    return " ".join(_POD.sub("pod", text).split()).rstrip(".")


def steady(text: str, *, pod: str = "") -> str:
    """`text` without what moves while the trouble stays: names of pods, ids, durations, times."""
    if pod:
        text = text.replace(pod, _ELLIPSIS)
    return _VOLATILE.sub(_ELLIPSIS, unnamed(text))


def unschedulable(text: str, *, pod: str = "") -> str:
    """The scheduler's reasons without its counts of nodes, which move as nodes come and go.

    `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}.
    preemption: ...` becomes `Insufficient cpu, node(s) had untolerated taint {a: b}`.
    """
    head = steady(text, pod=pod).split(" preemption:")[0].rstrip(". ,")
    reasons = _NODES.sub("", head)
    return ", ".join(sorted({_COUNT.sub("", part.strip()) for part in _clauses(reasons) if part}))


def _clauses(text: str) -> list[str]:
    """Splits at commas that are outside braces."""
    return [part.strip() for part in re.split(r",(?![^{]*\})", text.replace(". ", ", "))]
