"""What the API server's audit log says about requests, whoever made them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

OPERATOR = "system:serviceaccount:semantic-router-operator-system:"
WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})


@dataclass(frozen=True, slots=True)
class Request:
    """A request that has been answered; a watch when it began."""

    ours: bool
    """The operator's."""
    verb: str
    resource: str
    """Plural, or the path where the request is about no resource."""
    code: int
    answered: float
    """Seconds since the epoch."""


def requests(log: Path, offset: int) -> Iterator[Request]:
    """All since that offset of the log, in bytes."""
    with log.open() as lines:
        lines.seek(offset)
        for line in lines:
            if not line.endswith("\n"):
                return  # it is being written
            event = json.loads(line)
            # a watch is logged when it begins and when it ends
            if event["verb"] == "watch" and event["stage"] != "ResponseStarted":
                continue
            yield Request(
                ours=event["user"].get("username", "").startswith(OPERATOR),
                verb=event["verb"],
                resource=event.get("objectRef", {}).get("resource") or event["requestURI"],
                code=(event.get("responseStatus") or {}).get("code", 0),
                answered=datetime.fromisoformat(event["stageTimestamp"]).timestamp(),
            )
