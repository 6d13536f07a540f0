"""The schema of the document says what its table says, row by row, and both checkers agree."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidates import Json
from semantic_router_operator.validation import schema_check
from semantic_router_operator.validation.document_schema import Row, document_schema, rows
from semantic_router_operator.validation.fast_check import compiled
from semantic_router_operator.validation.schema_check import Flaw, flaws

ROWS = list(rows())
FIELDS = [row for row in ROWS if row.type != "removed"]
REMOVED = [row for row in ROWS if row.type == "removed"]
ACCEPTS = compiled(document_schema())
MISTYPED: Json = {
    "string": 7,
    "int": "7",
    "float": "0.5",
    "bool": "yes",
    "object": "x",
    "object(schemaless)": [],
    "object(recursive:RuleNode)": "x",
    "string|int": 1.5,
    'int|"auto"': "often",
}
WELL_TYPED: Json = {
    "string": "x",
    "int": 7,
    "float": 0.5,
    "bool": True,
    "object(schemaless)": {"x": [1]},
    "any": None,
    "string|int": "x",
    'int|"auto"': "auto",
}
BOUNDS = {">0": (1, 0), "nonempty": ("x", ""), "slash": ("/x", "x")}


def document(path: str, value: Any) -> Json:
    """A document with only that value at a path of the table."""
    result = value
    for step in reversed(path.replace("[]", ".[]").replace("{}", ".{}").split(".")):
        name, _, variant = step.partition("<type=")
        if name == "[]":
            result = [result]
        elif name == "{}":
            result = {"k": result}
        else:
            kind = {"type": variant.removesuffix(">")} if variant else {}
            result = {**kind, name: result}
    return dict(result)


def place(path: str) -> str:
    """That path in the document."""
    head, _, tail = path.replace("[]", "[0]").replace("{}", ".k").partition("<type=")
    return head + tail.partition(">")[2]


def found(row: Row, value: Any, below: str = "") -> set[str]:
    """Codes of what is wrong at the row's place."""
    there = place(row.path) + below
    return {flaw.code for flaw in flaws(document(row.path, value)) if flaw.path == there}


def kinds(type_: str) -> tuple[list[str], str]:
    """The containers of a type, from the outside, and what is in them."""
    containers = []
    while type_.startswith(("list(", "map(string,")):
        is_list = type_.startswith("list(")
        containers.append("list" if is_list else "map")
        type_ = type_[5:-1] if is_list else type_[11:-1]
    return containers, type_


def member(row: Row, value: Any) -> tuple[Any, str]:
    """A value in the row's containers, and where it is in them."""
    below = ""
    for container in reversed(kinds(row.type)[0]):
        value, below = (
            ([value], f"[0]{below}") if container == "list" else ({"k": value}, f".k{below}")
        )
    return value, below


def innermost(row: Row) -> str:
    return kinds(row.type)[1]


def good(row: Row) -> Any:
    """A value that the table allows."""
    if row.values:
        return row.values.split("|")[0]
    if row.limits == "duration":
        return "1m30s"
    if row.limits in BOUNDS:
        return BOUNDS[row.limits][0]
    if row.limits:
        return int(row.limits.removeprefix(">=").partition("..")[0])
    return WELL_TYPED[innermost(row)]


def bounds(row: Row) -> Iterator[tuple[Any, str]]:
    """Values that the table refuses, with the code."""
    if row.limits == "duration":
        yield from ((text, "InvalidFormat") for text in ("5", "5 s", "1d", "", "-5s"))
    elif row.limits == "slash":
        yield "x", "InvalidFormat"
    elif row.limits == "nonempty":
        yield "", "MissingKey"
    elif row.limits == ">0":
        yield 0, "ValueOutOfRange"
    elif row.limits:
        low, _, high = row.limits.removeprefix(">=").partition("..")
        yield int(low) - 1, "ValueOutOfRange"
        if high:
            yield int(high) + 1, "ValueOutOfRange"


def test_what_the_table_does_not_know_is_refused() -> None:
    assert flaws({"x": 1}) == (Flaw("UnknownKey", "x", ""),)


def test_no_path_is_there_twice_and_every_type_is_known() -> None:
    assert len({row.path for row in ROWS}) == len(ROWS)
    assert {innermost(row) for row in FIELDS} <= WELL_TYPED.keys() | MISTYPED.keys()


