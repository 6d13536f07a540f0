"""Scenarios side by side, each shard with a control plane, a proxy and an operator of its own."""

import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from faults.harness import Harness
from faults.scenario import Scenario
from faults.score import Row

Cluster = Callable[[int], AbstractContextManager[Harness]]
"""The harness of the nth shard, while the block lasts."""
Play = Callable[[Harness, Scenario], Iterator[Row]]


News = tuple[int, str, Row | BaseException | None]
"""Shard and scenario, with a row, a failure, or the end of the scenario."""


@dataclass
class _Part:
    """What is known of a scenario."""

    rows: list[Row] = field(default_factory=list)
    ended: bool = False


@dataclass
class Shards:
    """`rows` plays scenarios side by side. `on_row` hears of each row as it comes, with the number
    of the shard; `stop`, once set, ends what is under way."""

    cluster: Cluster
    play: Play
    stop: threading.Event = field(default_factory=threading.Event)
    on_row: Callable[[int, Row], None] = lambda *_: None
    _work: "queue.SimpleQueue[Scenario]" = field(default_factory=queue.SimpleQueue)
    _told: "queue.SimpleQueue[News]" = field(default_factory=queue.SimpleQueue)

    def rows(self, scenarios: Sequence[Scenario], *, jobs: int) -> Generator[list[Row], None, None]:
        """The rows of each scenario, in their order; those that take longest begin first. Raises
        what a shard did. Close it: then every shard has ended."""
        for one in sorted(scenarios, key=lambda one: -one.seconds):
            self._work.put(one)
        threads = [threading.Thread(target=self._shard, args=(number,)) for number in range(jobs)]
        for thread in threads:
            thread.start()
        try:
            yield from self._in_order(scenarios)
        finally:
            self.stop.set()
            for thread in threads:
                thread.join()

    def _shard(self, number: int) -> None:
        try:
            with self.cluster(number) as harness:
                while not self.stop.is_set():
                    self._play(number, harness, self._work.get_nowait())
        except queue.Empty:
            pass
        except BaseException as error:  # noqa: BLE001 - told to whoever waits for the rows
            self._told.put((number, "", error))

    def _play(self, number: int, harness: Harness, scenario: Scenario) -> None:
        for row in self.play(harness, scenario):
            self._told.put((number, scenario.name, row))
        harness.forget(scenario)
        self._told.put((number, scenario.name, None))

    def _in_order(self, scenarios: Sequence[Scenario]) -> Iterator[list[Row]]:
        parts = {one.name: _Part() for one in scenarios}
        left = [one.name for one in scenarios]
        while left:
            shard, name, news = self._told.get()
            match news:
                case Row():
                    parts[name].rows.append(news)
                    self.on_row(shard, news)
                case None:
                    parts[name].ended = True
                case BaseException():
                    raise news
            while left and parts[left[0]].ended:
                yield parts[left.pop(0)].rows
