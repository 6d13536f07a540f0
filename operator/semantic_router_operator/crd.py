"""The CustomResourceDefinition, made from the model: crds/ is generated and never edited.

A structural schema as the API server wants it: no `$ref`, a type everywhere, no title. An explicit
null counts as absent (field case OP-17): where a field has a default the API server puts it in the
null's place, and every other optional field of the spec is `nullable`, since a server-side apply
with a null is refused otherwise.
"""

import difflib
import itertools
import json
import sys
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

import yaml

from semantic_router_operator import names
from semantic_router_operator.model.router import Spec
from semantic_router_operator.model.status_document import StatusDocument

FILE_NAME: Final = f"{names.GROUP}_{names.PLURAL}.yaml"
SIZE_LIMIT: Final = 262_144
"""Bytes of an annotation: `kubectl apply` keeps the whole file in one."""
DIFF_LINES: Final = 40

Schema = dict[str, Any]

_COPIED: Final = (
    "description",
    "type",
    "format",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "maxItems",
    "required",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
)
_BOUNDS: Final = {"ge": "minimum", "le": "maximum"}
"""pydantic's own words for a bound on a type that has a check of its own."""
_HANDLED: Final = frozenset(
    {
        "$ref",
        "anyOf",
        "additionalProperties",
        "const",
        "default",
        *_BOUNDS,
        "items",
        "properties",
        "title",
        "x-kubernetes-type",
    }
)


def build_crd() -> Schema:
    """The whole CustomResourceDefinition (apiextensions.k8s.io/v1) as plain data."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names.PLURAL}.{names.GROUP}"},
        "spec": {
            "group": names.GROUP,
            "names": {
                "kind": names.KIND,
                "listKind": f"{names.KIND}List",
                "plural": names.PLURAL,
                "shortNames": ["sr"],
                "singular": names.KIND.lower(),
            },
            "scope": "Namespaced",
            "versions": [
                {
                    "name": names.VERSION,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": router_schema()},
                    "subresources": _subresources(),
                    "additionalPrinterColumns": _printer_columns(),
                }
            ],
        },
    }


def crd_main(check: bool, *, directory: Path = Path("crds")) -> int:  # noqa: FBT001 - one flag
    """Writes the CRD into the directory; with `check` only compares. The exit status: 1 when the
    file is not what the model says."""
    file = directory / FILE_NAME
    wanted = crd_yaml()
    found = file.read_text(encoding="utf-8") if file.exists() else ""
    if not check:
        directory.mkdir(exist_ok=True)
        file.write_text(wanted, encoding="utf-8")
        return 0
    if found == wanted:
        return 0
    lines = difflib.unified_diff(
        found.splitlines(), wanted.splitlines(), str(file), "the model", lineterm="", n=1
    )
    sys.stderr.write(f"{file} is not what the model says; run `make generate`:\n")
    sys.stderr.writelines(f"{line}\n" for line in itertools.islice(lines, DIFF_LINES))
    return 1


def crd_yaml() -> str:
    """The file in crds/: the same bytes for the same model."""
    head = "# Generated from the model by `make generate`; do not edit.\n"
    body = yaml.safe_dump(
        build_crd(),
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=None,  # a field without fields in one line: a fifth fewer bytes
    )
    return f"---\n{head}{body}"


@cache
def router_schema() -> Schema:
    """The structural schema of a SemanticRouter. Shared: don't change it."""
    text: Schema = {"type": "string"}
    return {
        "description": "A vLLM Semantic Router: the models that it serves and how it runs.",
        "type": "object",
        "properties": {
            "apiVersion": {"description": f"Always {names.API_VERSION}.", **text},
            "kind": {"description": f"Always {names.KIND}.", **text},
            "metadata": {"type": "object"},
            "spec": _with_nullable(_structural_model(Spec.model_json_schema())),
            "status": {
                **_structural_model(StatusDocument.model_json_schema()),
                "default": {"observedGeneration": -1},
            },
        },
    }


def _structural_model(document: Mapping[str, Any]) -> Schema:
    definitions = document.get("$defs", {})
    return _structural({k: v for k, v in document.items() if k != "$defs"}, definitions)


def _structural(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Schema:
    """pydantic's JSON schema -> a structural one. Raises ValueError on a keyword without a rule."""
    schema = _resolved(schema, definitions)
    if unknown := schema.keys() - set(_COPIED) - _HANDLED:
        message = f"no rule for {sorted(unknown)} in {schema}"
        raise ValueError(message)
    result: Schema = {key: schema[key] for key in _COPIED if key in schema}
    result |= {word: schema[key] for key, word in _BOUNDS.items() if key in schema}
    if "const" in schema:
        result["enum"] = [schema["const"]]
    if schema.get("default") not in (None, [], {}):
        result["default"] = schema["default"]
    if "items" in schema:
        result["items"] = _structural(schema["items"], definitions)
    if isinstance(schema.get("additionalProperties"), dict):
        result["additionalProperties"] = _structural(schema["additionalProperties"], definitions)
    if "properties" in schema:
        fields = sorted(schema["properties"].items())
        result["properties"] = {name: _structural(x, definitions) for name, x in fields}
    return result


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without `$ref`, `X | None` and our mark for a Kubernetes type. What a field says of itself
    wins over what its type says."""
    if "anyOf" in schema:
        (real,) = (option for option in schema["anyOf"] if option != {"type": "null"})
        own = {key: value for key, value in schema.items() if key != "anyOf"}
        return {**_resolved(real, definitions), **own}
    if "$ref" in schema:
        return {**definitions[schema["$ref"].rsplit("/", 1)[-1]], **schema}
    if "x-kubernetes-type" in schema:
        return {**_kubernetes_types()[schema["x-kubernetes-type"]], **schema}
    return schema


def _with_nullable(schema: Schema) -> Schema:
    """The schema with `nullable` on each optional property that has neither a default nor an enum:
    the API server refuses a null in an enum, even where null is one of its values."""
    result = dict(schema)
    for inner in ("items", "additionalProperties"):
        if inner in schema:
            result[inner] = _with_nullable(schema[inner])
    if "properties" in schema:
        required = schema.get("required", ())
        result["properties"] = {
            name: _with_nullable(field)
            if name in required or field.keys() & {"default", "enum"}
            else {**_with_nullable(field), "nullable": True}
            for name, field in schema["properties"].items()
        }
    return result


@cache
def _kubernetes_types() -> Mapping[str, Schema]:
    file = resources.files("semantic_router_operator").joinpath("kubernetes_schemas.json")
    types: Mapping[str, Schema] = json.loads(file.read_text(encoding="utf-8"))["schemas"]
    return types


def _subresources() -> Schema:
    return {
        "status": {},
        "scale": {
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        },
    }


def _printer_columns() -> list[Schema]:
    """At most 120 characters a line without -o wide: a terminal that is split still shows it."""
    return [
        _column("Ready", '.status.conditions[?(@.type=="Ready")].status', "Whether it is ready."),
        _column("Status", '.status.conditions[?(@.type=="Ready")].reason', "Why it is or isn't."),
        _column("Replicas", ".status.replicasSummary", "Pods that are ready, of those wanted."),
        _column("Mode", ".status.gatewayMode", "standalone or gateway-integration."),
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        _column("URL", ".status.url", "Where clients send their requests.", priority=1),
        _column("Digest", ".status.config.digest", "sha256 of the live document.", priority=1),
    ]


def _column(name: str, path: str, description: str, *, priority: int = 0) -> Schema:
    column = {"name": name, "type": "string", "description": description, "jsonPath": path}
    return {**column, "priority": priority} if priority else column
