from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from candidates import as_the_router_reads
from semantic_router_operator.model.canonical import EnvReference
from semantic_router_operator.translate.yaml_writer import dump

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    TEXT | st.booleans() | NUMBERS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)

ODD = [
    "yes",
    "no",
    "on",
    "y",
    "null",
    "~",
    "",
    "1e3",
    "007",
    "0x1F",
    "0o17",
    "1:30",
    "1_000",
    ".inf",
    ".NaN",
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "<<",
    "=",
    "---",
    "...",
    "# no comment",
    "a: b",
    "a #b",
    "- a",
    "? a",
    "! a",
    "&a",
    "*a",
    "%a",
    "@a",
    "`a`",
    "'a'",
    '"a"',
    "\\",
    "\\n",
    "{{ x }}",
    "[a, b]",
    " space around ",
    "tab\tin",
    "line\nend\n",
    "\n\n",
    "cr\r\nlf",
    "next\x85line",
    "line\u2028and\u2029paragraph",
    "\ufeffbom",
    "bell\x07escape\x1bdelete\x7f",
    "emoji \U0001f600 \u2764\ufe0f",
    "\u6f22\u5b57",
    "\u05e2\u05d1\u05e8\u05d9\u05ea \u202eflipped",
    "\ufffe\uffff",
    "x" * 5000,
    "openai/gpt-oss-20b",
    "100%",
]


@given(VALUES)
def test_a_yaml_reader_gets_back_what_was_written(value: Any) -> None:
    document = {"value": value}
    assert as_the_router_reads(dump(document)) == document


@given(VALUES)
def test_types_survive(value: Any) -> None:
    assert _types(as_the_router_reads(dump({"value": value}))["value"]) == _types(value)


def _types(value: Any) -> Any:
    match value:
        case dict():
            return {key: _types(member) for key, member in value.items()}
        case list():
            return [_types(member) for member in value]
        case _:
            return type(value)


@pytest.mark.parametrize("text", ODD)
def test_op_19_odd_text_is_read_as_the_same_text(text: str) -> None:
    document = {"value": text, "list": [text, {text: text}], "map": {text: {text: text}}}
    assert as_the_router_reads(dump(document)) == document


@pytest.mark.parametrize("text", ODD)
def test_op_19_a_document_has_no_invisible_character(text: str) -> None:
    lines = dump({"value": text}).rstrip("\n")
    assert "\n" not in lines
    assert all(char.isprintable() for char in lines)


@pytest.mark.parametrize(
    "text", ["$", "$$", "$HOME", "${HOME}", "${A:-b}", "a$b$", "${open", "$$$x", "cost: $5"]
)
def test_a_dollar_of_the_user_survives_expansion(text: str) -> None:
    assert as_the_router_reads(dump({"value": text})) == {"value": text}


def test_a_dollar_in_a_key_is_not_doubled() -> None:
    assert dump({"a$b": 1}) == '"a$b": 1\n'


def test_our_own_reference_is_left_for_the_router_to_expand() -> None:
    assert dump({"key": EnvReference.to("REDIS_PASSWORD")}) == 'key: "${REDIS_PASSWORD}"\n'


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-3, "-3"),
        (0.5, "0.5"),
        (2.0, "2.0"),
        (1e21, "1.0e+21"),
        (1.5e-7, "1.5e-07"),
        (True, "true"),
        (False, "false"),
    ],
)
def test_numbers_are_plain_and_floats_have_a_point(number: float, text: str) -> None:
    assert dump({"number": number}) == f"number: {text}\n"


def test_the_layout_is_what_a_person_expects() -> None:
    document = {
        "a": "x",
        "empty": {"map": {}, "list": []},
        "items": [{"name": "one", "list": [1, [2, 3]]}, "two", {}],
        "on": 1,
    }
    assert dump(document) == (
        'a: "x"\n'
        "empty:\n"
        "  map: {}\n"
        "  list: []\n"
        "items:\n"
        '  - name: "one"\n'
        "    list:\n"
        "      - 1\n"
        "      - - 2\n"
        "        - 3\n"
        '  - "two"\n'
        "  - {}\n"
        '"on": 1\n'
    )
    assert yaml.safe_load(dump(document)) == document


def test_a_value_that_no_document_has_is_a_bug() -> None:
    with pytest.raises(TypeError, match="no YAML for NoneType"):
        dump({"a": None})
