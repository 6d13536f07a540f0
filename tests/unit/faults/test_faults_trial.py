from collections.abc import Sequence
from typing import Any

import pytest

from faults.plan import Answer, Reset
from faults.score import points
from faults.seen import Seen
from faults.subject import Subject
from faults.trial import Ending, Rules, Trial, allowed

WRITE = Subject("PATCH", "/api/v1/namespaces/a/configmaps/r", "configmaps", "a", "r")


def pod(uid: str) -> dict[str, Any]:
    return {"kind": "Pod", "metadata": {"name": f"r-{uid}", "uid": uid}, "status": {}}


def ending(
    *seen: Seen, before: Sequence[str] = (), pods: Sequence[str] = (), **more: Any
) -> Ending:
    return Ending(
        objects=[pod(uid) for uid in pods],
        standing="there",
        pods_before=frozenset(before),
        seen=seen,
        began=10.0,
        over=more.pop("over", 12.0),
        now=40.0,
        **more,
    )


def write(at: float, **more: Any) -> Seen:
    return Seen(at, WRITE, more.pop("code", 200), changed=more.pop("changed", True), **more)


@pytest.mark.parametrize(("writes", "most"), [(0, 2), (1, 3), (4, 6), (8, 12), (9, 13)])
def test_half_as_many_writes_again_are_fine_and_two_always(writes: int, most: int) -> None:
    assert allowed(writes) == most


def test_a_row_with_too_many_writes_fails_where_writes_are_limited() -> None:
    reference = ending(write(11.0)).judged(None, Rules())
    many = ending(*(write(11.0 + at) for at in range(4)))
    told = many.judged(reference, Rules(limited=True)).problems
    assert told == ("4 writes, of which 3 would have been fine",)
    assert many.judged(reference, Rules()).problems == ()


def test_refused_writes_and_those_whose_answer_was_lost_are_not_counted() -> None:
    found = ending(
        write(11.0, code=0, fault=Answer(409)),
        write(12.0, fault=Reset(committed=True)),
        write(13.0),
        write(14.0, code=422),
    ).judged(None, Rules())
    assert (found.writes, found.attempts) == (1, 4)


def test_recovery_is_from_the_end_of_the_fault_to_the_last_change() -> None:
    found = ending(write(11.0), write(17.0), write(30.0, changed=False)).judged(None, Rules())
    assert (found.seconds, found.recovery) == (7.0, 5.0)
    soon = ending(write(11.0)).judged(None, Rules())
    assert (soon.seconds, soon.recovery) == (1.0, 0.0)


def test_what_never_ended_well_took_until_the_end() -> None:
    wrong = ending(write(11.0), ends=1).judged(None, Rules())
    assert wrong.problems == ("the operator ended by itself 1 times",)
    assert (wrong.seconds, wrong.recovery) == (30.0, 28.0)
    assert ending(write(11.0), ends=1).judged(None, Rules(may_end=1)).problems == ()


def test_a_pod_that_is_another_one_is_told_and_is_part_of_the_state() -> None:
    kept = ending(before=["1", "2"], pods=["1", "2"])
    lost = ending(before=["1", "2"], pods=["1", "3"])
    assert kept.judged(None, Rules(keeps_pods=True)).problems == ()
    found = lost.judged(kept.judged(None, Rules()), Rules(keeps_pods=True))
    assert found.kept == "1/2"
    assert found.problems == ("pods were restarted", "pods of before: 2 became 1")


@pytest.mark.parametrize(
    ("attempts", "most", "chosen"),
    [(3, None, [1, 2, 3]), (2, 3, [1, 2]), (301, 3, [1, 151, 301]), (0, 3, [])],
)
def test_kill_points_are_all_or_evenly_chosen(
    attempts: int, most: int | None, chosen: list[int]
) -> None:
    assert points(attempts, most) == chosen


def test_a_reference_of_its_own_has_no_differences() -> None:
    found = ending(write(11.0)).judged(None, Rules())
    assert isinstance(found, Trial)
    assert ending(write(11.0)).judged(found, Rules(limited=True)).problems == ()
