"""What `render` says of a router that the API server, or kubectl, wouldn't take."""

from collections.abc import Iterator
from typing import Any

import pytest

from semantic_router_operator.cli import schema_check
from semantic_router_operator.crd import router_schema
from unit.cli.rendering import HEAD, ROUTER, Render

UNKNOWN = "is an unknown field; correct or remove it"


def test_an_unknown_field_is_reported_with_its_path_and_nothing_is_printed(
    render: Render,
) -> None:
    said = render(f"{ROUTER}spec: {{replicsa: 2}}\n")
    assert (said.code, said.out) == (1, "")
    assert said.err == f"SemanticRouter a: error: spec.replicsa: {UNKNOWN}\n"


def test_every_mistake_is_reported_at_once_sorted_by_path(render: Render) -> None:
    said = render(
        f"{ROUTER}spec: {{replicas: two, vllmEndpoints: [{{name: a, model: m, bakend: {{}}, "
        "backend: {type: service, service: {name: x, prot: 1}}}], zzz: 1}\n"
    )
    assert said.code == 1
    assert said.errors == [
        "error: spec.replicas: must be of type integer",
        "error: spec.vllmEndpoints[0].backend.service.port: is required; add it",
        f"error: spec.vllmEndpoints[0].backend.service.prot: {UNKNOWN}",
        f"error: spec.vllmEndpoints[0].bakend: {UNKNOWN}",
        f"error: spec.zzz: {UNKNOWN}",
    ]


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ("[]", "spec"),
        ("{replicas: true}", "spec.replicas"),
        ("{replicas: 1.5}", "spec.replicas"),
        ("{vllmEndpoints: {}}", "spec.vllmEndpoints"),
        ("{vllmEndpoints: [5]}", "spec.vllmEndpoints[0]"),
        ("{config: [1]}", "spec.config"),
        ("{autoscaling: {enabled: 'yes'}}", "spec.autoscaling.enabled"),
        ("{image: {tag: 5}}", "spec.image.tag"),
        ("{hardware: {profile: tpu}}", "spec.hardware.profile"),
        ("{vllmEndpoints: [{name: a, model: '', backend: {type: url}}]}", "spec.vllmEndpoints[0]"),
    ],
)
def test_a_wrong_type_is_reported_with_its_path(spec: str, path: str, render: Render) -> None:
    said = render(f"{ROUTER}spec: {spec}\n")
    assert (said.code, said.out) == (1, "")
    assert said.errors[0].startswith(f"error: {path}")


def test_a_value_is_not_repeated_since_it_may_be_a_secret(render: Render) -> None:
    said = render(f"{ROUTER}spec: {{replicas: hunter2, image: {{tag: [hunter2]}}}}\n")
    assert said.code == 1
    assert "hunter2" not in said.err


@pytest.mark.parametrize(
    "spec",
    [
        "null",
        "{replicas: null, vllmEndpoints: null, config: null}",
        "{hardware: {profile: null}, autoscaling: null, image: {tag: null}}",
        "{vllmEndpoints: [null], config: {routing: null}}",
    ],
)
def test_nulls_count_as_absent(spec: str, render: Render) -> None:
    assert render(f"{ROUTER}spec: {spec}\n") == render(ROUTER)


def test_nulls_in_the_metadata_count_as_absent(render: Render) -> None:
    said = render(f"{HEAD}metadata: {{name: a, namespace: null, labels: null}}\n")
    assert said == render(ROUTER)


def test_keys_below_a_part_that_is_passed_on_are_the_routers_business(render: Render) -> None:
    said = render(f"{ROUTER}spec: {{config: {{routing: {{not_known_to_us: 1}}}}}}\n")
    assert UNKNOWN not in said.err


@pytest.mark.parametrize("metadata", ["{}", "null", "{namespace: x}", "{generateName: a-}"])
def test_a_router_without_a_name_is_an_error(metadata: str, render: Render) -> None:
    said = render(f"{HEAD}metadata: {metadata}\n")
    assert (said.code, said.out) == (1, "")
    assert said.err == "SemanticRouter ?: error: metadata.name: is required; add it\n"


@pytest.mark.parametrize("name", ["Bad", "a_b", "-a", "a..b", "a" * 254])
def test_a_name_that_the_api_server_refuses_is_an_error(name: str, render: Render) -> None:
    said = render(f"{HEAD}metadata: {{name: {name}}}\n")
    assert (said.code, said.out) == (1, "")
    assert "error: metadata.name: " in said.err


def test_another_version_of_the_api_is_an_error(render: Render) -> None:
    said = render(ROUTER.replace("v1alpha1", "v2"))
    assert said.errors == ["error: apiVersion: must be one of vllm.ai/v1alpha1"]


def test_a_router_without_an_api_version_is_an_error(render: Render) -> None:
    said = render("kind: SemanticRouter\nmetadata: {name: a}\n")
    assert said.errors == ["error: apiVersion: is required; add it"]


def test_one_bad_router_does_not_hide_a_good_one(render: Render) -> None:
    bad = ROUTER.replace("name: a", "name: bad") + "spec: {replicas: x}\n"
    said = render(f"{bad}---\n{ROUTER}")
    assert said.code == 1
    assert said.err == "SemanticRouter bad: error: spec.replicas: must be of type integer\n"
    assert said.out == render(ROUTER).out


def words(node: Any) -> Iterator[str]:
    """The words of a schema that can be broken."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "properties":
                for child in value.values():
                    yield from words(child)
            else:
                yield key
                yield from words(value) if key in {"items", "additionalProperties"} else ()


SILENT = {"description", "default", "format", "nullable", "properties", "items", "required"}
SILENT |= {"additionalProperties"}


def test_every_word_of_the_schema_has_a_text_of_its_own() -> None:
    used = {word for word in words(router_schema()) if not word.startswith("x-")} - SILENT
    assert used <= set(schema_check._TEXTS)
