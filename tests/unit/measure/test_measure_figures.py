"""What the measurements make of numbers, and when they say that a target is missed."""

import math
from pathlib import Path

import pytest

from measure.figures import Target, at_most, number, quantile, report, slope
from measure.gauges import Sample
from measure.plots import draw
from measure.soak import Found, targets
from measure.trend import most_per_hour, trend


def samples(count: int = 181, *, leak: float = 0.0, start: float = 90.0) -> list[Sample]:
    """One in ten seconds; `leak` is what each value gains in an hour."""
    return [
        Sample(
            at=1000.0 + number * 10,
            resident=start + leak * number / 360 + number % 2,
            descriptors=round(30 + leak * number / 360),
            tasks=round(60 + leak * number / 360) + number % 3,
            queue=number % 5,
        )
        for number in range(count)
    ]


def missed(found: Found) -> list[str]:
    return [row.what.split(",")[0] for row in targets(found) if row.met is False]


def test_a_quantile_is_a_value_that_was_measured() -> None:
    row = [float(value) for value in range(1, 101)]
    assert quantile(row[::-1], 0.5) == 50
    assert quantile(row, 0.99) == 99
    assert quantile([7.0], 0.99) == 7.0


def test_no_value_has_no_quantile_and_misses_its_target() -> None:
    assert math.isnan(quantile([], 0.99))
    assert at_most("p99", quantile([], 0.99), 5.0, "s").met is False


def test_a_slope_is_that_of_the_least_squares() -> None:
    assert slope([(0, 1), (1, 3), (2, 5)]) == 2
    assert slope([(0, 0), (1, 3), (2, 0)]) == 0
    assert slope([(0, 0), (1, 1), (2, 1)]) == pytest.approx(0.5)


def test_one_point_or_one_moment_has_no_slope() -> None:
    assert slope([]) == slope([(1, 5)]) == slope([(1, 5), (1, 9)]) == 0


def test_what_happens_in_the_first_third_is_warm_up() -> None:
    cold = [Sample(float(at), 50.0 + at, 1, 1, 1) for at in range(100)]
    warm = [Sample(float(at), 150.0, 1, 1, 1) for at in range(100, 300)]
    found = trend([*cold, *warm], lambda one: one.resident)
    assert found.per_hour == 0
    assert found.hours == pytest.approx(200 / 3600, rel=0.01)
    assert found.mean == 150


def test_growth_is_told_for_an_hour() -> None:
    found = trend(samples(leak=6.0), lambda one: one.resident)
    assert found.per_hour == pytest.approx(6.0, abs=0.1)
    assert found.growth == pytest.approx(6.0 / 3, abs=0.1)


def test_a_short_run_cannot_tell_a_slow_leak() -> None:
    assert most_per_hour(4 * 2 / 3) == 1.0
    assert most_per_hour(0.1) == 20.0


def test_what_stays_level_is_no_leak() -> None:
    level = samples()
    assert missed(Found(level[:5], level, level[:5])) == []


def test_what_grows_is_told_of() -> None:
    growing, level = samples(leak=60.0), samples()
    assert missed(Found(level[:5], growing, level[:5])) == [
        "resident memory",
        "file descriptors",
        "asyncio tasks",
    ]


def test_what_is_left_over_after_the_churn_is_told_of() -> None:
    level, more = samples(), samples(leak=3600.0)[5:10]
    assert missed(Found(level[:5], level, more)) == ["file descriptors", "asyncio tasks"]


def test_an_operator_that_does_not_answer_is_no_success() -> None:
    assert missed(Found(samples(5), samples(), [])) == ["samples after the churn"]


def test_a_report_fails_with_any_missed_target(capsys: pytest.CaptureFixture[str]) -> None:
    fine, told = at_most("time", 1.0, 2.0, "s"), Target("only told", "3")
    assert report([fine, told]) == 0
    assert report([fine, at_most("more time", 3.0, 2.0, "s"), told]) == 1
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == [
        "met",
        "3",
        "met",
        "MISSED",
        "3",
    ]


@pytest.mark.parametrize("text", ["-1", "0", "nan", "inf", "ten", "1e9"])
def test_a_number_out_of_its_bounds_is_refused(text: str) -> None:
    with pytest.raises(Exception, match="is not a number of at least 1 and at most 100"):
        number(float, least=1, most=100)(text)


def test_a_number_within_its_bounds_is_read() -> None:
    assert number(float, least=1)("2.5") == 2.5
    assert number(int, least=1)("200") == 200


def test_the_plots_are_a_png(tmp_path: Path) -> None:
    draw(samples(), tmp_path / "soak.png")
    assert (tmp_path / "soak.png").read_bytes().startswith(b"\x89PNG")
