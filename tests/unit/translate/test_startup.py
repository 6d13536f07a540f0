"""What of a document is read at the router's start alone, and so moves the restart digest."""

from typing import Any

import pytest

from candidates import config, entry, found
from semantic_router_operator.translate.startup import startup_part

LISTENERS = [{"name": "http-8801", "port": 8801}]


def test_listeners_are_and_routing_is_not() -> None:
    document = {"listeners": LISTENERS, "routing": {"decisions": [{"name": "d"}]}}
    assert startup_part(document) == {"listeners": LISTENERS}


def test_a_star_stands_for_any_text_and_two_for_any_number_of_keys() -> None:
    modules = {
        "prompt_guard": {"model_id": "a", "threshold": 0.5, "use_cpu": True},
        "classifier": {"domain": {"model_id": "b", "threshold": 0.5, "use_mmbert_32k": True}},
        "complexity": {"backend": {"model": "c"}},
    }
    semantic = {"qwen3_model_path": "q", "use_cpu": False, "embedding_config": {"top_k": 3}}
    catalog = {"modules": modules, "embeddings": {"semantic": semantic}}
    assert startup_part({"global": {"model_catalog": catalog}}) == {
        "global": {
            "model_catalog": {
                "modules": {
                    "prompt_guard": {"model_id": "a", "use_cpu": True},
                    "classifier": {"domain": {"model_id": "b", "use_mmbert_32k": True}},
                },
                "embeddings": {"semantic": {"qwen3_model_path": "q", "use_cpu": False}},
            }
        }
    }


def test_of_a_list_only_the_items_of_the_kind_count_with_all_that_is_picked_of_each() -> None:
    local = {"name": "c", "type": "local", "model_path": "m", "labels": ["a"], "description": "d"}
    asked = {"name": "e", "type": "llm", "model": "m", "labels": ["a"]}
    found = startup_part({"routing": {"signals": {"classifiers": [asked, local]}}})
    picked = [{"model_path": "m", "labels": ["a"]}]
    assert found == {"routing": {"signals": {"classifiers": picked}}}


@pytest.mark.parametrize("classifiers", ["text", [], [5], None, {"type": "local"}])
def test_routing_of_another_shape_has_nothing(classifiers: Any) -> None:
    assert startup_part({"routing": {"signals": {"classifiers": classifiers}}}) == {}


def tracing(endpoint: str, *, weight: int = 1) -> str:
    block = {"enabled": True, "exporter": {"type": "otlp", "endpoint": endpoint}}
    spec = {
        "vllmEndpoints": [entry("a", "m", weight=weight)],
        "config": {"observability": {"tracing": block}},
    }
    return config(spec, [found("a.ns")]).restart_digest


def test_another_trace_collector_restarts_and_another_weight_does_not() -> None:
    assert tracing("a:4317") == tracing("a:4317", weight=9) != tracing("b:4317")
