"""Raw object -> SemanticRouter."""

from typing import Any

import pytest
from pydantic_core import core_schema

from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model import parse as parse_module
from semantic_router_operator.model.base import DURATION_PATTERN
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.router import SemanticRouter, Spec

ENDPOINT = {"name": "a", "model": "m", "backend": {"type": "url", "url": "http://a:1"}}


def router(spec: object = None) -> SemanticRouter:
    return parse({"metadata": {"name": "r", "namespace": "n"}, "spec": spec})


def endpoint(**fields: object) -> dict[str, Any]:
    return {"vllmEndpoints": [{**ENDPOINT, **fields}]}


def violations(spec: object) -> list[str]:
    with pytest.raises(InvalidSpec) as caught:
        router(spec)
    return caught.value.message.split(". ")


@pytest.mark.parametrize("spec", [None, {}])
def test_the_smallest_router_has_the_defaults(spec: object) -> None:
    read = router(spec)
    assert (read.name, read.namespace, read.gateway_mode) == ("r", "n", "standalone")
    assert read.spec == Spec()
    assert (read.spec.replicas, read.spec.image.tag, read.spec.hardware.profile) == (
        1,
        "latest",
        "cpu",
    )
    assert read.spec.autoscaling.target_cpu_utilization_percentage == 80


def test_a_spec_that_is_missing_is_empty() -> None:
    assert parse({"metadata": {"name": "r"}}).spec == Spec()


@pytest.mark.parametrize("field", sorted(x.alias or "" for x in Spec.model_fields.values()))
def test_a_field_that_is_null_is_absent(field: str) -> None:
    assert router({field: None}).spec == Spec()


def test_nulls_inside_are_absent_too() -> None:
    read = router(
        {
            "openshift": {"routes": None},
            "env": [None, {"name": "A", "value": None, "valueFrom": None}],
            "nodeSelector": {"gone": None},
            "affinity": {"nodeAffinity": None, "podAffinity": {"x": [None, {"y": None}]}},
            "args": [None],
            **endpoint(weight=None, connection={"auth": None}, loras=None),
        }
    ).spec
    assert read.vllm_endpoints[0].weight == 1
    assert read.vllm_endpoints[0].connection.auth is None
    assert [variable.name for variable in read.env] == ["A"]
    assert (read.node_selector, read.args) == ({}, ())
    assert read.affinity == {"podAffinity": {"x": [{}]}}


def test_the_routing_block_keeps_its_nulls_and_its_unknown_keys() -> None:
    routing = {"foo": 1, "signals": {"embeddings": [{"query_modality": "image", "x": None}]}}
    assert router({"config": {"routing": routing}}).spec.config.routing == routing


def test_a_field_that_a_newer_crd_may_have_is_left_alone() -> None:
    assert router({"fromTheFuture": {"a": 1}, **endpoint(alsoNew=True)}).spec.vllm_endpoints


def test_names_with_abbreviations_and_numbers_are_read_as_they_are_written() -> None:
    read = router(
        {
            "autoscaling": {"targetCPUUtilizationPercentage": 70},
            **endpoint(
                backend={"type": "provider", "provider": {"type": "openai", "baseURL": "http://x"}},
                pricing={
                    "promptPer1m": "0.1",
                    "completionPer1m": "2",
                    "cachedInputPer1m": "3",
                    "cacheWritePer1m": "4",
                },
                reliability={"consecutive5xx": 5, "lbPolicy": "least_request"},
            ),
        }
    ).spec
    (found,) = read.vllm_endpoints
    assert read.autoscaling.target_cpu_utilization_percentage == 70
    assert found.backend.provider is not None
    assert found.backend.provider.base_url == "http://x"
    assert found.pricing is not None
    assert (found.pricing.prompt_per_1m, found.pricing.cache_write_per_1m) == ("0.1", "4")
    assert found.reliability is not None
    assert found.reliability.consecutive_5xx == 5


def test_inside_config_keys_are_snake_case() -> None:
    config = {
        "strategy": "priority",
        "reasoning_effort": "high",
        "default_reasoning_effort": "low",
        "reasoning_families": {"qwen3": {"type": "chat_template_kwargs", "parameter": "t"}},
    }
    read = router({"config": config}).spec.config
    assert read.reasoning_effort == "high"
    assert read.reasoning_families["qwen3"].parameter == "t"


def test_the_operators_own_spelling_of_a_field_is_not_the_users() -> None:
    """The API server prunes such a key; a file must not read differently."""
    assert router({"vllm_endpoints": [ENDPOINT]}).spec.vllm_endpoints == ()


def test_a_backend_endpoint_may_be_text_or_an_object() -> None:
    for value in ("a:1", {"host": "a", "port": 1}):
        read = router(endpoint(backend={"type": "endpoint", "endpoint": value}))
        assert read.spec.vllm_endpoints[0].backend.endpoint == value


@pytest.mark.parametrize("port", [1, 65535, "http", "8080"])
def test_a_port_has_a_number_or_a_name(port: object) -> None:
    read = router(endpoint(backend={"type": "service", "service": {"name": "s", "port": port}}))
    assert read.spec.vllm_endpoints[0].backend.service is not None
    assert read.spec.vllm_endpoints[0].backend.service.port == port


