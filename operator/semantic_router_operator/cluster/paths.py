"""Where an object is on the API server."""

from urllib.parse import quote

from semantic_router_operator import names
from semantic_router_operator.model.manifests import ChildKey


def object_path(key: ChildKey) -> str:
    """The path of its own, quoted."""
    return f"{key.kind.path}/namespaces/{key.namespace}/{key.kind.plural}/{quote(key.name)}"


def router_path(namespace: str, name: str) -> str:
    """The path of a SemanticRouter, quoted."""
    return f"/apis/{names.API_VERSION}/namespaces/{namespace}/{names.PLURAL}/{quote(name)}"
