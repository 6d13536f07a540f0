"""Whether a router is still there, asked of the API server before something is made for it.

What we hold of a router may be old: its deletion can come after those of its objects, and an API
server that lags behind lists routers that are gone. An object made then would be work for the
garbage collector at best; one without an owner, such as a claim that outlives its router, would
stay.
"""

from semantic_router_operator.cluster.call import METADATA
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.paths import router_path
from semantic_router_operator.errors import ApiNotFound, RouterError
from semantic_router_operator.model.router import SemanticRouter


async def is_gone(client: Client, router: SemanticRouter) -> bool:
    """Whether the router is gone, going, or another one of the same name; not known means no."""
    metadata = router.metadata
    try:
        raw = await client.get(router_path(metadata.namespace, metadata.name), accept=METADATA)
    except ApiNotFound:
        return True
    except RouterError:
        return False
    found = raw["metadata"]
    return found["uid"] != metadata.uid or "deletionTimestamp" in found
