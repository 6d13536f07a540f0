"""Every path of the CRD's spec with values that it accepts and values that it refuses.

A valid value is accepted by the schema and read back by the model as it was written: nothing is
pruned and nothing changes its type. An invalid one is refused by the schema with its path, and by
the model as well, but for what is passed on to Kubernetes objects untouched.
"""

import re
from typing import Any

import pytest

from path_values import at, invalid, placed, valid
from schema_paths import rows
from semantic_router_operator.cli.schema_check import violations
from semantic_router_operator.crd import router_schema
from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model.parse import parse

SPEC = router_schema()["properties"]["spec"]
PATHS = [path.removeprefix("spec.") for path, _ in rows(SPEC, "spec") if path != "spec"]
READ_BY_THE_MODEL = ("config", "toolsDb", "vllmEndpoints")
ANYTHING_GOES = {"vllmEndpoints[].backend.endpoint": [5]}
"""Paths that the schema leaves to the operator, with a value that the model refuses."""
PASSED_ON = "matchExpressions"


def body(spec: object) -> dict[str, Any]:
    return {
        "apiVersion": "vllm.ai/v1alpha1",
        "kind": "SemanticRouter",
        "metadata": {"name": "r"},
        "spec": spec,
    }


def judged_by_the_model(path: str) -> bool:
    return re.split(r"\W", path, maxsplit=1)[0] in READ_BY_THE_MODEL and PASSED_ON not in path


@pytest.mark.parametrize("path", PATHS)
def test_a_valid_value_is_accepted_and_read_as_it_was_written(path: str) -> None:
    values = list(valid(at(SPEC, path)))
    assert values
    for value in values:
        spec = placed(SPEC, path, value)
        assert list(violations(body(spec))) == []
        read = parse(body(spec)).spec
        assert read.model_dump(by_alias=True, exclude_unset=True, mode="json") == spec


@pytest.mark.parametrize("path", PATHS)
def test_an_invalid_value_is_refused_with_its_path(path: str) -> None:
    shown = "spec." + path.replace("[]", "[0]").replace("{}", ".key")
    values = list(invalid(at(SPEC, path)))
    assert values or path in ANYTHING_GOES
    for value in values:
        found = list(violations(body(placed(SPEC, path, value))))
        assert found, value
        assert all(text.startswith(shown) for text in found)
    if judged_by_the_model(path):
        for value in values or ANYTHING_GOES[path]:
            with pytest.raises(InvalidSpec) as caught:
                parse(body(placed(SPEC, path, value)))
            assert caught.value.message.replace("[key]", ".key").startswith(shown)
