"""Name, labels and owner of every object that we make."""

from collections.abc import Mapping
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.model.manifests import ChildKey, Kind, Manifest
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.raw import present


def metadata(
    router: SemanticRouter,
    name: str,
    annotations: Mapping[str, str] | None = None,
    *,
    owned: bool = True,
) -> dict[str, Any]:
    """`metadata` of an object in the router's namespace, owned by the router unless said.

    A router without a uid (a file that never was in a cluster) owns nothing: the reference is
    left out, since no API server would take it.
    """
    return present(
        {
            "annotations": {**(annotations or {}), **full_name(router)},
            "labels": labels(router),
            "name": name,
            "namespace": router.namespace,
            "ownerReferences": _owners(router) if owned else [],
        }
    )


def labels(router: SemanticRouter) -> dict[str, str]:
    """Labels of every object and pod; a superset of the selector, and never a version (OP-06)."""
    return dict(sorted(names.child_labels(router.name).items()))


def full_name(router: SemanticRouter) -> dict[str, str]:
    """The annotation that carries the router's name where a label could not (field case OP-13)."""
    if names.limited(router.name) == router.name:
        return {}
    return {names.ANNOTATION_ROUTER: router.name}


def manifest(router: SemanticRouter, kind: Kind, body: Mapping[str, Any]) -> Manifest:
    """The body with its apiVersion and kind, in the key order of `kubectl get -o yaml`."""
    whole = {"apiVersion": kind.api_version, "kind": kind.kind, **body}
    return Manifest(
        kind=kind,
        namespace=router.namespace,
        name=whole["metadata"]["name"],
        body=dict(sorted(whole.items())),
    )


def workload_key(router: SemanticRouter, kind: Kind) -> ChildKey:
    """Identity of the Deployment, Service, HPA or Route of the router."""
    return ChildKey(kind, router.namespace, names.workload(router.name))


def _owners(router: SemanticRouter) -> list[dict[str, Any]]:
    if not router.metadata.uid:
        return []
    return [
        {
            "apiVersion": names.API_VERSION,
            "blockOwnerDeletion": True,
            "controller": True,
            "kind": names.KIND,
            "name": router.name,
            "uid": router.metadata.uid,
        }
    ]
