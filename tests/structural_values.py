"""hypothesis: any value that a structural schema accepts, the way the API server stores it."""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

Schema = Mapping[str, Any]
INT_LIMITS = {"int32": 1 << 31, "int64": 1 << 63}
LABELS = st.from_regex(r"\A[a-z][a-z0-9.-]{0,6}\Z")
JSON_TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 63) - 1)
    | JSON_TEXT
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JSON_TEXT, inner, max_size=3),
    max_leaves=6,
)
"""What may stand where the schema asks for nothing."""


_UNKNOWN = st.dictionaries(JSON_TEXT, anything, max_size=3)


def values(schema: Schema) -> st.SearchStrategy[Any]:
    """Values of the schema; a nullable one may be None."""
    strategy = _values(schema)
    return st.none() | strategy if schema.get("nullable") else strategy


def _values(schema: Schema) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("x-kubernetes-int-or-string"):
        return _integers(schema) | _texts(schema)
    if "type" not in schema:
        return st.text() | st.dictionaries(st.text(), st.text() | st.integers(), max_size=2)
    return _BY_TYPE[schema["type"]](schema)


def _lists(schema: Schema) -> st.SearchStrategy[list[Any]]:
    return st.lists(values(schema["items"]), max_size=min(schema.get("maxItems", 2), 2))


def _objects(schema: Schema) -> st.SearchStrategy[dict[str, Any]]:
    if isinstance(schema.get("additionalProperties"), dict):
        return st.dictionaries(LABELS, values(schema["additionalProperties"]), max_size=2)
    fields = {name: values(field) for name, field in schema.get("properties", {}).items()}
    required = set(schema.get("required", ()))
    said = st.fixed_dictionaries(
        {name: field for name, field in fields.items() if name in required},
        optional={name: field for name, field in fields.items() if name not in required},
    )
    if not schema.get("x-kubernetes-preserve-unknown-fields"):
        return said
    unknown = _UNKNOWN.map(lambda x: {key: item for key, item in x.items() if key not in fields})
    return st.builds(lambda more, own: {**more, **own}, unknown, said)


def _integers(schema: Schema) -> st.SearchStrategy[int]:
    limit = INT_LIMITS[schema.get("format", "int64")]
    return st.integers(schema.get("minimum", -limit), schema.get("maximum", limit - 1))


def _texts(schema: Schema) -> st.SearchStrategy[str]:
    if "pattern" in schema:
        limit = schema.get("maxLength", 1 << 10)
        pattern: str = schema["pattern"]
        return st.from_regex(pattern, fullmatch=True).filter(lambda x: len(x) <= limit)
    longest = min(schema.get("maxLength", 20), 20)
    return st.text(
        st.characters(codec="utf-8"), min_size=schema.get("minLength", 0), max_size=longest
    )


_BY_TYPE: Mapping[str, Callable[[Schema], st.SearchStrategy[Any]]] = {
    "array": _lists,
    "boolean": lambda _: st.booleans(),
    "integer": _integers,
    "object": _objects,
    "string": _texts,
}
