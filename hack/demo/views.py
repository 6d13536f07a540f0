"""What a SemanticRouter and its objects say, read from JSON: the facts that the steps check."""

from collections.abc import Mapping
from typing import Any, NamedTuple

Object = Mapping[str, Any]


class Condition(NamedTuple):
    """One condition; `Unknown` and no reason where it isn't there."""

    status: str
    reason: str


class Backend(NamedTuple):
    """One backend of status.backends."""

    state: str
    reason: str
    urls: tuple[str, ...]


NOBODY = Backend("", "", ())


def condition(router: Object, kind: str) -> Condition:
    """The router's condition of that type, as far as it is about the newest spec."""
    status = router.get("status", {})
    for item in status.get("conditions", ()):
        if item["type"] == kind:
            current = item.get("observedGeneration") == router["metadata"]["generation"]
            return Condition(item["status"] if current else "Unknown", item["reason"])
    return Condition("Unknown", "")


def backend(router: Object, name: str) -> Backend:
    """The router's backend of that name, or NOBODY."""
    for item in router.get("status", {}).get("backends", ()):
        if item["name"] == name:
            urls = tuple(target["url"] for target in item.get("targets", ()))
            return Backend(item["state"], item["reason"], urls)
    return NOBODY


def summary(router: Object) -> str:
    """One line for a person who asks why it isn't as expected."""
    ready = condition(router, "Ready")
    backends = ", ".join(
        f"{item['name']} {item['state']}/{item['reason']}"
        for item in router.get("status", {}).get("backends", ())
    )
    replicas = router.get("status", {}).get("replicasSummary", "-")
    return f"Ready={ready.status} ({ready.reason}), replicas {replicas}, backends: {backends}"


def pods(listed: Object) -> frozenset[str]:
    """The uids of the pods of a list."""
    return frozenset(item["metadata"]["uid"] for item in listed.get("items", ()))


def missing(text: str, wanted: tuple[str, ...]) -> list[str]:
    """Those of `wanted` that no line of the text has; words of one entry stand in one line."""
    lines = [line.split() for line in text.splitlines()]
    return [entry for entry in wanted if not any(set(entry.split()) <= set(line) for line in lines)]
