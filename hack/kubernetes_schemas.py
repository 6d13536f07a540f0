"""`python hack/kubernetes_schemas.py`: the Kubernetes types inside a SemanticRouter, as a file.

Reads the OpenAPI v3 document of the core group, which a Kubernetes release publishes, and writes
the schemas that the CRD needs: `$ref`s resolved, descriptions cut to their first sentence, server
defaults left out. Run it again after a new Kubernetes version in hack/tools/go.mod; the operator's
CRD follows with `make generate`.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
TARGET: Final = ROOT / "operator" / "semantic_router_operator" / "kubernetes_schemas.json"
DOCUMENT: Final = "api/openapi-spec/v3/api__v1_openapi.json"
CORE: Final = "io.k8s.api.core.v1"
META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"
QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"

WANTED: Final = (
    f"{CORE}.Affinity",
    f"{CORE}.EnvFromSource",
    f"{CORE}.EnvVarSource",
    f"{CORE}.PodSecurityContext",
    f"{CORE}.ResourceRequirements",
    f"{CORE}.SecurityContext",
    f"{CORE}.Toleration",
    f"{CORE}.TopologySpreadConstraint",
    f"{CORE}.VolumeMount",
    f"{META}.LabelSelector",
    f"{META}.LabelSelectorRequirement",
)
KEPT: Final = (
    "type",
    "format",
    "required",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
)
QUANTITY_SCHEMA: Final = {
    "x-kubernetes-int-or-string": True,
    "pattern": (
        r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
        r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
    ),
}

Schema = dict[str, Any]


def main() -> int:
    """Write the file, or say why not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", help="folder of the module k8s.io/kubernetes; found by go list")
    arguments = parser.parse_args()
    folder = Path(arguments.source or _module("{{.Dir}}"))
    definitions = json.loads((folder / DOCUMENT).read_text())["components"]["schemas"]
    schemas = {
        name.rsplit(".", 1)[-1]: resolve({"$ref": f"/{name}"}, definitions) for name in WANTED
    }
    content = {"version": folder.name.rpartition("@")[2], "schemas": schemas}
    TARGET.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
    print(f"{TARGET.relative_to(ROOT)}: {len(schemas)} types of Kubernetes {content['version']}")
    return 0


def _module(field: str) -> str:
    command = ["go", "list", "-m", "-f", field, "k8s.io/kubernetes"]  # go comes from the PATH
    return subprocess.run(
        command, cwd=ROOT / "hack" / "tools", check=True, capture_output=True, text=True
    ).stdout.strip()


def resolve(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Schema:
    """The schema without `$ref`; what a field says of itself wins over what its type says."""
    reference = _reference(schema)
    merged = {**definitions[reference], **schema} if reference else dict(schema)
    if reference == QUANTITY:
        return {**QUANTITY_SCHEMA, **_description(schema)}
    result: Schema = {**_description(merged), **{key: merged[key] for key in KEPT if key in merged}}
    if "items" in merged:
        result["items"] = resolve(merged["items"], definitions)
    if "additionalProperties" in merged:
        result["additionalProperties"] = resolve(merged["additionalProperties"], definitions)
    if "properties" in merged:
        result["properties"] = {
            name: {**resolve(field, definitions), **_default(name, field, merged)}
            for name, field in merged["properties"].items()
        }
    return result


def _reference(schema: Mapping[str, Any]) -> str:
    """Name of the type that the schema refers to, directly or by `allOf`; "" for none."""
    references = [schema, *schema.get("allOf", ())]
    found = [item["$ref"] for item in references if "$ref" in item]
    return found[0].rsplit("/", 1)[-1] if found else ""


def _default(name: str, field: Mapping[str, Any], owner: Mapping[str, Any]) -> Schema:
    """A default that the type really has: the document also gives Go's zero values as defaults."""
    real = isinstance(field.get("default"), bool) and name not in owner.get("required", ())
    return {"default": field["default"]} if real else {}


def _description(schema: Mapping[str, Any]) -> Schema:
    text = " ".join(schema.get("description", "").split())
    sentences = re.split(r"(?<=[^.][^.]\.) (?=[A-Z`'\"])", text)
    short = sentences[0] if sentences[0] not in {"Required.", "Optional."} else sentences[1]
    return {"description": short} if short else {}


if __name__ == "__main__":
    sys.exit(main())
