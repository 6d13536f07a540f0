"""`global`: blocks that are the same in CR and document, over the hardware profile."""

from typing import Any

import pytest

from candidates import Json, as_the_router_reads, candidate, config, errors, held, router
from semantic_router_operator.validation import validate

EXTERNAL: Json = {
    "name": "guard",
    "model_role": "guardrail",
    "llm_model_name": "llama-guard",
    "llm_endpoint": {"address": "guard.models.svc", "port": 8000, "protocol": "http"},
    "llm_timeout_seconds": 5,
}
CASES: list[tuple[str, Json, str, Json]] = [
    (
        "streamed_body",
        {"enabled": True, "max_bytes": 0, "timeout_sec": 30},
        "router.streamed_body",
        {"enabled": True, "max_bytes": 0, "timeout_sec": 30},
    ),
    ("streamed_body", {"enabled": False}, "router.streamed_body", {"enabled": False}),
    (
        "api",
        {"batch_classification": {"metrics": {"duration_buckets": ["0.01", "5"]}}},
        "services.api",
        {
            "batch_classification": {
                "max_batch_size": 100,
                "concurrency_threshold": 5,
                "max_concurrency": 8,
                "metrics": {
                    "enabled": True,
                    "detailed_goroutine_tracking": True,
                    "high_resolution_timing": False,
                    "sample_rate": 1.0,
                    "duration_buckets": [0.01, 5.0],
                },
            }
        },
    ),
    (
        "observability",
        {"tracing": {"enabled": True, "sampling": {"type": "probabilistic", "rate": "0.1"}}},
        "services.observability",
        {
            "tracing": {
                "enabled": True,
                "provider": "opentelemetry",
                "sampling": {"type": "probabilistic", "rate": 0.1},
            }
        },
    ),
    (
        "tools",
        {"top_k": 5},
        "integrations.tools",
        {
            "enabled": True,
            "top_k": 5,
            "similarity_threshold": 0.2,
            "tools_db_path": "config/tools_db.json",
            "fallback_to_empty": True,
        },
    ),
    (
        "complexity_model",
        {"backend": {"protocol": "http_classify", "contract": "score.v1", "model": "guard"}},
        "model_catalog.modules.complexity",
        {"backend": {"protocol": "http_classify", "contract": "score.v1", "model": "guard"}},
    ),
    (
        "model_deployments",
        {"small": {"artifact": "a", "input": {"max_tokens": 512.0}, "device": None}},
        "model_catalog.deployments",
        {"small": {"artifact": "a", "input": {"max_tokens": 512}}},
    ),
    (
        "model_admission",
        {"small": {"max_queue": 4, "max_concurrency": 2}},
        "model_catalog.admission",
        {"small": {"max_concurrency": 2, "max_queue": 4}},
    ),
]


@pytest.mark.parametrize(("name", "given", "place", "wanted"), CASES)
def test_a_block_is_the_same_in_the_document(
    name: str, given: Json, place: str, wanted: Json
) -> None:
    spec = {"config": {name: given}}
    at: Any = candidate(spec).document["global"]
    for step in place.split("."):
        assert list(at) == [step]
        at = at[step]
    assert at == wanted
    assert validate(router(spec), candidate(spec)) == ()


@pytest.mark.parametrize("name", [name for name, *_ in CASES[1:4]])
def test_a_block_that_says_nothing_and_one_that_is_null_are_not_written(name: str) -> None:
    assert "global" not in candidate({"config": {name: None}}).document
    if name != "tools":
        assert "global" not in candidate({"config": {name: {}}}).document


def test_external_models_keep_their_order() -> None:
    second: Json = {
        "name": "a",
        "model_role": "scoring",
        "llm_model_name": "b",
        "llm_endpoint": {"address": "h", "port": 1},
    }
    spec = {"config": {"external_models": [EXTERNAL, second]}}
    result = candidate(spec)
    assert result.document["global"]["model_catalog"]["external"] == [EXTERNAL, second]
    assert result.origin("global.model_catalog.external[1].llm_endpoint.port") == (
        "spec.config.external_models[1].llm_endpoint.port"
    )
    assert validate(router(spec), result) == ()


def test_the_parts_have_one_order_whatever_the_order_of_the_cr() -> None:
    parts: Json = {name: given for name, given, *_ in CASES} | {"response_cache": {}}
    blocks = [
        list(candidate({"config": given}).document["global"])
        for given in (parts, dict(reversed(parts.items())))
    ]
    assert blocks == [["router", "services", "stores", "integrations", "model_catalog"]] * 2


def test_the_profile_places_the_models_that_the_cr_does_not_place() -> None:
    spec = {
        "hardware": {"profile": "nvidia"},
        "config": {
            "prompt_guard": {"threshold": "0.5"},
            "embedding_models": {"use_cpu": True},
            "classifier": {"category_model": {"use_cpu": True}},
            "tools": {},
        },
    }
    block = candidate(spec).document["global"]
    modules = block["model_catalog"]["modules"]
    assert block["model_catalog"]["embeddings"]["semantic"] == {"use_cpu": True}
    assert modules["prompt_guard"]["use_cpu"] is False
    assert modules["prompt_guard"]["threshold"] == 0.5
    assert modules["classifier"] == {"domain": {"use_cpu": True}, "pii": {"use_cpu": False}}
    assert modules["feedback_detector"] == {"use_cpu": False}
    assert list(block) == ["integrations", "model_catalog"]


def test_the_profile_leaves_no_trace_in_the_next_document() -> None:
    spec = {"hardware": {"profile": "amd"}}
    before = config(spec).text
    config({**spec, "config": {"prompt_guard": {"use_cpu": True}}})
    assert config(spec).text == before


def test_every_origin_leads_into_the_cr() -> None:
    spec = {"hardware": {"profile": "amd"}, "config": {"tools": {}}}
    result = candidate(spec)
    assert result.origin("global.integrations.tools.top_k") == "spec.config.tools.top_k"
    assert result.origin("global.model_catalog.modules") == "spec.hardware.profile"


def test_op_19_odd_text_in_a_block_is_refused_at_its_place() -> None:
    spec = {"config": {"observability": {"tracing": {"provider": "a\x00b"}}}}
    assert errors(held(spec)) == [
        (
            "spec.config.observability.tracing.provider: has a NUL character, which the router "
            "can't read; remove it"
        )
    ]


def test_a_value_that_no_document_can_hold_is_refused_at_its_place() -> None:
    spec = {"config": {"model_deployments": {"a": {"x": float("nan")}}}}
    assert errors(held(spec))[0].startswith("spec.config.model_deployments.a.x: is no finite")


def test_a_warning_is_not_lost_with_the_block_that_it_is_about() -> None:
    spec = {"config": {"classifier": {"pii_model": {"use_modernbert": False}}}}
    assert "global" not in candidate(spec).document
    assert [issue.code for issue in candidate(spec).notes] == ["Deprecated"]


def test_a_number_stays_a_number_and_a_text_a_text_for_the_reader() -> None:
    tracing = {"sampling": {"rate": "0.30"}, "resource": {"service_version": "1.10"}}
    text = config({"config": {"observability": {"tracing": tracing}}}).text
    block = as_the_router_reads(text)["global"]["services"]["observability"]["tracing"]
    assert block["sampling"]["rate"] == 0.3
    assert block["resource"]["service_version"] == "1.10"