@pytest.mark.parametrize(
    ("port", "problem"),
    [
        (0, "is no port; write a number from 1 to 65535"),
        (65536, "is no port; write a number from 1 to 65535"),
        (True, "is neither a port number nor a port name"),
        (1.5, "is neither a port number nor a port name"),
        ("", "is no port name; write it as the Service does"),
        ("a b", "is no port name; write it as the Service does"),
        ("http\n", "is no port name; write it as the Service does"),
    ],
)
def test_another_port_is_refused(port: object, problem: str) -> None:
    spec = endpoint(backend={"type": "service", "service": {"name": "s", "port": port}})
    assert violations(spec) == [f"spec.vllmEndpoints[0].backend.service.port: {problem}"]


@pytest.mark.parametrize(
    ("weight", "problem"),
    [
        (-1, "is too small; write 0 or more"),
        (101, "is too big; write 100 or less"),
        ("5", "is not a whole number; write one, without quotes"),
        (True, "is not a whole number; write one, without quotes"),
    ],
)
def test_a_weight_that_is_none_is_refused(weight: object, problem: str) -> None:
    """SR-09"""
    assert violations(endpoint(weight=weight)) == [f"spec.vllmEndpoints[0].weight: {problem}"]


def test_every_violation_is_reported_at_once_with_the_path_that_the_user_wrote() -> None:
    found = violations(
        {
            "replicas": 1 << 40,
            "args": "x",
            "config": 5,
            "autoscaling": {"enabled": "yes"},
            "image": {"pullPolicy": "Sometimes"},
            "nodeSelector": {"a.b/c": 4},
            "vllmEndpoints": [
                {"name": "", "model": 5, "loras": [{"name": "x" * 101}], "backend": {}},
                {**ENDPOINT, "reliability": {"baseEjectionTime": "soon"}, "loras": 51 * [{}]},
            ],
        }
    )
    assert found == [
        "spec.args: is not a list; write a list",
        "spec.autoscaling.enabled: is not true or false; write one of them, without quotes",
        "spec.config: is not an object; write key: value pairs",
        "spec.image.pullPolicy: is not a known value; write 'Always', 'Never' or 'IfNotPresent'",
        "spec.nodeSelector[a.b/c]: is not text; write it in quotes",
        "spec.replicas: is out of range; write a smaller number",
        "spec.vllmEndpoints[0].backend.type: is required; add it",
        "spec.vllmEndpoints[0].loras[0].name: is too long; write at most 100 characters",
        "spec.vllmEndpoints[0].model: is not text; write it in quotes",
        "spec.vllmEndpoints[0].name: is too short; write at least 1 character(s)",
        *(f"spec.vllmEndpoints[1].loras[{i}].name: is required; add it" for i in ORDER_OF_51),
        f"spec.vllmEndpoints[1].reliability.baseEjectionTime: {WRONG_FORM} {DURATION_PATTERN}",
    ]


WRONG_FORM = "has a wrong form; it must match"
ORDER_OF_51 = sorted(range(51), key=lambda index: f"[{index}]")


def test_too_many_items_are_refused() -> None:
    loras = [{"name": f"l{index}"} for index in range(51)]
    assert violations(endpoint(loras=loras)) == [
        "spec.vllmEndpoints[0].loras: has too many items; keep at most 50"
    ]


def test_a_message_never_repeats_a_value() -> None:
    secret = "do-not-show"  # noqa: S105 - a canary
    found = violations(
        {
            "replicas": secret,
            "image": {"pullPolicy": secret},
            "env": [{"name": "A", "value": [secret]}, {"name": "B", "valueFrom": secret}],
            **endpoint(
                pricing={"promptPer1m": secret},
                connection={"auth": {"secretKeyRef": {"name": [secret], "key": secret}}},
                backend={"type": secret, "endpoint": [secret]},
            ),
        }
    )
    assert len(found) == 8
    assert not any(secret in text for text in found)


@pytest.mark.parametrize("body", [{}, {"metadata": None}, {"metadata": {"name": None}}])
def test_a_body_without_a_name_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(InvalidSpec, match=r"^metadata(\.name)?: is required; add it$"):
        parse(body)


def test_every_kind_of_violation_that_the_model_can_find_has_words_of_ours() -> None:
    wanted = set(violation_types(SemanticRouter.__pydantic_core_schema__))
    assert wanted - parse_module._TEXTS.keys() == set()


BY_SCHEMA = {
    "str": "string_type",
    "int": "int_type",
    "bool": "bool_type",
    "dict": "dict_type",
    "tuple": "tuple_type",
    "model": "model_type",
    "literal": "literal_error",
}
BY_LIMIT = {
    "ge": "greater_than_equal",
    "le": "less_than_equal",
    "min_length": "string_too_short",
    "pattern": "string_pattern_mismatch",
}


def violation_types(schema: core_schema.CoreSchema | object) -> set[str]:
    if isinstance(schema, list | tuple):
        return set().union(*(violation_types(item) for item in schema))
    if not isinstance(schema, dict):
        return set()
    kind = schema.get("type")
    found = {BY_SCHEMA[kind]} if isinstance(kind, str) and kind in BY_SCHEMA else set()
    found |= {error for limit, error in BY_LIMIT.items() if limit in schema}
    if "max_length" in schema:
        found.add("string_too_long" if kind == "str" else "too_long")
    return found.union(*(violation_types(x) for k, x in schema.items() if k != "metadata"))
