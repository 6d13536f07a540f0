"""JSON Schema of the router's document, built from one table: canonical_fields.tsv. Pure.

A row is a field of the document as the newer router reads it:

    path      routing.decisions[].modelRefs[].model; [] is a list's item, {} a map's value, and
              <type=rag> the configuration of a plugin of that type
    type      string, int, float, bool, object, list(...), map(string,...), any; a `removed` key is
              one that the router had once and refuses now
    required  yes: the object isn't complete without it; a required text is not empty
    values    the words that the router knows, by |; with * among them others load as well
    limits    0..1, >=0, >0, nonempty, duration (as Go writes it), slash (begins with one); of a
              list, of each item; for a removed key: what to write instead

Keys that are not in the table are refused, as the router does (additionalProperties false). Three
keywords are ours: `x-removed` (key -> what to write instead), `x-likely` (an enum that others may
leave) and `x-select` (schema of one property by the value of another).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

Schema = dict[str, Any]
DURATION: Final = r"^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$"
_TREE: Final = "routing.decisions[].rules"
_TREE_REF: Final[Schema] = {"$ref": "#/$defs/condition"}
_TYPES: Final[Mapping[str, Schema]] = {
    "string": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "any": {},
    "string|int": {"type": ["string", "integer"]},
    'int|"auto"': {"anyOf": [{"type": "integer"}, {"const": "auto"}]},
    "object(schemaless)": {"type": "object"},
}
_FORMATS: Final[Mapping[str, Schema]] = {
    "duration": {"pattern": DURATION},
    "slash": {"pattern": "^/"},
    "nonempty": {"minLength": 1},
}


class Row(NamedTuple):
    """A line of the table."""

    path: str
    type: str
    required: str
    values: str
    limits: str


@dataclass(slots=True)
class _Node:
    """A place in the document: its row, and what is below it."""

    row: Row | None = None
    fields: dict[str, "_Node"] = field(default_factory=dict)
    variants: dict[str, "_Node"] = field(default_factory=dict)


def rows() -> Iterator[Row]:
    """The table."""
    file = resources.files(__package__).joinpath("canonical_fields.tsv")
    lines = file.read_text(encoding="utf-8").splitlines()
    return (Row(*line.split("\t")) for line in lines[1:])


@cache
def document_schema() -> Schema:
    """The whole document."""
    root = _Node()
    for row in rows():
        _place(root, row)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_object(root, ""),
        "$defs": {"condition": _object(_at(root, _TREE), _TREE)},
    }


def _place(root: _Node, row: Row) -> None:
    node = _at(root, row.path)
    node.row = row


def _at(root: _Node, path: str) -> _Node:
    node = root
    for step in _steps(path):
        name, _, variant = step.partition("<type=")
        node = node.fields.setdefault(name, _Node())
        if variant:
            node = node.variants.setdefault(variant.removesuffix(">"), _Node())
    return node


def _steps(path: str) -> list[str]:
    return path.replace("[]", ".[]").replace("{}", ".{}").split(".")


def _schema(node: _Node, path: str) -> Schema:
    if path == _TREE or (node.row and node.row.type == "object(recursive:RuleNode)"):
        return dict(_TREE_REF)
    if "[]" in node.fields:
        least = {"minItems": 1} if _is_required(node) else {}
        return {"type": "array", **least, "items": _schema(node.fields["[]"], f"{path}[]")}
    if "{}" in node.fields:
        values = _schema(node.fields["{}"], f"{path}{{}}")
        return {"type": "object", "additionalProperties": values}
    if node.fields or node.row is None or node.row.type == "object":
        return _object(node, path)
    return _value(node.row)


def _object(node: _Node, path: str) -> Schema:
    removed = {
        name: child.row.limits
        for name, child in node.fields.items()
        if child.row and child.row.type == "removed"
    }
    known = {name: child for name, child in node.fields.items() if name not in removed}
    required = [name for name, child in known.items() if _is_required(child)]
    select = next((_select(name, x.variants) for name, x in known.items() if x.variants), None)
    return {
        "type": "object",
        **({"required": required} if required else {}),
        "properties": {name: _schema(child, f"{path}.{name}") for name, child in known.items()},
        "additionalProperties": False,
        **({"x-removed": removed} if removed else {}),
        **({"x-select": select} if select else {}),
    }


def _is_required(node: _Node) -> bool:
    row = (node.fields.get("[]") or node).row
    return bool(row and row.required)


def _select(name: str, variants: Mapping[str, _Node]) -> Schema:
    schemas = {type_: _object(variant, "") for type_, variant in variants.items()}
    return {"by": "type", "property": name, "schemas": schemas}


def _value(row: Row) -> Schema:
    kind = row.type
    if kind.startswith("list("):
        item = row._replace(type=kind[5:-1], required="")
        return {"type": "array", **_filled(row, "minItems"), "items": _value(item)}
    if kind.startswith("map(string,"):
        member = row._replace(type=kind[11:-1], required="")
        return {"type": "object", "additionalProperties": _value(member)}
    length = _filled(row, "minLength") if kind == "string" else {}
    return {**_TYPES[kind], **length, **_words(row.values), **_limits(row.limits)}


def _filled(row: Row, keyword: str) -> Schema:
    return {keyword: 1} if row.required else {}


def _words(values: str) -> Schema:
    words = values.split("|") if values else []
    if "*" in words:
        return {"x-likely": words[:-1]}
    return {"enum": words} if words else {}


def _limits(limits: str) -> Schema:
    if limits in _FORMATS:
        return dict(_FORMATS[limits])
    low, between, high = limits.partition("..")
    if between:
        return {"minimum": int(low), "maximum": int(high)}
    if limits.startswith(">="):
        return {"minimum": int(limits[2:])}
    return {"exclusiveMinimum": int(limits[1:])} if limits else {}
