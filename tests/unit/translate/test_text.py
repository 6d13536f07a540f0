from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidates import entry, errors, held
from semantic_router_operator.model import paths
from semantic_router_operator.translate.text import copied


def test_keys_are_sorted_and_lists_keep_their_order() -> None:
    given_ = {"b": [3, 1, 2], "a": {"z": 1, "y": 2, "type": 0, "name": 3}}
    copy = copied(given_, "routing", "spec.config.routing")
    assert list(copy.value) == ["a", "b"]
    assert list(copy.value["a"]) == ["name", "type", "y", "z"]
    assert copy.value["b"] == [3, 1, 2]


def test_a_whole_float_is_the_integer_that_the_api_server_stores() -> None:
    copy = copied({"a": 1.0, "b": 0.5}, "routing", "spec.config.routing")
    assert repr(copy.value) == "{'a': 1, 'b': 0.5}"


def test_nulls_are_absent_and_the_path_of_what_follows_stays_true() -> None:
    copy = copied({"a": None, "b": [None, {"c": 1}]}, "routing", "spec.config.routing")
    assert copy.value == {"b": [{"c": 1}]}
    assert paths.trace(copy.origins, "routing.b[0].c") == "spec.config.routing.b[1].c"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (float("nan"), "is no finite number"),
        (float("inf"), "is no finite number"),
        (10**400, "is too big a number"),
        (object(), "is neither text, number, list nor object"),
    ],
)
def test_what_json_does_not_have_is_refused_with_its_path(value: object, problem: str) -> None:
    (issue,) = copied({"a": [value]}, "routing", "spec.config.routing").issues
    assert str(issue).startswith(f"spec.config.routing.a[0]: {problem}")


def test_endless_nesting_is_refused() -> None:
    value: dict[str, Any] = {}
    for _ in range(5000):
        value = {"a": value}
    result = held({"config": {"routing": {"deep": value}}})
    assert "is nested deeper than 64 levels" in errors(result)[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [("a\x00b", "has a NUL character"), ("a\ud800", "has half of a surrogate pair")],
)
def test_op_19_text_that_no_document_can_hold_is_refused_with_its_path(
    text: str, problem: str
) -> None:
    decisions = [{"name": "d", "description": text}]
    result = held({"config": {"routing": {"decisions": decisions}}})
    assert result.reason == "InvalidConfig"
    (error,) = errors(result)
    assert error.startswith(f"spec.config.routing.decisions[0].description: {problem}")


def test_op_19_a_key_that_no_document_can_hold_is_refused_and_shown_escaped() -> None:
    result = held({"config": {"routing": {"a\ud800": {"b\x00": 1}}}})
    assert [line.encode().decode().split(": ")[0] for line in errors(result)] == [
        'spec.config.routing["a\\ud800"]',
        'spec.config.routing["a\\ud800"]["b\\x00"]',
    ]


def test_op_19_a_nul_in_a_lora_description_is_refused_with_the_entry() -> None:
    loras = [{"name": "l", "description": "x\x00"}]
    result = held({"vllmEndpoints": [entry("a", "m", loras=loras)]})
    assert errors(result)[0].startswith("spec.vllmEndpoints[0]: has a NUL character")


@given(st.dictionaries(st.text(max_size=3), st.integers(-9, 9), max_size=4))
def test_the_order_of_a_users_map_makes_no_difference(value: dict[str, int]) -> None:
    turned = dict(reversed(value.items()))
    assert repr(copied(value, "a", "b")) == repr(copied(turned, "a", "b"))
