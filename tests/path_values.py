"""Values for every path of a structural schema: some that it accepts, some that it refuses."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

KEY = "key"
TEXTS = (
    *("x", "1", "0.5", "-0.5", "1m30s", "/x", "a.b", "1Gi", "10:00", "2024-01-01T00:00:00Z"),
    "http://a:1",
)
"""One of them has the form that a pattern asks for."""


def valid(schema: Schema) -> Iterator[Any]:
    """At least one value that the schema accepts: every word of an enum, both ends of a range."""
    if "enum" in schema:
        yield from schema["enum"]
    elif schema.get("x-kubernetes-int-or-string"):
        yield schema.get("minimum", 1)
        yield next(text for text in ("http", "1Gi", "50%") if _fits(schema, text))
    elif "type" not in schema:
        yield from ("a:1", {"host": "a", "port": 1})
    else:
        yield from _valid_of_type(schema)


def _valid_of_type(schema: Schema) -> Iterator[Any]:
    match schema["type"]:
        case "boolean":
            yield from (True, False)
        case "integer":
            yield schema.get("minimum", 1)
            yield schema.get("maximum", 7)
        case "string":
            yield next(text for text in TEXTS if _fits(schema, text))
        case "array":
            yield []
            yield from ([item] for item in valid(schema["items"]))
        case _:
            yield from _valid_objects(schema)


def _valid_objects(schema: Schema) -> Iterator[dict[str, Any]]:
    yield minimal(schema)
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        yield {**minimal(schema), "any": {"thing": [1, "text", {"deep": True}]}}
    if isinstance(inner := schema.get("additionalProperties"), dict):
        yield from ({KEY: item} for item in valid(inner))


def full(schema: Schema) -> Any:
    """A value with every field, to any depth."""
    if "properties" in schema:
        return {name: full(field) for name, field in schema["properties"].items()}
    if isinstance(schema.get("items"), dict):
        return [full(schema["items"])]
    if isinstance(schema.get("additionalProperties"), dict):
        return {KEY: full(schema["additionalProperties"])}
    return list(valid(schema))[-1]


def invalid(schema: Schema) -> Iterator[Any]:
    """At least one value that the schema refuses; none where it takes anything."""
    if schema.get("x-kubernetes-int-or-string"):
        yield from ([], True)
    elif "type" in schema:
        yield {"array": "x", "boolean": "true", "integer": "1", "object": "x", "string": 1}[
            schema["type"]
        ]
        yield from _outside(schema)


def _outside(schema: Schema) -> Iterator[Any]:
    if "enum" in schema:
        yield "no such word" if schema["type"] == "string" else -1
    if schema.get("required"):
        yield {}
    yield from (wrong(schema[word]) for word, wrong in _BEYOND.items() if schema.get(word))
    if schema.get("minimum") == 0:
        yield -1
    for word, wrap in (("items", _in_a_list), ("additionalProperties", _in_a_map)):
        if isinstance(schema.get(word), dict):
            yield from map(wrap, invalid(schema[word]))


_BEYOND: Mapping[str, Callable[[Any], Any]] = {
    "pattern": lambda _: "~",
    "minLength": lambda _: "",
    "maxLength": lambda most: "x" * (most + 1),
    "minimum": lambda least: least - 1,
    "maximum": lambda most: most + 1,
}


def _in_a_list(item: object) -> list[object]:
    return [item]


def _in_a_map(item: object) -> dict[str, object]:
    return {KEY: item}


def minimal(schema: Schema) -> dict[str, Any]:
    """An object with what it must have and nothing else."""
    fields = schema.get("properties", {})
    return {name: next(valid(fields[name])) for name in schema.get("required", ())}


def at(schema: Schema, path: str) -> Schema:
    """The schema at a path such as `a[].b{}.c`."""
    for step in steps(path):
        schema = _inner(schema, step)
    return schema


def placed(schema: Schema, path: str, value: object) -> Any:
    """The smallest value of the schema that has `value` at the path."""
    return _placed(schema, steps(path), value)


def _placed(schema: Schema, left: list[str], value: object) -> Any:
    if not left:
        return value
    step, *rest = left
    inner = _placed(_inner(schema, step), rest, value)
    match step:
        case "[]":
            return [inner]
        case "{}":
            return {KEY: inner}
        case _:
            return {**minimal(schema), step: inner}


def steps(path: str) -> list[str]:
    """`a[].b{}.c` -> a, [], b, {}, c."""
    return re.findall(r"\[\]|\{\}|[^.\[\]{}]+", path)


def _inner(schema: Schema, step: str) -> Schema:
    where = {"[]": "items", "{}": "additionalProperties"}.get(step)
    found: Schema = schema[where] if where else schema["properties"][step]
    return found


def _fits(schema: Schema, text: str) -> bool:
    return bool(re.search(schema.get("pattern", ""), text))
