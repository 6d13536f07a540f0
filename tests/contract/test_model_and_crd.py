"""What the API server accepts by the CRD, the model reads; what the samples say, both accept."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from path_values import minimal, placed
from semantic_router_operator.cli.schema_check import violations
from semantic_router_operator.crd import router_schema
from semantic_router_operator.model.parse import parse
from structural_values import values

SPEC = router_schema()["properties"]["spec"]
CONFIG = SPEC["properties"]["config"]
FIELDS = [
    *((name, field) for name, field in SPEC["properties"].items() if name != "config"),
    *((f"config.{name}", field) for name, field in CONFIG["properties"].items()),
]
SAMPLES = Path(__file__).parents[2] / "samples"

Document = dict[str, Any]


def router(spec: object) -> Document:
    return {"metadata": {"name": "a"}, "spec": spec}


def samples() -> Iterator[Document]:
    for path in sorted(SAMPLES.glob("**/*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            if document and document.get("kind") == "SemanticRouter":
                yield document


@pytest.mark.parametrize(("name", "schema"), FIELDS, ids=[name for name, _ in FIELDS])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_a_field_that_the_schema_accepts_is_read(
    name: str, schema: Document, data: st.DataObject
) -> None:
    parse(router(placed(SPEC, name, data.draw(values(schema)))))


def blocks(schema: Document, path: str = "") -> Iterator[tuple[str, Document]]:
    """(path, schema) of every object with a default for one of its fields."""
    fields = schema.get("properties", {})
    if any("default" in field for field in fields.values()):
        yield path, schema
    for name, field in fields.items():
        yield from blocks(field, f"{path}.{name}".removeprefix("."))
    for inner, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(schema.get(inner), dict):
            yield from blocks(schema[inner], f"{path}{mark}")


PASSED_ON = ("env[].valueFrom",)
"""Kubernetes' own types: the model doesn't look inside."""
BLOCKS = [(path, block) for path, block in blocks(SPEC) if not path.startswith(PASSED_ON)]


@pytest.mark.parametrize(("path", "block"), BLOCKS, ids=[path for path, _ in BLOCKS])
def test_a_default_of_the_schema_is_also_the_models(path: str, block: Document) -> None:
    """A router from a file, and one stored before the default came, must read the same."""
    fields = block["properties"].items()
    filled = {name: field["default"] for name, field in fields if "default" in field}
    least = minimal(block)
    with_defaults = parse(router(placed(SPEC, path, {**filled, **least})))
    assert parse(router(placed(SPEC, path, least))) == with_defaults


def test_there_are_samples_of_every_kind_of_backend() -> None:
    kinds = {x["backend"]["type"] for r in samples() for x in r["spec"].get("vllmEndpoints", ())}
    backend = SPEC["properties"]["vllmEndpoints"]["items"]["properties"]["backend"]
    assert kinds == set(backend["properties"]["type"]["enum"])


@pytest.mark.parametrize("sample", list(samples()), ids=lambda x: str(x["metadata"]["name"]))
def test_a_sample_is_accepted_and_read(sample: Document) -> None:
    assert list(violations(sample)) == []
    assert parse(sample).name == sample["metadata"]["name"]
