"""A schema as a plain function: does it take a value, yes or no.

Nearly every document is right, and jsonschema needs milliseconds to say so, on each pass. This
says it in a tenth of the time, for the keywords that document_schema.py writes; what is wrong with
a document only jsonschema says. A test compares the two answers.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from semantic_router_operator.validation.document_schema import Schema

Check = Callable[[Any], bool]


def _is_int(value: object) -> bool:
    return type(value) is int or (isinstance(value, float) and value.is_integer())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Final[Mapping[str, Check]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_int,
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_KEYWORDS: Final[Mapping[str, Callable[[Any], Check]]] = {
    "enum": lambda words: lambda value: value in words,
    "x-likely": lambda words: lambda value: value in words,
    "const": lambda wanted: lambda value: value == wanted,
    "minLength": lambda least: lambda value: not isinstance(value, str) or len(value) >= least,
    "minItems": lambda least: lambda value: not isinstance(value, list) or len(value) >= least,
    "minimum": lambda low: lambda value: not _is_number(value) or value >= low,
    "maximum": lambda high: lambda value: not _is_number(value) or value <= high,
    "exclusiveMinimum": lambda low: lambda value: not _is_number(value) or value > low,
    "pattern": lambda pattern: _matching(re.compile(pattern)),
}


def _matching(pattern: re.Pattern[str]) -> Check:
    return lambda value: not isinstance(value, str) or pattern.search(value) is not None


def compiled(schema: Schema) -> Check:
    """The function for a whole schema with its `$defs`."""
    references: dict[str, Check] = {}
    check = _compiled(schema, references)
    for name, definition in schema.get("$defs", {}).items():
        references[f"#/$defs/{name}"] = _compiled(definition, references)
    return check


def _compiled(schema: Schema, references: Mapping[str, Check]) -> Check:
    if "$ref" in schema:
        return _later(schema["$ref"], references)
    if "properties" in schema:
        return _object(schema, references)
    checks = [_type(schema["type"])] if "type" in schema else []
    checks += [_KEYWORDS[key](schema[key]) for key in _KEYWORDS if key in schema]
    if "anyOf" in schema:
        ways = [_compiled(way, references) for way in schema["anyOf"]]
        checks.append(lambda value: any(way(value) for way in ways))
    if "items" in schema:
        item = _compiled(schema["items"], references)
        checks.append(lambda value: all(map(item, value)))
    if "additionalProperties" in schema:
        member = _compiled(schema["additionalProperties"], references)
        checks.append(lambda value: all(map(member, value.values())))
    return checks[0] if len(checks) == 1 else lambda value: all(check(value) for check in checks)


def _later(name: str, references: Mapping[str, Check]) -> Check:
    """A definition that may contain itself: it is looked up when it is asked."""

    def check(value: Any) -> bool:
        return references[name](value)

    return check


def _type(kind: str | list[str]) -> Check:
    if isinstance(kind, str):
        return _TYPES[kind]
    checks = [_TYPES[one] for one in kind]
    return lambda value: any(check(value) for check in checks)


def _object(schema: Schema, references: Mapping[str, Check]) -> Check:
    properties = {
        name: _compiled(member, references) for name, member in schema["properties"].items()
    }
    required = schema.get("required", ())
    select = _select(schema.get("x-select"), references)

    def check(value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        for name, member in value.items():
            known = properties.get(name)
            if known is None or not known(member):
                return False
        return all(name in value for name in required) and select(value)

    return check


def _select(choice: Schema | None, references: Mapping[str, Check]) -> Check:
    if choice is None:
        return lambda _: True
    by, name = choice["by"], choice["property"]
    checks = {key: _compiled(schema, references) for key, schema in choice["schemas"].items()}

    def check(value: Any) -> bool:
        key = value.get(by)
        chosen = checks.get(key) if isinstance(key, str) else None
        return chosen is None or name not in value or chosen(value[name])

    return check
