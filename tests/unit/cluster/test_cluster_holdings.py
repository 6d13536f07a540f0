"""What a watch holds, beside what the watch tests show."""

from collections.abc import Mapping
from typing import Any

from semantic_router_operator.cluster.holdings import Holdings


def raw(name: str, version: int, **parts: Any) -> dict[str, Any]:
    metadata = {"namespace": "ns", "name": name, "resourceVersion": str(version)}
    return {"metadata": metadata, **parts}


def size(item: Mapping[str, Any]) -> int:
    return int(item["spec"]["size"])


def test_whatever_is_wrong_with_an_object_is_its_own_affair() -> None:
    """An OverflowError: what ends a watch ends it for every router."""
    holdings = Holdings(size, lambda old, new: None)
    holdings.put(raw("a", 1, spec={"size": float("inf")}))
    holdings.put(raw("b", 2, spec={"size": 1}))
    assert list(holdings.values()) == [1]


def test_an_object_that_can_not_be_read_is_not_there_and_the_others_are() -> None:
    told: list[tuple[int | None, int | None]] = []
    holdings = Holdings(size, lambda old, new: told.append((old, new)))
    holdings.put(raw("a", 1, spec={"size": 1}))
    holdings.put(raw("b", 2, spec="nonsense"))
    holdings.put(raw("a", 3, spec={}))
    holdings.put(raw("c", 4, spec={"size": 2}))
    assert list(holdings.values()) == [2]
    assert told == [(None, 1), (1, None), (None, 2)]


def test_an_object_that_can_be_read_again_is_there_again() -> None:
    holdings = Holdings(size, lambda old, new: None)
    holdings.put(raw("a", 1, spec={}))
    holdings.put(raw("a", 2, spec={"size": 3}))
    assert holdings.get(("ns", "a")) == 3
