"""A SemanticRouter as a watch brings it: what the controller asks of it before anybody reads it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from typing_extensions import override

from semantic_router_operator import names


class RouterKey(NamedTuple):
    """Which router."""

    namespace: str
    name: str

    @override
    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


def key_of(body: Mapping[str, Any]) -> RouterKey:
    """Which router the body is of."""
    return RouterKey(body["metadata"]["namespace"], body["metadata"]["name"])


def is_ending(body: Mapping[str, Any]) -> bool:
    """Whether the router is being deleted."""
    return "deletionTimestamp" in body["metadata"]


def is_held(body: Mapping[str, Any]) -> bool:
    """Whether the Go operator's finalizer keeps the router from going away (docs/adr/0010)."""
    return names.FORMER_FINALIZER in (body["metadata"].get("finalizers") or ())


def lean(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The body without what nobody reads and what takes most of the memory."""
    metadata = {key: part for key, part in body["metadata"].items() if key != "managedFields"}
    return {**body, "metadata": metadata}


def outdated(body: Mapping[str, Any], known: Mapping[str, Any], *, ends: bool) -> bool:
    """Whether what `body` tells is no news. That the very same object ends always is."""
    final = ends and body["metadata"]["uid"] == known["metadata"]["uid"]
    return older(body, known) and not final


def older(body: Mapping[str, Any], than: Mapping[str, Any]) -> bool:
    """Whether `body` is an earlier state of the object, or of a predecessor of the same name.

    resourceVersions of one kind are decimal and grow (Kubernetes API concepts, "Resource
    versions"). kopf hands the events of each uid to a worker of its own: the last ones of a router
    that was deleted may come after the first ones of its successor.
    """
    mine, other = body["metadata"], than["metadata"]
    return int(mine["resourceVersion"]) < int(other["resourceVersion"])


def facets(body: Mapping[str, Any]) -> dict[str, Any]:
    """What of a CR a pass depends on; labels and other annotations aren't (SR-10)."""
    metadata = body["metadata"]
    return {
        "rollback": (metadata.get("annotations") or {}).get(names.ANNOTATION_ROLLBACK_TO),
        "uid": metadata["uid"],
        "generation": metadata.get("generation"),
        "ending": is_ending(body),
        "status": body.get("status"),
    }
