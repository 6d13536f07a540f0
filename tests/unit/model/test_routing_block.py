from typing import Any

import pytest

from semantic_router_operator.model.routing_block import algorithm_models, each


def test_every_value_at_a_path_comes_with_its_own_path() -> None:
    block = {"a": [{"b": 1}, {"c": 2}, "x", {"b": [3]}]}
    assert list(each(block, "a[].b")) == [("a[0].b", 1), ("a[3].b", [3])]
    assert list(each(block, "a[].b[]", "routing")) == [("routing.a[3].b[0]", 3)]


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, {"a": None}, {"a": "b"}, {"a": [[]]}])
def test_what_has_another_shape_gives_none(value: Any) -> None:
    assert list(each(value, "a[].b")) == []


def test_every_field_of_an_algorithm_that_names_a_model_is_known() -> None:
    algorithm = {
        "prompt": {"model": "1"},
        "remom": {"synthesis_model": "2"},
        "fusion": {
            "model": "3",
            "analysis_models": ["4", "5"],
            "analysis_overrides": [{"model": "6"}],
        },
        "workflows": {
            "roles": [{"models": ["7"]}],
            "final": {"model": "8"},
            "planner": {"model": "9"},
        },
    }
    assert dict(algorithm_models(algorithm)) == {
        "prompt.model": "1",
        "remom.synthesis_model": "2",
        "fusion.model": "3",
        "fusion.analysis_models[0]": "4",
        "fusion.analysis_models[1]": "5",
        "fusion.analysis_overrides[0].model": "6",
        "workflows.roles[0].models[0]": "7",
        "workflows.final.model": "8",
        "workflows.planner.model": "9",
    }
