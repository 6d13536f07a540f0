"""spec.toolsDb as the file tools_db.json."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidates import Json, candidate, config, errors, held
from semantic_router_operator.objects import check_config

WEATHER: Json = {
    "tool": {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Weather in $CITY, ${NOW}, $$",
            "parameters": {
                "type": "object",
                "properties": {
                    "unit": {"type": "string", "enum": ["C", "F"], "x": [1.0, 0.5, True, "007"]},
                    "city": {"type": "string"},
                },
                "required": ["city", "unit"],
            },
        },
    },
    "description": "weather, Wetter, 天気",
    "category": "weather",
    "tags": ["b", "a"],
}


@pytest.mark.parametrize("spec", [{}, {"toolsDb": []}, {"toolsDb": None}])
def test_without_tools_the_file_is_an_empty_list(spec: Json) -> None:
    assert config(spec).tools == "[]"


def test_the_file_has_the_tools_as_they_are_written() -> None:
    assert json.loads(config({"toolsDb": [WEATHER, {"category": "x"}]}).tools) == [
        WEATHER,
        {"category": "x"},
    ]


def test_a_dollar_stays_one_dollar_since_the_router_expands_its_own_file_only() -> None:
    assert "Weather in $CITY, ${NOW}, $$" in config({"toolsDb": [WEATHER]}).tools


def test_the_bytes_do_not_depend_on_the_order_of_keys() -> None:
    turned = dict(reversed(WEATHER.items()))
    text = config({"toolsDb": [WEATHER]}).tools
    assert text == config({"toolsDb": [turned]}).tools
    assert text.startswith('[{"category":"weather","description":"weather, Wetter, 天気"')


def test_tools_of_another_order_are_another_file() -> None:
    one, other = {"category": "a"}, {"category": "b"}
    assert config({"toolsDb": [one, other]}).tools != config({"toolsDb": [other, one]}).tools


def test_the_document_does_not_change_with_the_tools() -> None:
    assert config({"toolsDb": [WEATHER]}).digest == config({}).digest


def test_op_14_tools_that_no_config_map_can_hold_are_refused_before_the_write() -> None:
    tool = {"description": "天" * 400_000}
    (issue,) = check_config(config({"toolsDb": [tool]}))
    assert issue.code == "ConfigTooLarge"
    assert "1048576" in issue.message
    assert check_config(config({"toolsDb": [{"description": "a" * 1_000_000}]})) == ()


@pytest.mark.parametrize(("text", "what"), [("\x00", "a NUL character"), ("\ud800", "half of a")])
def test_op_19_text_that_no_file_can_hold_is_refused_at_its_place(text: str, what: str) -> None:
    tool = {"tool": {"function": {"parameters": {"properties": {"a": {"enum": [text]}}}}}}
    (error,) = errors(held({"toolsDb": [{}, tool]}))
    assert error.startswith(
        f"spec.toolsDb[1].tool.function.parameters.properties.a.enum[0]: has {what}"
    )


def test_a_value_that_json_does_not_have_is_refused_at_its_place() -> None:
    tool = {"tool": {"function": {"parameters": {"properties": {"a": float("inf")}}}}}
    (error,) = errors(held({"toolsDb": [tool]}))
    assert error.startswith("spec.toolsDb[0].tool.function.parameters.properties.a: is no finite")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_op_19_every_text_reads_back_the_same(text: str) -> None:
    tool = {"description": text, "tags": [text], "tool": {"function": {"name": text}}}
    assert json.loads(candidate({"toolsDb": [tool]}).tools) == [tool]
