"""A SemanticRouter against the schema of the CRD, as a strict `kubectl apply` would check it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from semantic_router_operator import names
from semantic_router_operator.crd import build_crd
from semantic_router_operator.model import paths
from semantic_router_operator.model.base import LABEL_PATTERN, without_nulls

_SUBDOMAIN: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
_METADATA: Final = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "maxLength": 253, "pattern": _SUBDOMAIN},
        "namespace": {"type": "string", "maxLength": 63, "pattern": LABEL_PATTERN},
    },
}


def violations(body: Mapping[str, Any]) -> Iterator[str]:
    """`field.path: what is wrong; what to do`, sorted by path.

    Unknown fields count, as in kubectl, and nulls are absent, as for the operator. What `status`
    says doesn't matter. Values aren't repeated: one of them may be a secret.
    """
    version = build_crd()["spec"]["versions"][0]
    schema = json_schema(version["schema"]["openAPIV3Schema"])
    schema["required"] = ["apiVersion", "kind", "metadata"]
    schema["properties"] |= {
        "apiVersion": {"enum": [names.API_VERSION]},
        "metadata": _METADATA,
        "status": {},
    }
    found = without_nulls({**body, "metadata": body.get("metadata") or {}})
    errors = Draft202012Validator(schema).iter_errors(found)
    return iter(sorted({line for error in errors for line in _lines(error)}))


def json_schema(node: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema for a node of a structural schema: int-or-string and unknown fields as the API
    server takes them."""
    result = {key: value for key, value in node.items() if not key.startswith("x-")}
    for word in ("nullable", "default", "format", "description"):
        result.pop(word, None)
    if "properties" in node:
        result["properties"] = {key: json_schema(sub) for key, sub in node["properties"].items()}
        if not node.get("x-kubernetes-preserve-unknown-fields"):
            result["additionalProperties"] = False
    if isinstance(node.get("items"), dict):
        result["items"] = json_schema(node["items"])
    if isinstance(node.get("additionalProperties"), dict):
        result["additionalProperties"] = json_schema(node["additionalProperties"])
    if node.get("x-kubernetes-int-or-string"):
        result.pop("anyOf", None)
        result["type"] = ["integer", "string"]
    return result


def _lines(error: ValidationError) -> Iterator[str]:
    cause: Any = min(error.context or (error,), key=lambda item: len(item.path))
    at, wanted = _path(error.absolute_path), cause.validator_value
    match cause.validator:
        case "additionalProperties":
            for key in sorted(set(cause.instance) - set(cause.schema["properties"])):
                yield f"{paths.child(at, str(key))}: is an unknown field; correct or remove it"
        case "required":
            for key in sorted(set(wanted) - set(cause.instance)):
                yield f"{paths.child(at, key)}: is required; add it"
        case word:
            text = _TEXTS.get(str(word))
            yield f"{at}: {text(wanted) if text else f'breaks the rule {word}'}"


_TEXTS: Final[Mapping[str, Callable[[Any], str]]] = {
    "type": lambda kinds: (
        "must be of type " + (kinds if isinstance(kinds, str) else " or ".join(kinds))
    ),
    "enum": lambda known: f"must be one of {', '.join(map(str, known))}",
    "pattern": lambda form: f"has a wrong form; it must match {form}",
    "minimum": lambda limit: f"is too small; write {limit} or more",
    "maximum": lambda limit: f"is too big; write {limit} or less",
    "minLength": lambda limit: f"is too short; write at least {limit} character(s)",
    "maxLength": lambda limit: f"is too long; write at most {limit} characters",
    "maxItems": lambda limit: f"has too many items; keep at most {limit}",
}
"""What we say for each word of the schema. A test keeps it complete."""


def _path(parts: Iterable[str | int]) -> str:
    path = ""
    for part in parts:
        path = paths.item(path, part) if isinstance(part, int) else paths.child(path, part)
    return path
