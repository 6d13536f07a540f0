"""Quantities as the API server counts them (field case OP-03)."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_router_operator.model import quantity


@pytest.mark.parametrize(
    ("spelling", "amount"),
    [
        ("1000m", 1000),
        ("0.5", 500),
        (".5", 500),
        ("2.", 2000),
        ("1.5m", 2),
        ("1n", 1),
        (2, 2000),
        (0.5, 500),
        ("+3", 3000),
        ("-1", -1000),
        ("1k", 1_000_000),
        ("1e3", 1_000_000),
        ("1E", 10**21 // 1),
        ("1E3", 1_000_000),
        ("1e-3", 1),
        ("1024Mi", 1024**3 * 1000),
        ("1Gi", 1024**3 * 1000),
        ("10240Mi", 10 * 1024**3 * 1000),
    ],
)
def test_an_amount_is_counted_in_thousandths_rounded_up(spelling: object, amount: int) -> None:
    assert quantity.milli(spelling) == amount


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10GB x",
        "1e3Mi",
        "1 Gi",
        "Gi",
        "1g",
        "--1",
        "٣",
        "1e999999999",
        "9" * 70,
        None,
        True,
        [],
    ],
)
def test_nonsense_is_a_value_error_that_does_not_repeat_it(text: object) -> None:
    with pytest.raises(ValueError, match="quantity"):
        quantity.milli(text)


@pytest.mark.parametrize("text", ["1e99", "9" * 40, "16Ei"])
def test_more_than_kubernetes_can_count_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="larger"):
        quantity.milli(text)


@given(st.text(max_size=12) | st.integers() | st.floats())
def test_every_value_is_an_amount_or_a_value_error(value: object) -> None:
    with contextlib.suppress(ValueError):
        assert isinstance(quantity.milli(value), int)
