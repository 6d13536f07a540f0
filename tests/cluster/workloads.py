"""What the tests of the workload share: routers of a real API server, built and applied for real.

No operator process: the room's writer applies what `build` makes, so that each step is exact.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import quote

import objects_kit as kit
from cluster.cluster_room import Room
from semantic_router_operator import names
from semantic_router_operator.cluster.call import Call
from semantic_router_operator.errors import ApiNotFound
from semantic_router_operator.model.manifests import AppliedObject, Kind
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import Images, build

Kubectl = Callable[..., str]
Object = dict[str, Any]


def router_path(namespace: str, name: str = "") -> str:
    base = f"/apis/{names.API_VERSION}/namespaces/{namespace}/{names.PLURAL}"
    return f"{base}/{quote(name)}" if name else base


async def created(at: Room, namespace: str, name: str, **metadata: Any) -> SemanticRouter:
    """A SemanticRouter of the API server, with a uid that the garbage collector knows."""
    body = {
        "apiVersion": names.API_VERSION,
        "kind": names.KIND,
        "metadata": {"name": name, **metadata},
        "spec": {},
    }
    return parse(await at.client.request(Call("POST", router_path(namespace), body=body)))


def having(router: SemanticRouter, **spec: Any) -> SemanticRouter:
    """The router with that spec; the stored one stays as it is."""
    metadata = {key: getattr(router.metadata, key) for key in ("name", "namespace", "uid")}
    return parse({"metadata": metadata, "spec": spec})


async def applied(
    at: Room,
    router: SemanticRouter,
    *,
    only: Collection[Kind] = (),
    platform: Platform = kit.KUBERNETES,
) -> dict[str, AppliedObject]:
    """What became of each object, by kind; `only` some kinds are wanted where it is given."""
    built = build(router, kit.CONFIG, platform=platform, images=Images())
    assert [issue for issue in built.issues if issue.severity == "error"] == []
    wanted = [item for item in built.manifests if not only or item.kind in only]
    found = await at.cluster.writer.apply(router, wanted, built.withheld)
    return {item.key.kind.kind: item for item in found}


async def at_rest(at: Room, router: SemanticRouter, *, only: Collection[Kind] = ()) -> None:
    """A further pass neither reads nor writes."""
    at.requests.clear()
    found = await applied(at, router, only=only)
    assert {item.outcome for item in found.values()} <= {"unchanged", "rejected"}, found
    assert at.asked() == []


async def read(at: Room, path: str) -> Object | None:
    try:
        return await at.client.get(path)
    except ApiNotFound:
        return None


async def the(at: Room, kind: Kind, namespace: str, name: str) -> Object:
    return await at.client.get(f"{kind.path}/namespaces/{namespace}/{kind.plural}/{name}")


async def made(
    at: Room, kind: Kind, namespace: str, body: Mapping[str, Any], **query: str
) -> Object:
    """Creates it, as somebody else or as an earlier operator would."""
    whole = {"apiVersion": kind.api_version, "kind": kind.kind, **body}
    path = f"{kind.path}/namespaces/{namespace}/{kind.plural}"
    return await at.client.request(Call("POST", path, query, whole))
