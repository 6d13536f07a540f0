"""The router's own models: embeddings, prompt guard, classifiers."""

from typing import Any

import pytest

from candidates import Json, candidate, errors, held, router
from semantic_router_operator.model.canonical import Candidate
from semantic_router_operator.validation import validate

BACKEND = {"protocol": "http_classify", "model": "guard"}
CATALOG = "global.model_catalog"


def catalog(config: Json, **more: Any) -> Json:
    return catalog_of(candidate({"config": config, **more}))


def catalog_of(result: Candidate) -> Json:
    block: Json = result.document["global"]["model_catalog"]
    return block


def warned(config: Json, **more: Any) -> list[str]:
    return [str(issue) for issue in candidate({"config": config, **more}).notes]


def test_embedding_models_are_the_same_in_the_document() -> None:
    models = {
        "mmbert_model_path": "models/mmbert-embed-32k-2d-matryoshka",
        "embedding_config": {"model_type": "mmbert", "target_layer": 6, "target_dimension": 256},
    }
    assert catalog({"embedding_models": models}) == {
        "embeddings": {
            "semantic": {
                "mmbert_model_path": "models/mmbert-embed-32k-2d-matryoshka",
                "embedding_config": {
                    "model_type": "mmbert",
                    "preload_embeddings": True,
                    "target_dimension": 256,
                    "target_layer": 6,
                    "enable_soft_matching": True,
                    "min_score_threshold": 0.5,
                },
            }
        }
    }


def test_an_embedding_endpoint_with_a_key_from_the_environment_is_written() -> None:
    endpoint = {"base_url": "https://embed.example/v1", "model": "e5", "api_key_env": "EMBED"}
    env = [{"name": "EMBED", "valueFrom": {"secretKeyRef": {"name": "e", "key": "k"}}}]
    given = {"embedding_models": {"endpoint": endpoint}}
    assert catalog(given, env=env)["embeddings"]["semantic"] == {"endpoint": endpoint}
    assert warned(given, env=env) == []


def test_a_key_that_no_variable_of_the_pod_holds_is_a_warning() -> None:
    endpoint = {"base_url": "https://embed.example/v1", "api_key_env": "EMBED"}
    assert warned({"embedding_models": {"endpoint": endpoint}}) == [
        (
            "spec.config.embedding_models.endpoint.api_key_env: names a variable that spec.env "
            "doesn't have; add it there"
        )
    ]


@pytest.mark.parametrize("url", ["https://u:p@h/v1", "http://token@h", "HTTP://u:p@h:1"])
def test_op_18_a_password_in_a_url_is_refused_and_not_repeated(url: str) -> None:
    result = held({"config": {"embedding_models": {"endpoint": {"base_url": url}}}})
    assert errors(result) == [
        (
            "spec.config.embedding_models.endpoint.base_url: has a user or a password before the "
            "host, which doesn't belong in a URL; remove it"
        )
    ]


@pytest.mark.parametrize("url", ["https://h/v1/@x", "https://h?a=b@c", "h/v1", "", None])
def test_a_url_without_a_password_is_passed_on(url: str | None) -> None:
    candidate({"config": {"embedding_models": {"endpoint": {"base_url": url}}}})


def test_the_smallest_prompt_guard_says_what_kubectl_shows() -> None:
    assert catalog({"prompt_guard": {}}) == {
        "modules": {
            "prompt_guard": {
                "enabled": True,
                "model_id": "models/mmbert32k-jailbreak-detector-merged",
                "threshold": 0.7,
            }
        }
    }


def test_a_whole_prompt_guard_is_the_same_in_the_document() -> None:
    guard = {
        "enabled": False,
        "model_id": "m",
        "threshold": "0.25",
        "use_cpu": True,
        "variant": "mmbert32k",
        "jailbreak_mapping_path": "/map.json",
        "positive_labels": ["INJECTION"],
        "on_error": "block",
        "max_sequence_length": 8192,
        "window": {"size": 128, "overlap": 63},
    }
    written = catalog({"prompt_guard": guard})["modules"]["prompt_guard"]
    assert written == {**guard, "threshold": 0.25}


def test_a_backend_of_the_prompt_guard_takes_the_router_s_variant_away() -> None:
    """The router lays its default variant under the document, and refuses both."""
    written = catalog({"prompt_guard": {"backend": BACKEND}})["modules"]["prompt_guard"]
    assert written["backend"] == BACKEND
    assert written["variant"] == ""


def test_a_backend_and_a_variant_exclude_each_other() -> None:
    guard = {"backend": BACKEND, "variant": "candle"}
    assert errors(held({"config": {"prompt_guard": guard}})) == [
        "spec.config.prompt_guard.variant: excludes backend; keep one of them"
    ]


