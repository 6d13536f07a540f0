"""spec.config and spec.toolsDb as the model reads them."""

from typing import Any

import pytest

from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model.config import Config
from semantic_router_operator.model.config.tools import ToolEntry
from semantic_router_operator.model.parse import parse


def config(value: Any) -> Config:
    return parse({"metadata": {"name": "r"}, "spec": {"config": value}}).spec.config


def tools(value: Any) -> tuple[ToolEntry, ...]:
    return parse({"metadata": {"name": "r"}, "spec": {"toolsDb": value}}).spec.tools_db


def violations(spec: Any) -> list[str]:
    with pytest.raises(InvalidSpec) as caught:
        parse({"metadata": {"name": "r"}, "spec": spec})
    return caught.value.message.split(". ")


@pytest.mark.parametrize("value", [None, {}, dict.fromkeys(Config.model_fields)])
def test_a_block_that_is_not_given_is_none(value: Any) -> None:
    read = config(value)
    assert read == Config()
    assert read.response_cache is None
    assert (read.prompt_guard, read.tools, read.decisions) == (None, None, ())


def test_a_block_that_is_given_empty_has_its_defaults_and_no_blocks_inside() -> None:
    cache = config({"semantic_cache": {"milvus": {"connection": {}}}}).semantic_cache
    assert cache is not None
    assert cache.milvus is not None
    assert cache.milvus.connection is not None
    assert (cache.enabled, cache.backend_type, cache.similarity_threshold) == (
        True,
        "memory",
        "0.8",
    )
    assert (cache.milvus.connection.port, cache.milvus.connection.host) == (19530, None)
    assert (cache.redis, cache.milvus.collection, cache.milvus.connection.auth) == (None,) * 3


def test_where_a_model_runs_is_none_unless_it_is_said() -> None:
    read = config({"prompt_guard": {}, "embedding_models": {"use_cpu": True}})
    assert read.prompt_guard is not None
    assert read.prompt_guard.use_cpu is None
    assert read.embedding_models is not None
    assert read.embedding_models.use_cpu is True


def test_names_with_capitals_are_read_as_they_are_written() -> None:
    params = {"M": 32, "efConstruction": 128}
    read = config(
        {
            "response_cache": {"redis": {"index": {"params": params}}},
            "decisions": [
                {
                    "name": "d",
                    "rules": {"operator": "AND", "conditions": []},
                    "modelRefs": [{"model": "m", "lora_name": "l"}],
                }
            ],
        }
    )
    assert read.response_cache is not None
    assert read.response_cache.redis is not None
    assert read.response_cache.redis.index is not None
    found = read.response_cache.redis.index.params
    assert found is not None
    assert (found.m, found.ef_construction) == (32, 128)
    assert read.decisions[0].model_refs[0].lora_name == "l"


def test_what_is_passed_on_whole_keeps_what_nobody_knows() -> None:
    deployments = {"a": {"b": [None, {"c": 1.5}]}}
    plugin = {"type": "new", "configuration": {"x": None}}
    decision = {"name": "d", "rules": {"operator": "OR", "conditions": []}, "plugins": [plugin]}
    read = config({"model_deployments": deployments, "decisions": [decision]})
    assert read.model_deployments == deployments
    assert read.decisions[0].plugins == (plugin,)


def test_the_schema_of_a_tools_arguments_is_passed_on_whole() -> None:
    properties = {"a": {"type": "string", "enum": ["x", None], "$ref": "#/x"}}
    function = {"name": "f", "parameters": {"type": "object", "properties": properties}}
    (entry,) = tools([None, {"tool": {"type": "function", "function": function}, "tags": ["t"]}])
    assert entry.tool is not None
    assert entry.tool.function is not None
    assert entry.tool.function.parameters is not None
    assert entry.tool.function.parameters.properties == properties
    assert entry.tags == ("t",)


def test_every_violation_is_reported_at_once_with_its_path() -> None:
    spec = {
        "config": {
            "response_cache": {"similarity_threshold": 0.8, "qdrant": {"port": 0}},
            "prompt_guard": {"threshold": "1.5", "window": {}},
            "decisions": [{"name": "d", "rules": {"operator": "AND"}}],
            "embedding_models": {"embedding_config": {"target_layer": 4}},
        },
        "toolsDb": [{"tool": {"type": "retrieval"}}],
    }
    assert violations(spec) == [
        "spec.config.decisions[0].rules.conditions: is required; add it",
        (
            "spec.config.embedding_models.embedding_config.target_layer: is not a known value; "
            "write 3, 6, 11 or 22"
        ),
        (
            "spec.config.prompt_guard.threshold: has a wrong form; it must match "
            r"^0(\.[0-9]+)?$|^1(\.0+)?$"
        ),
        "spec.config.prompt_guard.window.size: is required; add it",
        "spec.config.response_cache.qdrant.port: is too small; write 1 or more",
        "spec.config.response_cache.similarity_threshold: is not text; write it in quotes",
        "spec.toolsDb[0].tool.type: is not a known value; write 'function'",
    ]


def test_a_password_of_the_wrong_type_is_not_repeated() -> None:
    spec = {"config": {"response_cache": {"redis": {"connection": {"password": 4711}}}}}
    (said,) = violations(spec)
    assert said.startswith("spec.config.response_cache.redis.connection.password: ")
    assert "4711" not in said
