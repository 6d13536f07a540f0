"""A SemanticRouter against the schema of the CRD, as `kubectl apply` would check it."""

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from semantic_router_operator.crd import build_crd
from semantic_router_operator.model.base import without_nulls


def violations(body: Mapping[str, Any]) -> Iterator[str]:
    """`field.path: what is wrong`, sorted by path; unknown fields count, as in kubectl, and nulls
    are absent, as for the operator."""
    version = build_crd()["spec"]["versions"][0]
    schema = json_schema(version["schema"]["openAPIV3Schema"])
    schema["required"] = ["apiVersion", "kind", "metadata"]
    schema["properties"]["metadata"] = {"type": "object", "required": ["name"]}
    errors = Draft202012Validator(schema).iter_errors(without_nulls(body))
    return iter(sorted({f"{_path(error)}: {_message(error)}" for error in errors}))


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


def _path(error: ValidationError) -> str:
    path = ""
    for part in error.absolute_path:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path or "(document)"


def _message(error: ValidationError) -> str:
    """What is wrong; a value isn't repeated where it may be long or a secret."""
    cause = min(error.context or (error,), key=lambda item: len(item.path))
    match cause.validator:
        case "type":
            wanted: Any = cause.validator_value
            wanted = wanted if isinstance(wanted, str) else " or ".join(wanted)
            return f"must be of type {wanted}"
        case "enum":
            known: Any = cause.validator_value
            return f"must be one of {', '.join(map(str, known))}"
        case _:
            return cause.message[:300]
