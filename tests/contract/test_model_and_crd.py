"""What the API server accepts by the CRD, the model reads; what the samples say, both accept."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_router_operator.cli.schema_check import violations
from semantic_router_operator.crd import router_schema
from semantic_router_operator.model.parse import parse
from structural_values import values

SPEC = router_schema()["properties"]["spec"]
FIELDS = sorted(SPEC["properties"].items())
SAMPLES = Path(__file__).parents[2] / "samples"

Document = dict[str, Any]


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
    parse({"metadata": {"name": "a"}, "spec": {name: data.draw(values(schema))}})


def defaults(schema: Document, path: str = "") -> Iterator[tuple[str, object]]:
    for name, field in schema.get("properties", {}).items():
        if "default" in field:
            yield f"{path}{name}", field["default"]
        yield from defaults(field, f"{path}{name}.")


def test_a_default_of_the_schema_is_also_the_models() -> None:
    """A router from a file, and one stored before the default came, must read the same."""
    spec = parse({"metadata": {"name": "a"}}).spec.model_dump(by_alias=True)
    differing = []
    for path, default in defaults(SPEC):
        value: Any = spec
        for step in path.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        if value != default and not path.startswith("openshift.routes.tls."):
            differing.append((path, default, value))
    assert differing == []


def test_there_are_samples_of_every_kind_of_backend() -> None:
    kinds = {x["backend"]["type"] for r in samples() for x in r["spec"].get("vllmEndpoints", ())}
    backend = SPEC["properties"]["vllmEndpoints"]["items"]["properties"]["backend"]
    assert kinds == set(backend["properties"]["type"]["enum"])


@pytest.mark.parametrize("router", list(samples()), ids=lambda x: str(x["metadata"]["name"]))
def test_a_sample_is_accepted_and_read(router: Document) -> None:
    assert list(violations(router)) == []
    assert parse(router).name == router["metadata"]["name"]
