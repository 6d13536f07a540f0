"""spec.config and spec.toolsDb on a real API server: kept whole, filled in, refused, explained."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import KubectlError
from path_values import at, full
from semantic_router_operator.crd import router_schema
from semantic_router_operator.model.parse import parse
from semantic_router_operator.validation.cross_field import broken

ROOT = Path(__file__).parents[2]
SPEC = router_schema()["properties"]["spec"]
FIELDS = sorted(SPEC["properties"]["config"]["properties"])
SECRET = {"password": None}
LOCAL = {"backend": None, "window": {"size": 8, "overlap": 1}, "max_sequence_length": 16}
RISING = {"hard_above": "0.5", "easy_below": "-0.5", "hard_below": None, "easy_above": None}
ALLOWED_TOGETHER: dict[str, dict[str, Any]] = {
    "response_cache.redis.connection": SECRET,
    "response_cache.valkey.connection": SECRET,
    "response_cache.milvus.connection.auth": SECRET,
    "semantic_cache.redis.connection": SECRET,
    "semantic_cache.valkey.connection": SECRET,
    "semantic_cache.milvus.connection.auth": SECRET,
    "prompt_guard": LOCAL,
    "classifier.pii_model": {**LOCAL, "use_mmbert_32k": True},
    "complexity_rules": {**RISING, "threshold": None},
    "complexity_model.backend": {"contract": "score.v1"},
}
"""What must differ from a block with every field, since some fields exclude each other."""

Kubectl = Callable[..., str]


@pytest.fixture(scope="module", autouse=True)
def _installed(kubectl: Kubectl) -> None:
    kubectl("apply", "--server-side", "-f", str(ROOT / "crds"))
    crd = "crd/semanticrouters.vllm.ai"
    named = "--for=jsonpath={.status.acceptedNames.kind}=SemanticRouter"
    for what in (named, "--for=condition=Established"):
        kubectl("wait", what, "--timeout=30s", crd)


def stored(kubectl: Kubectl, spec: dict[str, Any]) -> dict[str, Any]:
    """The object as it would be stored. An unknown field is refused."""
    body = {
        "apiVersion": "vllm.ai/v1alpha1",
        "kind": "SemanticRouter",
        "metadata": {"name": "r", "namespace": "default"},
        "spec": spec,
    }
    how = ("create", "--validate=strict", "--dry-run=server", "-f", "-", "-o", "json")
    result: dict[str, Any] = json.loads(kubectl(*how, input=json.dumps(body)))
    return result


def whole(field: str) -> Any:
    """A block of spec.config with every field that may stand together."""
    value = full(at(SPEC, f"config.{field}"))
    for path, changes in ALLOWED_TOGETHER.items():
        if path.split(".")[0] == field:
            part = value
            for step in path.split(".")[1:]:
                part = part[step]
            part = part[0] if isinstance(part, list) else part
            part.update(changes)
            for name in [name for name, change in changes.items() if change is None]:
                del part[name]
    return value


@pytest.mark.parametrize("field", FIELDS)
def test_a_block_with_every_field_is_kept_whole_and_read(kubectl: Kubectl, field: str) -> None:
    value = whole(field)
    body = stored(kubectl, {"config": {field: value}})
    assert body["spec"]["config"] == {field: value}
    router = parse(body)
    assert list(broken(router)) == []
    read = router.spec.config.model_dump(by_alias=True, exclude_unset=True, mode="json")
    assert read == {field: value}


def test_the_tools_are_kept_whole_and_read(kubectl: Kubectl) -> None:
    value = full(at(SPEC, "toolsDb"))
    value[0]["tool"]["function"]["parameters"]["properties"] = {
        "where": {"type": "object", "properties": {"x": {"enum": [1, None, "a"]}}, "default": {}}
    }
    body = stored(kubectl, {"toolsDb": value})
    assert body["spec"]["toolsDb"] == value
    read = parse(body).spec.model_dump(by_alias=True, include={"tools_db"}, mode="json")
    assert read["toolsDb"] == value


def test_the_defaults_of_a_block_come_only_where_it_is_given(kubectl: Kubectl) -> None:
    assert "config" not in stored(kubectl, {})["spec"]
    assert stored(kubectl, {"config": {}})["spec"]["config"] == {}
    cache = stored(kubectl, {"config": {"response_cache": {"redis": {}}}})["spec"]["config"]
    assert cache == {
        "response_cache": {
            "backend_type": "memory",
            "embedding_model": "mmbert",
            "enabled": True,
            "eviction_policy": "fifo",
            "max_entries": 1000,
            "redis": {},
            "similarity_threshold": "0.8",
            "ttl_seconds": 3600,
        }
    }


def test_where_models_run_is_left_to_the_hardware_profile(kubectl: Kubectl) -> None:
    blocks: dict[str, Any] = {
        "prompt_guard": {},
        "embedding_models": {},
        "classifier": {"pii_model": {}},
    }
    config = stored(kubectl, {"config": blocks})["spec"]["config"]
    assert "use_cpu" not in json.dumps(config)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            {"response_cache": {"similarity_threshold": "1.5"}},
            "response_cache.similarity_threshold",
        ),
        ({"response_cache": {"similarity_threshold": 0.8}}, "response_cache.similarity_threshold"),
        ({"response_cache": {"backend_type": "mysql"}}, 'Unsupported value: "mysql"'),
        ({"semantic_cache": {"hnsw": {"hnsw_m": 1}}}, "semantic_cache.hnsw.hnsw_m"),
        ({"response_cache": {"redis": {"connection": {"port": 65536}}}}, "redis.connection.port"),
        (
            {"response_cache": {"redis": {"connection": {"password_secret_ref": {"name": "s"}}}}},
            "password_secret_ref.key: Required value",
        ),
        (
            {"embedding_models": {"embedding_config": {"target_layer": 4}}},
            "embedding_config.target_layer",
        ),
        ({"decisions": [{"name": "d"}]}, "decisions[0].rules: Required value"),
        (
            {"decisions": [{"name": "d", "rules": {"operator": "and", "conditions": []}}]},
            "decisions[0].rules.operator",
        ),
        ({"external_models": [{"name": ""}]}, "external_models[0].name"),
        ({"streamed_body": {"max_bytes": -1}}, "streamed_body.max_bytes"),
        ({"tools": {"enabled": "yes"}}, "tools.enabled"),
        ({"bert_model": {}}, 'unknown field "spec.config.bert_model"'),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_a_bad_value_is_refused_with_its_path(kubectl: Kubectl, config: Any, said: str) -> None:
    with pytest.raises(KubectlError) as caught:
        stored(kubectl, {"config": config})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("config", "semantic_cache"),
        ("config.response_cache.redis.connection", "password_secret_ref"),
        ("config.decisions.rules.conditions.type", "ENUM"),
        ("config.prompt_guard.window", "-required-"),
        ("config.semantic_cache", "response_cache instead"),
        ("toolsDb.tool.function.parameters.properties", "passed on whole"),
    ],
)
def test_kubectl_explain_tells_about(kubectl: Kubectl, path: str, said: str) -> None:
    assert said in kubectl("explain", f"sr.spec.{path}")
