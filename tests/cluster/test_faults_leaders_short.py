"""The short form of `make faults-leaders`: one leader is killed, one is stopped and woken."""

from pathlib import Path

from faults.disturbance import Kill, Pause
from faults.leaders import Course, run

SHORT = Course([Kill(13.5), Pause(14.0, 14.5)], routers=4, churn_seconds=0.5)


def test_one_killed_and_one_stopped_leader_lose_nothing_and_nobody_else_writes(
    tmp_path: Path,
) -> None:
    verdict = run(SHORT, tmp_path)
    assert verdict.problems == []
    assert verdict.steps > 20
    assert verdict.writes > verdict.steps
