"""Recorded documents and ControllerRevisions of others; the rest is in test_live_revisions.py."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from cluster.cluster_room import Room, install_crd, owner, room
from semantic_router_operator.cluster.call import Call
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.cluster.revisions import Revisions
from semantic_router_operator.errors import ApiUnreachable, NameConflict
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import Recorded
from semantic_router_operator.objects.revision import revision_key

PODS: dict[str, object] = {"spec": {}}
CONFIG = CanonicalConfig("version: v0.3\n", "sha256:a", "sha256:b")

OTHER = CanonicalConfig("version: v0.3\nother: 1\n", "sha256:c", "sha256:d")


@pytest.fixture
async def at(admin: Path, kubectl: Callable[..., str]) -> AsyncIterator[Room]:
    install_crd(kubectl)
    async with room(admin) as found:
        yield found


async def test_a_revision_of_somebody_else_with_the_same_name_is_left_alone(
    at: Room, namespace: str
) -> None:
    router = await owner(at, namespace, "r")
    key = revision_key(router, CONFIG, PODS)
    body = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": key.name},
        "revision": 5,
        "data": {"theirs": "yes"},
    }
    path, _, _ = object_path(key).rpartition("/")
    before = await at.client.request(Call("POST", path, body=body))
    revisions = Revisions(at.client, at.cluster.children)
    with pytest.raises(NameConflict, match="belongs to nobody"):
        await revisions.record(router, CONFIG, PODS)
    assert await at.client.get(object_path(key)) == before


async def test_a_history_that_is_not_known_yet_is_no_empty_one(
    admin: Path, kubectl: Callable[..., str], namespace: str
) -> None:
    """Taken for empty, a rollback would end that stands."""
    install_crd(kubectl)
    async with room(admin, started=False) as blind:
        router = await owner(blind, namespace, "r")
        revisions = Revisions(blind.client, blind.cluster.children)
        with pytest.raises(ApiUnreachable):
            await revisions.read(router, 1)
    async with room(admin) as seeing:
        await seeing.cluster.children.ready()
        assert await Revisions(seeing.client, seeing.cluster.children).read(router, 1) is None


async def test_a_new_document_gets_number_one_and_is_not_written_again(
    at: Room, namespace: str
) -> None:
    router = await owner(at, namespace, "r")
    revisions = Revisions(at.client, at.cluster.children)
    assert await revisions.record(router, CONFIG, PODS) == Recorded(1)
    version = (await at.client.get(object_path(revision_key(router, CONFIG, PODS))))["metadata"]
    assert await revisions.record(router, CONFIG, PODS) == Recorded(1, former=1)
    again = (await at.client.get(object_path(revision_key(router, CONFIG, PODS))))["metadata"]
    assert again["resourceVersion"] == version["resourceVersion"]


@pytest.mark.parametrize("predecessors", [False, True], ids=["lacking", "of another uid"])
async def test_a_revision_that_the_caches_lack_keeps_its_number(
    at: Room,
    namespace: str,
    predecessors: bool,  # noqa: FBT001
) -> None:
    """As after a restart on lists of the past: a lower number would turn the history round."""
    router = await owner(at, namespace, "r")
    revisions = Revisions(at.client, at.cluster.children)
    assert (await revisions.record(router, CONFIG, PODS)).number == 1
    assert (await revisions.record(router, OTHER, PODS)).number == 2
    live = await at.client.get(object_path(revision_key(router, OTHER, PODS)))
    for config in (CONFIG, OTHER):
        at.cluster.children.forget(revision_key(router, config, PODS))
    if predecessors:
        live["metadata"] |= {"resourceVersion": "1", "uid": "gone"}
        live["metadata"]["ownerReferences"][0]["uid"] = "gone"
        at.cluster.children.note(revision_key(router, OTHER, PODS), live)
    assert (await revisions.record(router, OTHER, PODS)).number == 2
    live = await at.client.get(object_path(revision_key(router, OTHER, PODS)))
    assert live["revision"] == 2
