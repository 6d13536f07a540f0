"""One entry of spec.vllmEndpoints through `discover`, for tests of the adapters."""

from collections.abc import Iterable, Mapping
from typing import Any

from fakes.cluster_view import FakeView
from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.resolution import (
    LastKnown,
    Resolution,
    Resolved,
    Target,
    Unresolved,
)
from semantic_router_operator.ports import ClusterView

SECRET = {"auth": {"secretKeyRef": {"name": "keys", "key": "token"}}}
ROUTER_UID = "uid-router"


def router_body(*endpoints: Mapping[str, Any], **spec: Any) -> dict[str, Any]:
    """A router in namespace ml."""
    return {
        "metadata": {"name": "router", "namespace": "ml", "uid": ROUTER_UID},
        "spec": {"vllmEndpoints": list(endpoints), **spec},
    }


def entry(backend: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """An entry named `one` for model `m`."""
    return {"name": "one", "model": "m", "backend": backend, **more}


def resolution(
    backend: Mapping[str, Any],
    view: ClusterView | Iterable[Mapping[str, Any]] = (),
    *,
    policy: DiscoveryPolicy | None = None,
    last_known: tuple[Target, ...] = (),
    source: str | None = None,
    **more: Any,
) -> Resolution:
    """What becomes of one entry; `more` are further fields of it, such as connection.

    `last_known` are its targets in the previous status, of the object that `source` names: by
    default the very one that the entry refers to.
    """

    def found(known: Mapping[str, LastKnown]) -> Resolution:
        router = parse(router_body(entry(backend, **more)))
        seen = FakeView(view) if isinstance(view, Iterable) else view
        rules = policy or DiscoveryPolicy()
        return discover(router, seen, policy=rules, last_known=known).endpoints[0]

    if not last_known:
        return found({})
    own = found({}).source
    same = "" if own is None else str(own)
    known = LastKnown(backend["type"], same if source is None else source, last_known)
    return found({"one": known})


def resolved(*args: Any, **more: Any) -> Resolved:
    result = resolution(*args, **more)
    assert isinstance(result, Resolved), result
    return result


def unresolved(*args: Any, **more: Any) -> Unresolved:
    result = resolution(*args, **more)
    assert isinstance(result, Unresolved), result
    return result


def urls(*args: Any, **more: Any) -> list[str]:
    """The targets as URLs."""
    return [target.url for target in resolved(*args, **more).targets]


def reasons(result: Resolved) -> list[str]:
    """The reasons of the notes."""
    return [note.reason for note in result.notes]
