import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from cluster.live_objects import Place
from faults.access import HarnessError
from faults.harness import Harness
from faults.scenario import Scenario, nothing
from faults.score import Row
from faults.shards import Shards


def always(place: Place) -> bool:
    return True


def scenario(name: str, seconds: float = 1.0) -> Scenario:
    return Scenario(name, nothing, always, nothing, seconds=seconds)


class Clusters:
    """Harnesses that note which scenario they forgot."""

    def __init__(self) -> None:
        self.forgotten: list[str] = []
        self.open = 0

    def forget(self, one: Scenario) -> None:
        self.forgotten.append(one.name)

    @contextmanager
    def __call__(self, number: int) -> Iterator[Harness]:
        self.open += 1
        try:
            yield cast("Any", self)
        finally:
            self.open -= 1


def test_the_rows_of_scenarios_come_whole_and_in_order_however_long_each_takes() -> None:
    second_is_over = threading.Event()

    def play(_: Harness, one: Scenario) -> Iterator[Row]:
        yield Row(one.name, "a")
        if one.name == "first":
            assert second_is_over.wait(5)
        yield Row(one.name, "b")
        if one.name == "second":
            second_is_over.set()

    clusters, heard = Clusters(), []
    shards = Shards(clusters, play, on_row=lambda _, row: heard.append(row))
    found = list(shards.rows([scenario("first"), scenario("second")], jobs=2))
    told = [[(row.scenario, row.perturbation) for row in rows] for rows in found]
    assert told == [[("first", "a"), ("first", "b")], [("second", "a"), ("second", "b")]]
    assert (len(heard), sorted(clusters.forgotten), clusters.open) == (4, ["first", "second"], 0)


def test_what_takes_longest_begins_first() -> None:
    played: list[str] = []

    def play(_: Harness, one: Scenario) -> Iterator[Row]:
        played.append(one.name)
        yield Row(one.name, "a")

    shards = Shards(Clusters(), play)
    names = [rows[0].scenario for rows in shards.rows([scenario("s"), scenario("l", 9)], jobs=1)]
    assert (names, played) == (["s", "l"], ["l", "s"])


def test_a_shard_that_breaks_ends_all_and_is_told() -> None:
    def play(_: Harness, one: Scenario) -> Iterator[Row]:
        yield Row(one.name, "a")
        message = "no more"
        raise HarnessError(message)

    clusters = Clusters()
    shards = Shards(clusters, play)
    with pytest.raises(HarnessError, match="no more"):
        list(shards.rows([scenario("a"), scenario("b"), scenario("c")], jobs=2))
    assert shards.stop.is_set()
    assert clusters.open == 0
