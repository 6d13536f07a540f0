"""What the document's schema says against a document (canonical rules, A, B and N).

The validator is compiled once. `x-select` and `x-likely` are ours, and `required` is read by a
function of ours that gives each missing key its own path.
"""

import difflib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from jsonschema import Draft202012Validator, ValidationError, validators

from semantic_router_operator.model import paths
from semantic_router_operator.validation.document_schema import document_schema
from semantic_router_operator.validation.fast_check import Check, compiled

_KINDS: Final = {
    "string": "text; write it in quotes",
    "integer": "a whole number; write one, without quotes",
    "number": "a number; write one, without quotes",
    "boolean": "true or false; write one of them, without quotes",
    "array": "a list; write a list",
    "object": "an object; write key: value pairs",
}


class Flaw(NamedTuple):
    """One thing that the schema refuses, at a path of the document."""

    code: str
    path: str
    message: str


def flaws(document: Mapping[str, Any]) -> tuple[Flaw, ...]:
    """Everything that is wrong with a document by its schema, in the document's order."""
    if _accepts()(document):
        return ()
    found = [flaw for error in _validator().iter_errors(document) for flaw in _read(error)]
    mistyped = {flaw.path for flaw in found if flaw.code == "WrongType"}
    return tuple(flaw for flaw in found if flaw.code == "WrongType" or flaw.path not in mistyped)


def _select(validator: Any, choice: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, dict) or choice["property"] not in instance:
        return
    key = instance.get(choice["by"])
    schema = choice["schemas"].get(key) if isinstance(key, str) else None
    if schema is not None:
        name = choice["property"]
        yield from validator.descend(instance[name], schema, path=name, schema_path=key)


def _required(_: Any, keys: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        yield from (ValidationError("", path=[key]) for key in keys if key not in instance)


def _likely(_: Any, words: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if instance not in words:
        yield ValidationError("is unlikely")


@cache
def _accepts() -> Check:
    return compiled(document_schema())


@cache
def _validator() -> Any:
    ours = {
        "required": _required,
        "x-select": _select,
        "x-likely": _likely,
    }
    extended = validators.extend(Draft202012Validator, ours)  # type: ignore[no-untyped-call]
    return extended(document_schema())


def _read(error: ValidationError) -> Iterator[Flaw]:
    path = _path(error)
    match error.validator:
        case "additionalProperties":
            yield from _extra_keys(error, path)
        case _:
            code, message = _said(error)
            yield Flaw(code, path, message)


def _schema(error: ValidationError) -> Mapping[str, Any]:
    """The part of the schema that found it."""
    return error.schema if isinstance(error.schema, dict) else {}


def _path(error: ValidationError) -> str:
    path = ""
    for step in error.absolute_path:
        path = paths.item(path, step) if isinstance(step, int) else paths.child(path, step)
    return path


def _extra_keys(error: ValidationError, path: str) -> Iterator[Flaw]:
    known, removed = _schema(error)["properties"], _schema(error).get("x-removed", {})
    keys: Mapping[str, Any] = dict(error.instance)  # type: ignore[arg-type]
    for key in keys:
        if key in removed:
            advice = f"write {removed[key]} instead" if removed[key] else "remove it"
            text = f"was removed from the router, which refuses it now; {advice}"
            yield Flaw("RejectedKey", paths.child(path, key), text)
        elif key not in known:
            close = difflib.get_close_matches(key, known, 1)
            yield Flaw("UnknownKey", paths.child(path, key), close[0] if close else "")


def _said(error: ValidationError) -> tuple[str, str]:
    match error.validator:
        case "type" | "anyOf":
            return "WrongType", f"is not {_wanted(error)}"
        case "enum" | "const":
            return "UnknownValue", f"is not a value that the router knows; write {_choice(error)}"
        case "x-likely":
            return "UnlikelyValue", f"is no usual value; did you mean {_choice(error)}?"
        case "pattern":
            return "InvalidFormat", _form(error)
        case "required" | "minLength" | "minItems":
            missing = error.validator == "required"
            return "MissingKey", "is missing; add it" if missing else "is empty; fill it in"
        case _:
            return "ValueOutOfRange", f"is out of range; write a number {_range(_schema(error))}"


def _wanted(error: ValidationError) -> str:
    types = _schema(error).get("type")
    if isinstance(types, str):
        return _KINDS[types]
    if types:
        return "text or a whole number; write one of them"
    return 'a whole number or "auto"; write one of them'


def _choice(error: ValidationError) -> str:
    words = error.validator_value if isinstance(error.validator_value, list) else ["auto"]
    shown = [word for word in words if word]
    return shown[0] if len(shown) == 1 else f"one of {', '.join(shown)}"


def _form(error: ValidationError) -> str:
    if error.validator_value == "^/":
        return "doesn't begin with /; write a path such as /health"
    return "is not a duration; write one such as 30s, 1m30s or 500ms"


def _range(schema: Mapping[str, Any]) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    if "exclusiveMinimum" in schema:
        return f"above {low}"
    return f"from {low} to {schema['maximum']}" if "maximum" in schema else f"of at least {low}"
