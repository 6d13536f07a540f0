"""A structural schema as a table: one row for each path, written as in tests/contract/data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]

LIMITS = ("minimum", "maximum", "minLength", "maxLength", "maxItems", "format")
KUBERNETES_LIMITS = ("list-type", "list-map-keys", "map-type")
ITEM_LIMITS = ("enum", "format", "minimum", "maximum")


@dataclass(frozen=True)
class Row:
    """What a path may hold. Numbers and flags are text, "" is "nothing said"."""

    type: str
    default: str = ""
    enum: str = ""
    pattern: str = ""
    limits: frozenset[str] = frozenset()
    required: str = "no"
    preserve: str = ""


def rows(schema: Schema, path: str, *, required: bool = False) -> Iterator[tuple[str, Row]]:
    """`path` and everything below it: `a.b`, `a[].b` for lists, `a{}.b` for maps of objects."""
    yield path, row(schema, required=required)
    inner, below = schema, path
    while True:
        if isinstance(inner.get("items"), dict):
            inner, below = inner["items"], f"{below}[]"
        elif isinstance(inner.get("additionalProperties"), dict):
            inner, below = inner["additionalProperties"], f"{below}{{}}"
        else:
            break
    firm = inner.get("required", ())
    for name, field in inner.get("properties", {}).items():
        yield from rows(field, f"{below}.{name}", required=name in firm)


def row(schema: Schema, *, required: bool) -> Row:
    return Row(
        type=type_name(schema),
        default=text(schema["default"]) if "default" in schema else "",
        enum=joined(schema.get("enum", [])),
        pattern=schema.get("pattern", ""),
        limits=frozenset(limits(schema)),
        required="yes" if required else "no",
        preserve=preserve(schema),
    )


def preserve(schema: Schema) -> str:
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return "yes"
    items = schema.get("items", {})
    return "items: yes" if items.get("x-kubernetes-preserve-unknown-fields") else ""


def type_name(schema: Schema) -> str:
    if schema.get("x-kubernetes-int-or-string"):
        return "int-or-string"
    if "items" in schema:
        return f"array<{type_name(schema['items'])}>"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"map<string,{type_name(schema['additionalProperties'])}>"
    return str(schema.get("type", "any"))


def limits(schema: Schema) -> Iterator[str]:
    yield from (f"{key}={schema[key]}" for key in LIMITS if key in schema)
    for key in KUBERNETES_LIMITS:
        if f"x-kubernetes-{key}" in schema:
            value = schema[f"x-kubernetes-{key}"]
            yield f"{key}={value if isinstance(value, str) else ','.join(value)}"
    items = schema.get("items", {})
    yield from (f"items.{key}={joined(items[key])}" for key in ITEM_LIMITS if key in items)


def joined(value: object) -> str:
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


def text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
