"""For each rule on several fields of one object: a spec that breaks it, and specs that don't.

The unit tests give them to the operator, the cluster tests to a real API server: both must agree.
"""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

SECRET = {"name": "s", "key": "k"}
BACKEND = {"protocol": "http_classify", "model": "m"}


@dataclass(frozen=True)
class Example:
    """`path` is where the fault of `bad` is reported."""

    code: str
    path: str
    bad: Json
    good: tuple[Json, ...]


def _config(path: str, value: object) -> Json:
    """{"config": ...} with the value at a path such as `classifier.pii_model`, [] for a list."""
    for step in reversed(path.split(".")):
        value = {step.removesuffix("[]"): [value] if step.endswith("[]") else value}
    return {"config": value}


def _at(path: str, code: str, part: str, bad: Json, *good: Json) -> Example:
    where = f"spec.config.{path}".replace("[]", "[0]")
    return Example(
        code,
        f"{where}.{part}" if part else where,
        _config(path, bad),
        tuple(_config(path, value) for value in good),
    )


def _guard(code: str, part: str, bad: Json, *good: Json) -> Example:
    return _at("prompt_guard", code, part, bad, *good)


def _pii(code: str, part: str, bad: Json, *good: Json) -> Example:
    return _at("classifier.pii_model", code, part, bad, *good)


def _rule(code: str, part: str, bad: Json, *good: Json) -> Example:
    named = tuple({"name": "r", **value} for value in good)
    return _at("complexity_rules[]", code, part, {"name": "r", **bad}, *named)


def _entry(code: str, part: str, bad: Json, *good: Json) -> Example:
    def spec(fields: Json) -> Json:
        backend = {"type": "service", "service": {"name": "s", "port": 1}}
        return {"vllmEndpoints": [{"name": "a", "model": "m", "backend": backend, **fields}]}

    return Example(
        code, f"spec.vllmEndpoints[0].{part}", spec(bad), tuple(spec(fields) for fields in good)
    )


def _backends(code: str, bad: Json, *good: Json) -> Example:
    return _entry(code, "backend", {"backend": bad}, *({"backend": value} for value in good))


NULLS = {"threshold": None, "hard_above": None, "easy_below": None, "hard_below": None}
SERVICE = {"name": "s", "port": 1}

