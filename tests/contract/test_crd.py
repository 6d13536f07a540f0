"""The CustomResourceDefinition: the file in crds/, its shape, and what a user reads of it."""

import json
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml

from semantic_router_operator.crd import (
    FILE_NAME,
    SIZE_LIMIT,
    build_crd,
    crd_main,
    crd_yaml,
    router_schema,
)

CRDS = Path(__file__).parents[2] / "crds"
VERSION = build_crd()["spec"]["versions"][0]


def nodes(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield path, schema
    for name, field in schema.get("properties", {}).items():
        yield from nodes(field, f"{path}.{name}")
    for inner, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(schema.get(inner), dict):
            yield from nodes(schema[inner], f"{path}{mark}")


NODES = dict(nodes(router_schema(), ""))


def test_the_file_is_what_the_model_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert crd_main(check=True, directory=CRDS) == 0, capsys.readouterr().err


def test_check_shows_what_is_outdated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert crd_main(check=True, directory=tmp_path) == 1
    assert crd_main(check=False, directory=tmp_path) == 0
    file = tmp_path / FILE_NAME
    file.write_text(file.read_text().replace("shortNames: [sr]", "shortNames: [router]"))
    capsys.readouterr()
    assert crd_main(check=True, directory=tmp_path) == 1
    error = capsys.readouterr().err
    assert "make generate" in error
    assert "-    shortNames: [router]\n+    shortNames: [sr]\n" in error


def test_the_file_fits_into_the_annotation_of_kubectl_apply() -> None:
    assert len(crd_yaml().encode()) < SIZE_LIMIT


def test_the_file_reads_back_as_what_was_built() -> None:
    assert yaml.safe_load(crd_yaml()) == build_crd()


def test_the_names_are_those_of_the_contract() -> None:
    spec = build_crd()["spec"]
    assert spec["names"] == {
        "kind": "SemanticRouter",
        "listKind": "SemanticRouterList",
        "plural": "semanticrouters",
        "singular": "semanticrouter",
        "shortNames": ["sr"],
    }
    assert (spec["group"], spec["scope"]) == ("vllm.ai", "Namespaced")
    assert (VERSION["name"], VERSION["served"], VERSION["storage"]) == ("v1alpha1", True, True)


def test_the_kubernetes_types_are_those_of_the_version_that_the_tests_run() -> None:
    file = resources.files("semantic_router_operator") / "kubernetes_schemas.json"
    version = json.loads(file.read_text())["version"]
    assert f"k8s.io/kubernetes {version}\n" in (CRDS.parent / "hack/tools/go.mod").read_text()


def test_every_field_is_described() -> None:
    silent = [
        path
        for path, node in NODES.items()
        if not path.endswith(("[]", "{}")) and path != ".metadata" and not node.get("description")
    ]
    assert silent == []


def test_a_description_is_a_sentence() -> None:
    odd = [
        path
        for path, node in NODES.items()
        if path.startswith((".spec.vllmEndpoints", ".spec.config", ".status"))
        and "description" in node
        and not node["description"].rstrip('"').endswith(".")
    ]
    assert odd == []


def test_the_schema_is_structural() -> None:
    untyped = [
        path
        for path, node in NODES.items()
        if "type" not in node
        and not node.get("x-kubernetes-int-or-string")
        and not node.get("x-kubernetes-preserve-unknown-fields")
    ]
    assert untyped == []
    assert not {"$ref", "anyOf", "allOf", "oneOf", "title"} & {k for n in NODES.values() for k in n}


def test_an_explicit_null_counts_as_absent_for_every_optional_field() -> None:
    """OP-17. A null in an enum is refused by the API server whatever `nullable` says; it drops
    such a null by itself, except in a server-side apply."""
    refused = [
        path
        for path, node in NODES.items()
        if path.startswith(".spec.")
        for name, field in node.get("properties", {}).items()
        if name not in node.get("required", ())
        and not field.get("nullable")
        and not field.keys() & {"default", "enum"}
    ]
    assert refused == []
    both = [p for p, node in NODES.items() if node.get("nullable") and node.keys() & {"default"}]
    assert both == []


def test_lists_of_the_spec_accept_duplicates_like_the_go_operators() -> None:
    assert "x-kubernetes-list-type" not in NODES[".spec.vllmEndpoints"]
    assert "x-kubernetes-list-type" not in NODES[".spec.env"]


def test_the_routers_own_routing_block_is_passed_whole() -> None:
    """SR-12: what the router knows and we don't is not pruned."""
    open_paths = [p for p, n in NODES.items() if n.get("x-kubernetes-preserve-unknown-fields")]
    assert open_paths == [
        ".spec.config.decisions[].algorithm",
        ".spec.config.decisions[].plugins[]",
        ".spec.config.model_admission",
        ".spec.config.model_deployments",
        ".spec.config.routing",
        ".spec.toolsDb[].tool.function.parameters.properties",
        ".spec.vllmEndpoints[].backend.endpoint",
        ".spec.volumes[]",
    ]


def test_replicas_can_be_scaled() -> None:
    assert VERSION["subresources"] == {
        "status": {},
        "scale": {
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        },
    }


def test_a_line_of_kubectl_get_fits_into_120_characters() -> None:
    columns = VERSION["additionalPrinterColumns"]
    narrow = [column["name"] for column in columns if not column.get("priority")]
    assert narrow == ["Ready", "Status", "Replicas", "Mode", "Age"]
    assert [c["name"] for c in columns if c.get("priority")] == ["URL", "Digest"]
    longest = {
        "Name": "a-router-with-a-long-name",
        "Ready": "Unknown",
        "Status": "ConflictingModelSettings",
        "Replicas": "10/100",
        "Mode": "gateway-integration",
        "Age": "365d",
    }
    widths = [max(len(title), len(value)) for title, value in longest.items()]
    gaps = 3 * (len(widths) - 1)
    assert sum(widths) + gaps <= 120


@pytest.mark.parametrize("column", VERSION["additionalPrinterColumns"], ids=lambda c: c["name"])
def test_a_printer_column_shows_a_field_that_exists(column: Mapping[str, Any]) -> None:
    path = column["jsonPath"].replace('[?(@.type=="Ready")]', "[]")
    assert path in NODES or path == ".metadata.creationTimestamp"


def test_a_status_that_nobody_has_looked_at_is_not_current() -> None:
    assert NODES[".status"]["default"] == {"observedGeneration": -1}
