"""Who wrote while another held the Lease, read from the API server's audit log.

Every process has a token of its own, whose id is in each audit event. What was committed is ordered
by resourceVersion, which is etcd's one counter for all objects; what wasn't, by time.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from typing_extensions import override

WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})
POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: RequestResponse
  userGroups: ["system:serviceaccounts:{namespace}"]
  verbs: [create, update, patch, delete, deletecollection]
- level: Metadata
  userGroups: ["system:serviceaccounts:{namespace}"]
- level: None
"""
"""The operators' writes with what was answered; nothing of anybody else."""
_CREDENTIAL = "authentication.kubernetes.io/credential-id"


@dataclass(frozen=True, slots=True)
class Request:
    """A request of an operator that the API server has done with."""

    who: str
    """Id of the token."""
    verb: str
    about: str
    """`resource/subresource namespace/name`."""
    code: int
    received: float
    done: float
    """Seconds since 1970, by the API server's clock."""
    revision: int = 0
    """resourceVersion of the object that was answered; 0 where there was none."""
    holder: str = ""
    """Of a write to the Lease: the holder that it names."""

    @property
    def of_lease(self) -> bool:
        """Whether it is about a Lease."""
        return self.about.startswith("leases ")

    @property
    def is_write(self) -> bool:
        """Whether it asks for a change; the Lease apart."""
        return self.verb in WRITES and not self.of_lease

    @override
    def __str__(self) -> str:
        return f"{self.verb} {self.about} ({self.code})"


@dataclass(frozen=True, slots=True)
class Lead:
    """From when on somebody held the Lease: "" once it was given back."""

    who: str
    revision: int
    done: float


def read(log: Path) -> list[Request]:
    """The requests of an audit log that was written by POLICY, in the order of their end."""
    with log.open() as lines:
        found = [_request(json.loads(line)) for line in lines if line.endswith("\n")]
    return sorted((one for one in found if one is not None), key=lambda one: one.done)


def _request(event: dict[str, Any]) -> Request | None:
    if event["stage"] == "ResponseStarted":  # a watch; its end is told as well
        return None
    ref = event.get("objectRef") or {}
    answer, asked = event.get("responseObject") or {}, event.get("requestObject") or {}
    version = str((answer.get("metadata") or {}).get("resourceVersion") or "0")
    resource = "/".join(filter(None, (ref.get("resource"), ref.get("subresource"))))
    name = "/".join(filter(None, (ref.get("namespace"), ref.get("name"))))
    return Request(
        who=event["user"].get("extra", {}).get(_CREDENTIAL, [""])[0],
        verb=event["verb"],
        about=f"{resource} {name}",
        code=(event.get("responseStatus") or {}).get("code", 0),
        received=_seconds(event["requestReceivedTimestamp"]),
        done=_seconds(event["stageTimestamp"]),
        revision=int(version) if version.isdigit() else 0,
        holder=(asked.get("spec") or {}).get("holderIdentity") or "",
    )


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()


class LeadLog:
    """The leads that the requests tell of, and what was done against them."""

    def __init__(self, requests: Sequence[Request]) -> None:
        self.requests = requests
        renewals = [
            Lead(one.who if one.holder else "", one.revision, one.done)
            for one in requests
            if one.of_lease and one.verb in WRITES and one.code in {200, 201}
        ]
        self._by_revision = sorted(renewals, key=lambda one: one.revision)
        self._revisions = [one.revision for one in self._by_revision]
        self._by_time = sorted(renewals, key=lambda one: one.done)
        self._times = [one.done for one in self._by_time]

    @property
    def leads(self) -> list[Lead]:
        """The first renewal of each lead, in order."""
        return list(_first(self._by_revision))

    def trespasses(self) -> list[Request]:
        """Writes by somebody who didn't hold the Lease when they were committed, or, where nothing
        was, when they came in. Events count."""
        return [one for one in self.requests if one.is_write and self._trespasses(one)]

    def _trespasses(self, write: Request) -> bool:
        before = self._by_time[: bisect_right(self._times, write.received)]
        known = max((one.revision for one in before), default=0)
        committed = 200 <= write.code < 300 and write.revision > known
        if committed:
            at = bisect_right(self._revisions, write.revision)
            return at == 0 or self._by_revision[at - 1].who != write.who
        # nothing new was made: its answer is older than a renewal that it came after
        last = max(before, key=lambda one: one.revision, default=None)
        return last is None or last.who != write.who

    def follower(self, of: str, since: float) -> Lead | None:
        """The first lead of somebody else that was acquired after that time."""
        return next(
            (one for one in self.leads if one.done > since and one.who not in {of, ""}), None
        )

    def first_write(self, lead: Lead) -> Request | None:
        """The first write of whoever holds the lead since then."""
        own = (one for one in self.requests if one.who == lead.who and one.is_write)
        return next((one for one in own if one.received >= lead.done), None)

    def lists(self, who: str, since: float, until: float) -> int:
        """How many lists somebody asked for between two times, those of the routers apart, which a
        new leader has before it acts."""
        return sum(
            one.verb == "list"
            and one.who == who
            and not one.about.startswith("semanticrouters")
            and since <= one.received <= until
            for one in self.requests
        )


def _first(renewals: Iterable[Lead]) -> Iterator[Lead]:
    holder = None
    for one in renewals:
        if one.who != holder:
            holder = one.who
            yield one
