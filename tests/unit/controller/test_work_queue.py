"""The work queue: each key once, never two runs of one key at the same time."""

import asyncio

import pytest

from semantic_router_operator.work_queue import WorkQueue


class Time:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def queue(time: Time) -> WorkQueue[str]:
    return WorkQueue(clock=time)


async def next_of(queue: WorkQueue[str]) -> str | None:
    """The next key, or None when none is ready."""
    try:
        key, _ = await asyncio.wait_for(queue.get(), 0.01)
    except TimeoutError:
        return None
    return key


async def test_a_key_added_twice_is_handed_out_once(queue: WorkQueue[str]) -> None:
    queue.add("a")
    queue.add("a")
    assert await next_of(queue) == "a"
    assert await next_of(queue) is None


async def test_keys_come_in_the_order_in_which_they_were_added(queue: WorkQueue[str]) -> None:
    for key in "cab":
        queue.add(key)
    assert [await next_of(queue) for _ in range(3)] == ["c", "a", "b"]


async def test_ko_05_a_key_added_during_its_pass_is_handed_out_again_afterwards(
    queue: WorkQueue[str],
) -> None:
    queue.add("a")
    assert await next_of(queue) == "a"
    queue.add("a")
    assert await next_of(queue) is None
    queue.done("a")
    assert await next_of(queue) == "a"
    queue.done("a")
    assert await next_of(queue) is None


async def test_a_key_for_later_comes_when_its_time_has_come(
    queue: WorkQueue[str], time: Time
) -> None:
    queue.add_after("a", 5)
    assert await next_of(queue) is None
    time.seconds = 5
    assert await next_of(queue) == "a"


async def test_the_earlier_of_two_times_counts(queue: WorkQueue[str], time: Time) -> None:
    queue.add_after("a", 5)
    queue.add_after("a", 50)
    time.seconds = 5
    assert await next_of(queue) == "a"
    queue.done("a")
    queue.add_after("a", 50)
    queue.add_after("a", 5)
    time.seconds = 10
    assert await next_of(queue) == "a"
    queue.done("a")
    time.seconds = 1000
    assert await next_of(queue) is None


async def test_a_key_added_now_needs_its_later_pass_no_more(
    queue: WorkQueue[str], time: Time
) -> None:
    queue.add_after("a", 5)
    queue.add("a")
    assert await next_of(queue) == "a"
    queue.done("a")
    time.seconds = 100
    assert await next_of(queue) is None


async def test_a_forgotten_key_is_not_handed_out(queue: WorkQueue[str], time: Time) -> None:
    queue.add("a")
    queue.add_after("b", 1)
    queue.forget("a")
    queue.forget("b")
    time.seconds = 2
    assert await next_of(queue) is None


async def test_a_wish_that_another_one_replaced_is_not_kept(queue: WorkQueue[str]) -> None:
    """A router that is woken often wishes for its next look each time."""
    for _ in range(1000):
        queue.add_after("a", 600)
        queue.add_after("b", 600)
        queue.add("a")
        assert await next_of(queue) == "a"
        queue.done("a")
    queue.forget("b")
    queue.add_after("a", 600)
    assert len(queue._later) < 100


async def test_what_is_due_comes_although_others_were_cleared_away(
    queue: WorkQueue[str], time: Time
) -> None:
    queue.add_after("b", 5)
    for _ in range(1000):
        queue.add_after("a", 3)
        queue.forget("a")
    queue.add_after("c", 4)
    time.seconds = 5
    assert [await next_of(queue) for _ in range(3)] == ["c", "b", None]


async def test_a_waiting_worker_wakes_up_for_a_new_key(queue: WorkQueue[str]) -> None:
    worker = asyncio.create_task(queue.get())
    await asyncio.sleep(0)
    queue.add("a")
    assert (await asyncio.wait_for(worker, 1))[0] == "a"


async def test_the_time_that_a_key_waited_is_told(queue: WorkQueue[str], time: Time) -> None:
    queue.add("a")
    time.seconds = 3
    assert await queue.get() == ("a", 3)


async def test_ten_workers_never_run_one_key_at_the_same_time() -> None:
    queue: WorkQueue[int] = WorkQueue()
    running: set[int] = set()
    passes = 0

    async def work() -> None:
        nonlocal passes
        while True:
            key, _ = await queue.get()
            assert key not in running
            running.add(key)
            await asyncio.sleep(0.001)
            running.remove(key)
            passes += 1
            queue.done(key)

    workers = [asyncio.create_task(work()) for _ in range(10)]
    for _ in range(50):
        for key in range(5):
            queue.add(key)
        await asyncio.sleep(0.0005)
    await asyncio.sleep(0.1)
    for worker in workers:
        worker.cancel()
    assert passes >= 5
    assert len(queue) == 0


@pytest.mark.parametrize("steps", range(4))
async def test_a_worker_that_is_cancelled_as_a_key_comes_ends(
    queue: WorkQueue[str], steps: int
) -> None:
    """`asyncio.wait_for` swallows such a cancellation (CPython issue 86296): nobody would end."""
    queue.add_after("resync", 100.0)
    worker = asyncio.create_task(queue.get())
    for _ in range(3):
        await asyncio.sleep(0)
    queue.add("a")
    for _ in range(steps):
        await asyncio.sleep(0)
    was_done = worker.done()
    worker.cancel()
    await asyncio.wait([worker])
    assert worker.cancelled() or was_done