@pytest.mark.parametrize(
    ("guard", "advice"),
    [
        (
            {"protocol": "http_chat"},
            (
                "has no effect: the router's own model judges; write backend {protocol, model} and "
                "that model in spec.config.external_models instead"
            ),
        ),
        (
            {"protocol": "http_chat", "backend": BACKEND},
            "has no effect beside backend; remove it",
        ),
    ],
)
def test_the_protocol_of_the_prompt_guard_is_left_out(guard: Json, advice: str) -> None:
    given = {"prompt_guard": guard}
    assert "protocol" not in catalog(given)["modules"]["prompt_guard"]
    assert warned(given) == [f"spec.config.prompt_guard.protocol: {advice}"]


def test_classifiers_are_the_router_s_domain_and_pii() -> None:
    given = {
        "classifier": {
            "category_model": {
                "model_id": "models/mmbert32k-intent-classifier-merged",
                "threshold": "0.6",
                "use_cpu": True,
                "use_modernbert": False,
                "category_mapping_path": "/c.json",
            },
            "pii_model": {
                "model_id": "models/mmbert32k-pii-detector-merged",
                "threshold": "0.7",
                "use_cpu": False,
                "use_mmbert_32k": True,
                "pii_mapping_path": "/p.json",
                "on_error": "block",
                "max_sequence_length": 0,
                "window": {"size": 128},
            },
        }
    }
    assert catalog(given)["modules"]["classifier"] == {
        "domain": {**given["classifier"]["category_model"], "threshold": 0.6},
        "pii": {**given["classifier"]["pii_model"], "threshold": 0.7},
    }
    result = candidate({"config": given})
    assert result.origin(f"{CATALOG}.modules.classifier.domain.threshold") == (
        "spec.config.classifier.category_model.threshold"
    )
    assert result.origin(f"{CATALOG}.modules.classifier.pii.window.size") == (
        "spec.config.classifier.pii_model.window.size"
    )


@pytest.mark.parametrize("given", [{}, {"category_model": {}}, {"pii_model": {}}])
def test_a_classifier_that_says_nothing_is_not_written(given: Json) -> None:
    assert "global" not in candidate({"config": {"classifier": given}}).document


def test_a_modernbert_is_not_the_router_s_mmbert32k() -> None:
    """The router takes every model for one, as its default says; the Go operator wrote false."""
    given = {"category_model": {"use_modernbert": True}, "pii_model": {"use_modernbert": True}}
    assert catalog({"classifier": given})["modules"]["classifier"] == {
        "domain": {"use_modernbert": True, "use_mmbert_32k": False},
        "pii": {"use_mmbert_32k": False},
    }


@pytest.mark.parametrize("part", ["category_model", "pii_model"])
def test_a_model_of_another_name_is_not_the_router_s_mmbert32k(part: str) -> None:
    def flags(model: Json) -> list[object]:
        modules = catalog({"classifier": {part: model}})["modules"]["classifier"]
        return [block.get("use_mmbert_32k") for block in modules.values()]

    assert flags({"model_id": "models/lora_intent_classifier_bert"}) == [False]
    assert flags({"model_id": "models/MMBERT32K-tuned"}) == [None]
    assert flags({"threshold": "0.5"}) == [None]


def test_pii_has_no_modernbert_any_more() -> None:
    path = "spec.config.classifier.pii_model.use_modernbert"
    for flag in (True, False):
        assert warned({"classifier": {"pii_model": {"use_modernbert": flag}}}) == [
            (
                f"{path}: write use_mmbert_32k: false instead; the router tells other kinds of "
                "models by itself"
            )
        ]


def test_what_the_cr_says_of_mmbert32k_counts() -> None:
    given = {"pii_model": {"use_modernbert": True, "use_mmbert_32k": True}}
    assert catalog({"classifier": given})["modules"]["classifier"]["pii"] == {
        "use_mmbert_32k": True
    }


def test_a_backend_for_pii_takes_the_router_s_mmbert32k_away() -> None:
    backend = {"protocol": "http_classify", "model": "pii", "deadline_ms": 5}
    written = catalog({"classifier": {"pii_model": {"backend": backend}}})
    assert written["modules"]["classifier"]["pii"] == {"backend": backend, "use_mmbert_32k": False}


@pytest.mark.parametrize(
    "config",
    [
        {"embedding_models": {"use_cpu": True}},
        {"prompt_guard": {"window": {"size": 128}, "max_sequence_length": 512}},
        {"prompt_guard": {"protocol": "http_chat"}},
        {"classifier": {"category_model": {"use_modernbert": True}, "pii_model": {}}},
        {"classifier": {"pii_model": {"use_modernbert": True, "threshold": "1"}}},
    ],
)
def test_what_is_written_passes_the_rules_of_the_router(config: Json) -> None:
    given = {"config": config}
    assert validate(router(given), candidate(given)) == ()
