"""Brings a changed ConfigMap into the pods at once (docs/adr/0016).

The kubelet writes a ConfigMap into a running pod when it next looks at that pod: after a minute or
so by itself, and at once when the pod changes. So each pod is touched: an annotation tells the
version of the ConfigMap. The pod goes on as it is.
"""

import asyncio
import logging
from collections.abc import Sequence
from urllib.parse import quote

from semantic_router_operator import names
from semantic_router_operator.cluster.call import MERGE_PATCH, Call
from semantic_router_operator.cluster.children import Children
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.errors import ApiNotFound, RouterError
from semantic_router_operator.model.manifests import CONFIG_MAP, DEPLOYMENT, AppliedObject
from semantic_router_operator.model.router import SemanticRouter

logger = logging.getLogger(__name__)


class Delivery:
    """A help and no more: what fails here, the kubelet does by itself within two minutes."""

    def __init__(self, client: Client, children: Children) -> None:
        self._client = client
        self._children = children

    async def hurry(self, router: SemanticRouter, applied: Sequence[AppliedObject]) -> None:
        """Touches the router's pods if the ConfigMap was written, and the pods are those that the
        Deployment is to have: a document that comes with new pods may need what only they have.
        Don't call it when pods are replaced. Raises nothing."""
        written = {item.key.kind: item.key for item in applied if item.outcome == "applied"}
        settled = {item.key.kind for item in applied if item.as_wanted}
        if CONFIG_MAP not in written or DEPLOYMENT not in settled:
            return
        config = self._children.get(written[CONFIG_MAP])
        if config is None:
            return
        pods = self._children.pod_names(router.namespace, router.name)
        touches = (self._touch(router.namespace, pod, config.version) for pod in pods)
        failures = [text for text in await asyncio.gather(*touches) if text]
        if failures:
            place = f"{router.namespace}/{router.name}"
            logger.info("%s: the pods get the ConfigMap a little later: %s", place, failures[0])

    async def _touch(self, namespace: str, pod: str, version: str) -> str:
        """What went wrong, empty if nothing did."""
        path = f"/api/v1/namespaces/{namespace}/pods/{quote(pod)}"
        body = {"metadata": {"annotations": {names.ANNOTATION_CONFIG_VERSION: version}}}
        query = {"fieldManager": names.FIELD_MANAGER}
        try:
            await self._client.request(
                Call("PATCH", path, query=query, body=body, content_type=MERGE_PATCH)
            )
        except ApiNotFound:
            return ""
        except RouterError as error:
            return error.message
        return ""
