"""A SemanticRouter of a cluster and its recorded revisions, read once for a command."""

import argparse
import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.cluster.call import MERGE_PATCH, Call
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.credentials import Credentials
from semantic_router_operator.errors import ApiNotFound, InvalidSpec, RouterError
from semantic_router_operator.model.manifests import CONTROLLER_REVISION, Revision
from semantic_router_operator.objects.revision import read_revision

FIELD_MANAGER = "semantic-router-operator-rollback"


@dataclass(frozen=True, slots=True)
class Kept:
    """A recorded revision, and when it was made (RFC 3339)."""

    revision: Revision
    created: str


@dataclass(frozen=True, slots=True)
class LiveRouter:
    """The router as the API server has it."""

    body: Mapping[str, Any]
    history: tuple[Kept, ...]
    """The oldest first."""

    @property
    def title(self) -> str:
        """`semanticrouter/<name>`."""
        return f"semanticrouter/{self.body['metadata']['name']}"

    @property
    def running(self) -> int | None:
        """status.config.revision."""
        return self._config("revision")

    @property
    def last_good(self) -> int | None:
        """status.config.lastGoodRevision."""
        return self._config("lastGoodRevision")

    def the(self, number: int) -> Revision:
        """The revision with that number. Raises InvalidSpec."""
        for kept in self.history:
            if kept.revision.number == number:
                return kept.revision
        known = ", ".join(str(kept.revision.number) for kept in self.history) or "none"
        message = f"{self.title} has no revision {number}; recorded are: {known}"
        raise InvalidSpec(message)

    def _config(self, key: str) -> int | None:
        found = ((self.body.get("status") or {}).get("config") or {}).get(key)
        return found if isinstance(found, int) else None


class Session:
    """One command's connection, in one namespace."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    async def router(self, name: str) -> LiveRouter:
        """The router and its history. Raises RouterError."""
        try:
            body = await self._client.get(self._path(name))
        except ApiNotFound:
            message = f"there is no SemanticRouter {name} in namespace {self._namespace}"
            raise InvalidSpec(message) from None
        kind = CONTROLLER_REVISION
        path = f"{kind.path}/namespaces/{self._namespace}/{kind.plural}"
        labels = {**names.selector_labels(name), names.LABEL_MANAGED_BY: names.MANAGED_BY}
        selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
        answer = await self._client.get(path, query={"labelSelector": selector})
        uid = body["metadata"]["uid"]
        owned = (item for item in answer.get("items") or () if _owned_by(item, uid))
        read = ((read_revision(item), item["metadata"]["creationTimestamp"]) for item in owned)
        found = [Kept(revision, created) for revision, created in read if revision is not None]
        return LiveRouter(body, tuple(sorted(found, key=lambda kept: kept.revision.number)))

    async def annotate(self, router: LiveRouter, value: str | None) -> None:
        """Sets or removes the wish. Raises ApiConflict when the router has changed meanwhile."""
        metadata = router.body["metadata"]
        patch = {
            "metadata": {
                "annotations": {names.ANNOTATION_ROLLBACK_TO: value},
                "resourceVersion": metadata["resourceVersion"],
            }
        }
        query = {"fieldManager": FIELD_MANAGER}
        path = self._path(metadata["name"])
        await self._client.request(Call("PATCH", path, query, patch, content_type=MERGE_PATCH))

    def _path(self, name: str) -> str:
        base = f"/apis/{names.API_VERSION}/namespaces/{self._namespace}"
        return f"{base}/{names.PLURAL}/{name}"


def told(options: argparse.Namespace, work: Callable[[Session], Awaitable[str]]) -> int:
    """Runs the work and prints what it says; errors go to standard error, exit code 1."""
    try:
        text = asyncio.run(_worked(options, work))
    except RouterError as error:
        sys.stderr.write(f"semantic-router-operator {options.command}: {error.message}\n")
        return 1
    sys.stdout.write(text)
    return 0


async def _worked(options: argparse.Namespace, work: Callable[[Session], Awaitable[str]]) -> str:
    async with _session(options) as session:
        return await work(session)


@contextlib.asynccontextmanager
async def _session(options: argparse.Namespace) -> AsyncIterator[Session]:
    credentials = await Credentials.of_user(options.kubeconfig, options.context)
    namespace = options.namespace or credentials.namespace or "default"
    async with Client(credentials) as client:
        yield Session(client, namespace)


def _owned_by(item: Mapping[str, Any], uid: str) -> bool:
    owners = item["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner["uid"] == uid for owner in owners)
