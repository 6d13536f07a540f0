"""Nothing stays in memory of a router that is gone, whoever removed its objects."""

import dataclasses
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from cluster.cluster_room import Room, config_map, install_crd, owner, room
from semantic_router_operator import names
from semantic_router_operator.model.router import SemanticRouter

Kubectl = Callable[..., str]


@pytest.fixture(scope="module")
def crd(kubectl: Kubectl) -> None:
    install_crd(kubectl)


@pytest.fixture
async def at(admin: Path, crd: None) -> AsyncIterator[Room]:
    async with room(admin) as found:
        yield found


@pytest.fixture
async def router(at: Room, namespace: str) -> SemanticRouter:
    return await owner(at, namespace, "r")


async def test_what_the_api_server_made_of_our_objects_is_forgotten(
    at: Room, router: SemanticRouter
) -> None:
    """The garbage collector removes the objects of a deleted router, not the writer."""
    writer, wanted = at.cluster.writer, config_map(router)
    body = {**wanted.body, "binaryData": {"a": "YQ==\n"}}
    await writer.apply(router, [dataclasses.replace(wanted, body=body)], ())
    assert len(writer._normalised) == 1, "YQ== comes without the end of the line"
    at.cluster.forget((router.namespace, router.name))
    assert not writer._normalised


async def test_what_the_api_server_made_of_its_status_is_forgotten(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    place = (names.PLURAL, router.name, "-n", router.namespace)
    theirs = '{"status":{"url":"http://theirs"}}'
    kubectl("patch", *place, "--subresource=status", "--type=merge", "-p", theirs)
    body = json.loads(kubectl("get", *place, "-o", "json"))
    await at.cluster.publisher.write_status(body, {"observedGeneration": 1})
    assert len(at.cluster.publisher._normalised) == 1, "their url stays"
    at.cluster.forget((router.namespace, router.name))
    assert not at.cluster.publisher._normalised


async def test_the_document_that_was_read_for_it_is_forgotten(
    at: Room, router: SemanticRouter
) -> None:
    await at.cluster.writer.apply(router, [config_map(router)], ())
    await at.cluster.writer.last_good(router)
    assert len(at.cluster.writer._last_good._live._known) == 1
    at.cluster.forget((router.namespace, router.name))
    assert not at.cluster.writer._last_good._live._known
