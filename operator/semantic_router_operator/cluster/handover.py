"""spec.replicas of a Deployment, let go without a moment in which it falls back to 1."""

from collections.abc import Mapping
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.errors import ApiConflict, ApiNotFound
from semantic_router_operator.model.manifests import ChildKey

ATTEMPTS: Final = 5


async def hand_over_replicas(client: Client, key: ChildKey) -> None:
    """Before we let go of spec.replicas, somebody else holds the live value: a field without an
    owner would fall back to its default of 1 (Kubernetes docs, server-side apply, "Transferring
    ownership"). The resourceVersion keeps us from undoing a scaling that comes in between; status
    updates move it too, so that it may take some attempts."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            raw = await client.get(object_path(key))
        except ApiNotFound:
            return
        try:
            await client.apply(
                object_path(key), _scale(key, raw), force=True, manager=names.SCALE_HANDOVER_MANAGER
            )
        except ApiConflict:
            if attempt == ATTEMPTS:
                raise
        else:
            return


def _scale(key: ChildKey, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The live number of replicas as the body of an apply, and nothing else."""
    identity = {name: raw["metadata"][name] for name in ("uid", "resourceVersion")}
    return {
        "apiVersion": key.kind.api_version,
        "kind": key.kind.kind,
        "metadata": {"name": key.name, "namespace": key.namespace, **identity},
        "spec": {"replicas": raw["spec"]["replicas"]},
    }