EXAMPLES = (
    Example(
        "TwoResponseCaches",
        "spec.config.semantic_cache",
        {"config": {"response_cache": {}, "semantic_cache": {}}},
        (
            {"config": {"response_cache": {}}},
            {"config": {"semantic_cache": {}}},
            {"config": {"response_cache": None, "semantic_cache": {}}},
        ),
    ),
    _at(
        "response_cache.redis.connection",
        "StorePassword",
        "password",
        {"password": "p", "password_secret_ref": SECRET},
        {"password": "p"},
        {"password": "", "password_secret_ref": SECRET},
        {"password": None, "password_secret_ref": SECRET},
    ),
    _at(
        "semantic_cache.valkey.connection",
        "StorePassword",
        "password",
        {"password": "p", "password_secret_ref": SECRET},
        {"password": "p", "password_secret_ref": None},
    ),
    _at(
        "response_cache.milvus.connection.auth",
        "MilvusPassword",
        "password",
        {"password": "p", "password_secret_ref": SECRET},
        {"username": "u", "password_secret_ref": SECRET},
    ),
    _at(
        "response_cache.redis.connection.password_secret_ref",
        "SecretWithoutName",
        "name",
        {"key": "k"},
        SECRET,
    ),
    _at(
        "prompt_guard.window",
        "WindowOverlap",
        "overlap",
        {"size": 100, "overlap": 100},
        {"size": 100, "overlap": 99},
        {"size": 1},
        {"size": 100, "overlap": None},
    ),
    _guard(
        "PromptGuardSequenceLength",
        "max_sequence_length",
        {"max_sequence_length": 1, "backend": BACKEND},
        {"max_sequence_length": 1},
        {"max_sequence_length": 1, "backend": None, "variant": "mmbert32k"},
        {"max_sequence_length": 0, "variant": "candle"},
    ),
    _guard(
        "PromptGuardSequenceLength",
        "max_sequence_length",
        {"max_sequence_length": 1, "variant": "candle"},
        {"variant": "candle", "max_sequence_length": None},
    ),
    _guard(
        "PromptGuardWindow",
        "window",
        {"window": {"size": 1}, "variant": "candle"},
        {"window": {"size": 1}, "variant": "mmbert32k"},
        {"window": None, "variant": "candle"},
    ),
    _guard(
        "PromptGuardWindowSize",
        "window",
        {"window": {"size": 513}},
        {"window": {"size": 512}},
        {"window": {"size": 513}, "max_sequence_length": 513},
    ),
    _guard(
        "PromptGuardWindowSize",
        "window",
        {"window": {"size": 513}, "max_sequence_length": 0},
        {"window": {"size": 512}, "max_sequence_length": 0},
    ),
    _pii(
        "PiiContract",
        "backend",
        {"backend": {**BACKEND, "contract": "score.v1"}},
        {"backend": {**BACKEND, "contract": "token_spans.v1"}},
        {"backend": BACKEND},
    ),
    _pii(
        "PiiBackendOrLocal",
        "use_mmbert_32k",
        {"backend": BACKEND, "use_mmbert_32k": True},
        {"backend": BACKEND, "use_mmbert_32k": False},
        {"backend": None, "use_mmbert_32k": True},
    ),
    _pii(
        "PiiSequenceLength",
        "max_sequence_length",
        {"max_sequence_length": 1},
        {"max_sequence_length": 1, "use_mmbert_32k": True},
        {"max_sequence_length": 0},
    ),
    _pii(
        "PiiWindow",
        "window",
        {"window": {"size": 1}, "use_mmbert_32k": False},
        {"window": {"size": 1}, "use_mmbert_32k": True},
    ),
    _pii(
        "PiiWindowSize",
        "window",
        {"window": {"size": 101}, "use_mmbert_32k": True, "max_sequence_length": 100},
        {"window": {"size": 100}, "use_mmbert_32k": True, "max_sequence_length": 100},
    ),
    _rule(
        "ComplexityThreshold",
        "threshold",
        {"threshold": "0.1", "hard_above": "0.7", "easy_below": "0.3"},
        {"threshold": "0.1"},
        {**NULLS, "threshold": "0.1"},
        {"threshold": "0.1", "hard": {"candidates": ["x"]}, "easy": {"candidates": ["y"]}},
    ),
    _rule(
        "ComplexityDirection",
        "",
        {"hard_above": "2", "easy_below": "1", "hard_below": "1", "easy_above": "2"},
        {"hard_above": "2", "easy_below": "1"},
    ),
    _rule(
        "ComplexityUpwardPair",
        "",
        {"hard_above": "2"},
        {"hard_above": "2", "easy_below": "1"},
        {},
    ),
    _rule(
        "ComplexityDownwardPair",
        "",
        {"easy_above": "2", "hard_below": None},
        {"easy_above": "2", "hard_below": "1"},
        NULLS,
    ),
    _rule(
        "ComplexityUpwardOrder",
        "easy_below",
        {"hard_above": "-1", "easy_below": "-0.5"},
        {"hard_above": "10", "easy_below": "9"},
    ),
    _rule(
        "ComplexityDownwardOrder",
        "hard_below",
        {"easy_above": "9", "hard_below": "10"},
        {"easy_above": "0.5", "hard_below": "-0.5"},
    ),
    _at(
        "complexity_model",
        "ComplexityContract",
        "backend",
        {"backend": BACKEND},
        {"backend": {**BACKEND, "contract": "score.v1"}},
        {"backend": {**BACKEND, "contract": "label_distribution.v1"}},
        {"backend": None},
        {},
    ),
    _at(
        "complexity_model",
        "ComplexityContract",
        "backend",
        {"backend": {**BACKEND, "contract": "token_spans.v1"}},
    ),
    _entry(
        "ReasoningFamilies",
        "reasoningFamily",
        {"reasoningFamily": "qwen3", "reasoning": {"family": "gpt-oss"}},
        {"reasoningFamily": "qwen3", "reasoning": {"family": "qwen3"}},
        {"reasoningFamily": "qwen3", "reasoning": {}},
        {"reasoningFamily": "qwen3", "reasoning": {"family": None}},
        {"reasoningFamily": None, "reasoning": {"family": "gpt-oss"}},
        {"reasoningFamily": "", "reasoning": {"family": "gpt-oss"}},
    ),
    _backends(
        "BackendIncomplete",
        {"type": "url"},
        {"type": "url", "url": "http://a:1"},
        {"type": "serviceSelector", "serviceSelector": {"matchLabels": {"a": "b"}}},
        {"type": "endpointslice", "endpointSlice": {"serviceName": "s"}},
        {"type": "provider", "provider": {"type": "openai"}},
        {"type": "endpoint", "endpoint": "a:1"},
        {"type": "endpoint", "endpoint": {"host": "a", "port": 1}},
        {"type": "kserve"},
        {"type": "llamastack", "discoveryLabels": {"a": "b"}},
    ),
    _backends(
        "BackendMismatch",
        {"type": "service", "service": SERVICE, "url": "http://a:1"},
        {"type": "service", "service": SERVICE, "url": None, "kserve": None},
        {"type": "service", "service": SERVICE, "inferenceServiceName": "i"},
        {"type": "kserve", "service": SERVICE, "inferenceServiceName": "i"},
        {"type": "llamastack", "service": SERVICE, "discoveryLabels": {"a": "b"}},
        {"type": "url", "url": "http://a:1", "inferenceServiceName": "", "discoveryLabels": {}},
    ),
    _backends(
        "BackendLegacyField",
        {"type": "url", "url": "http://a:1", "service": SERVICE},
        {"type": "url", "url": "http://a:1", "service": None, "discoveryLabels": None},
    ),
    Example(
        "AutoscalingRange",
        "spec.autoscaling.minReplicas",
        {"autoscaling": {"enabled": True, "minReplicas": 3, "maxReplicas": 2}},
        (
            {"autoscaling": {"enabled": True, "minReplicas": 2, "maxReplicas": 2}},
            {"autoscaling": {"minReplicas": 3, "maxReplicas": 2}},
            {"autoscaling": {"enabled": True, "minReplicas": None}},
        ),
    ),
)


GOOD = [(example.code, spec) for example in EXAMPLES for spec in example.good]
"""(the rule that is kept, spec)."""
