"""ControllerRevisions of others; on a real API server: tests/cluster/test_live_revisions.py."""

from pathlib import Path
from typing import Any, cast

import pytest

from semantic_router_operator.cluster.revisions import Revisions
from semantic_router_operator.errors import NameConflict
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.parse import parse
from unit.cluster.fake_api import FakeApi, connected, fails, says

CONFIG = CanonicalConfig("version: v0.3\n", "sha256:a", "sha256:b")
ROUTER = parse({"metadata": {"name": "r", "namespace": "n", "uid": "u"}})


class NoChildren:
    """Nothing is cached."""

    def __init__(self) -> None:
        self.noted: list[object] = []

    def owned_by(self, _: str) -> tuple[()]:
        return ()

    def get(self, _: object) -> None:
        return None

    def note(self, key: object, _: object) -> None:
        self.noted.append(key)


def revisions(client: Any) -> Revisions:
    return Revisions(client, cast("Any", NoChildren()))


async def test_one_of_somebody_else_with_the_same_name_is_left_alone(tmp_path: Path) -> None:
    owner = {"kind": "StatefulSet", "name": "r", "uid": "x", "controller": True}
    foreign = {"metadata": {"name": "r-0", "namespace": "n", "ownerReferences": [owner]}}
    api = FakeApi({"LIST": [says(foreign)]})
    async with connected(api, tmp_path) as client:
        with pytest.raises(NameConflict, match="belongs to StatefulSet r"):
            await revisions(client).record(ROUTER, CONFIG)
    assert [request.method for request in api.asked] == ["GET"]


async def test_a_new_document_gets_number_one(tmp_path: Path) -> None:
    api = FakeApi({"LIST": [fails(404)], "PATCH": [says({})]})
    async with connected(api, tmp_path) as client:
        assert await revisions(client).record(ROUTER, CONFIG) == 1