@pytest.mark.parametrize("room", ["version", "listeners", "providers", "routing", "global"])
def test_every_field_takes_a_value_of_its_type_and_refuses_another(room: str) -> None:
    for row in (row for row in FIELDS if row.path.startswith(room)):
        kind = innermost(row)
        if kind in WELL_TYPED:
            value, below = member(row, good(row))
            assert found(row, value, below) == set(), row
        if kind in MISTYPED:
            value, below = member(row, MISTYPED[kind])
            assert found(row, value, below) == {"WrongType"}, row


def test_every_list_of_words_is_closed_unless_others_load_as_well() -> None:
    listed = [row for row in FIELDS if row.values]
    assert len(listed) > 100
    for row in listed:
        code = "UnlikelyValue" if row.values.endswith("|*") else "UnknownValue"
        for word in row.values.removesuffix("|*").split("|"):
            value, below = member(row, word)
            assert found(row, value, below) <= {"MissingKey"}, row
        value, below = member(row, "no such word")
        assert found(row, value, below) == {code}, row


def test_every_limit_holds_at_its_bounds() -> None:
    limited = [row for row in FIELDS if row.limits]
    assert len(limited) > 80
    for row in limited:
        for bad, code in bounds(row):
            value, below = member(row, bad)
            assert found(row, value, below) == {code}, row
        if ".." in row.limits:
            value, below = member(row, int(row.limits.partition("..")[2]))
            assert found(row, value, below) == set(), row


def test_every_required_key_is_missed_and_not_taken_when_empty() -> None:
    required = [row for row in FIELDS if row.required]
    assert len(required) > 80
    for row in required:
        parent, _, key = row.path.removesuffix("[]").rpartition(".")
        made = document(parent, {})
        assert Flaw("MissingKey", f"{place(parent)}.{key}", "is missing; add it") in flaws(made)
        if row.type == "string" and not row.values:
            assert found(row, "") == {"MissingKey"}, row


def test_every_removed_key_is_refused_with_what_to_write_instead() -> None:
    assert len(REMOVED) > 70
    for row in REMOVED:
        made = document(row.path, {})
        (flaw,) = (flaw for flaw in flaws(made) if flaw.path == place(row.path))
        assert flaw.code == "RejectedKey"
        assert flaw.message.endswith(f"write {row.limits} instead" if row.limits else "remove it")


def test_an_unknown_key_is_told_with_the_known_one_that_it_is_like() -> None:
    assert flaws({"routing": {"decisions": [{"name": "d", "priorty": 1}]}}) == (
        Flaw("UnknownKey", "routing.decisions[0].priorty", "priority"),
    )


def test_the_tree_of_conditions_is_checked_to_any_depth() -> None:
    tree: Json = {"type": "keyword", "name": 7}
    for _ in range(20):
        tree = {"operator": "AND", "conditions": [tree]}
    (flaw,) = flaws({"routing": {"decisions": [{"name": "d", "rules": tree}]}})
    assert (flaw.code, flaw.path.count("conditions[0]")) == ("WrongType", 20)


def test_a_value_of_the_wrong_type_is_told_once() -> None:
    assert [flaw.code for flaw in flaws({"routing": {"strategy": 7}})] == ["WrongType"]


@pytest.mark.parametrize("value", [1.0, 0, True, 1, None, "1"])
def test_a_whole_number_is_one_however_it_is_written(value: Any) -> None:
    made = {"routing": {"decisions": [{"name": "d", "priority": value}]}}
    fine = isinstance(value, int | float) and not isinstance(value, bool)
    assert (flaws(made) == ()) is fine
    assert ACCEPTS(made) is fine


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 200)
    | st.floats(-1, 2)
    | st.sampled_from(["", "x", "auto", "5s", "/x", "AND", "keyword", "rag", "v0.3"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["name", "type", "x", "model"]), inner, max_size=3)
    ),
    max_leaves=4,
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(FIELDS), VALUES), min_size=1, max_size=3))
def test_the_fast_check_takes_exactly_what_jsonschema_takes(parts: list[tuple[Row, Any]]) -> None:
    made: Json = {}
    for row, value in parts:
        made |= document(row.path, value)
    assert ACCEPTS(made) is (not list(schema_check._validator().iter_errors(made)))
