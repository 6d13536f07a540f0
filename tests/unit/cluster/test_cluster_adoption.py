"""What is done with a router of the Go operator; on a real API server: tests/cluster."""

from pathlib import Path
from typing import Any, cast

from semantic_router_operator import names
from semantic_router_operator.cluster.adoption import Adoption
from unit.cluster.fake_api import FakeApi, connected, fails, says


def body(**metadata: Any) -> dict[str, Any]:
    held = {"name": "r", "namespace": "n", "uid": "u", "finalizers": [names.FORMER_FINALIZER]}
    return {"metadata": {**held, **metadata}, "spec": {"suspend": True}}


async def test_nothing_is_done_for_a_suspended_router(tmp_path: Path) -> None:
    api = FakeApi()
    async with connected(api, tmp_path) as client:
        assert not await Adoption(client, cast("Any", None)).adopt(body())
    assert api.asked == []


async def test_a_suspended_router_that_is_deleted_is_released(tmp_path: Path) -> None:
    api = FakeApi({"LIST": [fails(404)], "PATCH": [says({})]})
    ending = body(deletionTimestamp="2026-11-30T10:00:00Z")
    async with connected(api, tmp_path) as client:
        assert await Adoption(client, cast("Any", None)).adopt(ending)
    assert [request.method for request in api.asked][-1] == "PATCH"
