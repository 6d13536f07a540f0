"""What a request is about, from its method and URL."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from typing_extensions import override

WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
EVENT = "EVENT"
"""The verb of an object that a watch brings."""
_NOTES = frozenset({"events", "leases", "tokenreviews", "subjectaccessreviews"})
"""What is no state of a router, or asks though it is written."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A request, or one event of a watch."""

    verb: str
    """GET, LIST, WATCH, EVENT, or the method of a write."""
    path: str
    resource: str = ""
    """Plural, with the subresource: `semanticrouters/status`."""
    namespace: str = ""
    name: str = ""

    @property
    def is_write(self) -> bool:
        """Whether it changes an object; Events and Leases apart."""
        return self.verb in WRITES and self.resource.partition("/")[0] not in _NOTES

    def event(self, raw: Mapping[str, Any]) -> "Subject":
        """The event that this watch brings."""
        metadata = (raw.get("object") or {}).get("metadata") or {}
        namespace, name = metadata.get("namespace", ""), metadata.get("name", "")
        return Subject(EVENT, self.path, self.resource, namespace, name)

    @override
    def __str__(self) -> str:
        return " ".join(filter(None, (self.verb, self.resource or self.path, self.name)))


def subject(method: str, target: str) -> Subject:
    """The subject of a request; `target` is its path with the query, still quoted."""
    parts = urlsplit(target)
    query = parse_qs(parts.query)
    steps = [unquote(step) for step in parts.path.strip("/").split("/")]
    rest = steps[2:] if steps[0] == "api" else steps[3:]
    if steps[0] not in {"api", "apis"} or not rest:
        return Subject(method, parts.path)
    namespace = ""
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] not in {"status", "finalize"}:
        namespace, rest = rest[1], rest[2:]
    resource = "/".join((rest[0], *rest[2:3]))
    name = rest[1] if len(rest) > 1 else ""
    return Subject(_verb(method, query, name), parts.path, resource, namespace, name)


def _verb(method: str, query: Mapping[str, list[str]], name: str) -> str:
    if method != "GET":
        return method
    if query.get("watch", ["0"])[0] in {"1", "true", "True"}:
        return "WATCH"
    return "GET" if name else "LIST"


def json_only(accept: str) -> str:
    """An Accept header without protobuf, which nothing here reads."""
    kept = [part for part in accept.split(",") if "protobuf" not in part]
    return ",".join(kept).strip() or "application/json"
