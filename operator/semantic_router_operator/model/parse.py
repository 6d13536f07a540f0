"""Raw object -> SemanticRouter. Raw dicts end here."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model.router import SemanticRouter


def parse(body: Mapping[str, Any]) -> SemanticRouter:
    """The resource as frozen data.

    Raises InvalidSpec with every violation, each `spec.path[0].camelCase: what is wrong; what to
    do`, sorted and joined by ". ". Input values are not repeated: one of them may be a secret.
    """
    try:
        return SemanticRouter.model_validate(dict(body), by_alias=True, by_name=False)
    except ValidationError as error:
        raise InvalidSpec(". ".join(_violations(error))) from None


def _violations(error: ValidationError) -> list[str]:
    details = error.errors(include_input=False, include_url=False)
    return sorted({f"{_path(item['loc'])}: {_text(item)}" for item in details})


def _path(location: tuple[int | str, ...]) -> str:
    """`spec.vllmEndpoints[2].weight`; the key of a user's map is in brackets, as it is written."""
    path = ""
    for part in location:
        if isinstance(part, str) and re.fullmatch(r"\w+", part):
            path += f".{part}" if path else part
        else:
            path += f"[{part}]"
    return path


_Context = Mapping[str, Any]
_TEXTS: Final[Mapping[str, Callable[[_Context], str]]] = {
    "missing": lambda _: "is required; add it",
    "string_type": lambda _: "is not text; write it in quotes",
    "int_type": lambda _: "is not a whole number; write one, without quotes",
    "bool_type": lambda _: "is not true or false; write one of them, without quotes",
    "dict_type": lambda _: "is not an object; write key: value pairs",
    "model_type": lambda _: "is not an object; write key: value pairs",
    "tuple_type": lambda _: "is not a list; write a list",
    "literal_error": lambda c: f"is not a known value; write {c['expected']}",
    "greater_than_equal": lambda c: f"is too small; write {c['ge']} or more",
    "less_than_equal": lambda c: f"is too big; write {c['le']} or less",
    "string_too_short": lambda c: f"is too short; write at least {c['min_length']} character(s)",
    "string_too_long": lambda c: f"is too long; write at most {c['max_length']} characters",
    "too_long": lambda c: f"has too many items; keep at most {c['max_length']}",
    "string_pattern_mismatch": lambda c: f"has a wrong form; it must match {c['pattern']}",
}
"""What we say for each kind of violation that the model can find. A test keeps it complete."""


def _text(item: ErrorDetails) -> str:
    text = _TEXTS.get(item["type"])
    return text(item.get("ctx", {})) if text else item["msg"]
