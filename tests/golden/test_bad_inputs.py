"""Bad CRs through parse, translate and validate: reason and every message, as a user reads them.

They are recorded in bad_inputs.txt. `make golden-update` writes it anew; read the diff before you
commit it.
"""

import os
import re
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from candidates import Json, entry, found, kserve, missing, router, target
from rule_cases import decision, one, routing, signal
from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model.canonical import Rejected
from semantic_router_operator.model.resolution import Discovery, Resolution
from semantic_router_operator.reconcile import judge

RECORDED = Path(__file__).parent / "bad_inputs.txt"


class Bad(NamedTuple):
    what: str
    spec: Json
    resolutions: list[Resolution] | None = None


SERVICE: Json = {"type": "service", "service": {"name": "s", "port": 80}}
DEEP: Json = reduce(
    lambda tree, _: {"operator": "AND", "conditions": [tree]},
    range(40),
    {"type": "pii", "name": "p"},
)


def backend(fields: Json) -> Json:
    """A CR with one backend."""
    return {"vllmEndpoints": [{"name": "a", "model": "m", "backend": fields}]}


def config(**fields: Any) -> Json:
    """A CR with one backend and that spec.config."""
    return {**one(), "config": fields}


BAD = [
    Bad("no backend", {"vllmEndpoints": [{"name": "a", "model": "m"}]}),
    Bad("no model", {"vllmEndpoints": [{"name": "a", "backend": SERVICE}]}),
    Bad("unknown backend type", backend({"type": "magic"})),
    Bad("port zero", backend({"type": "service", "service": {"name": "s", "port": 0}})),
    Bad("port too big", backend({"type": "service", "service": {"name": "s", "port": 65536}})),
    Bad(
        "port name with a space",
        backend({"type": "service", "service": {"name": "s", "port": "my port"}}),
    ),
    Bad("service without a name", backend({"type": "service", "service": {"port": 80}})),
    Bad("weight too big (SR-09)", one(weight=101)),
    Bad("weight below zero (SR-09)", one(weight=-1)),
    Bad("weight as text (SR-09)", one(weight="5")),
    Bad("replicas below zero", {"replicas": -1}),
    Bad("replicas as text", {"replicas": "2"}),
    Bad("endpoints not a list", {"vllmEndpoints": {"a": 1}}),
    Bad("retry count too big", one(reliability={"retryCount": 6})),
    Bad("health path without a slash", one(reliability={"healthCheckPath": "health"})),
    Bad("ejection time not a duration", one(reliability={"baseEjectionTime": "30"})),
    Bad("price as a word", one(pricing={"promptPer1m": "cheap"})),
    Bad("unknown api format", one(apiFormat="soap")),
    Bad("strategy unknown", {"config": {"strategy": "best"}}),
    Bad(
        "cache threshold above one (SR-11)",
        config(response_cache={"enabled": True, "similarity_threshold": "1.5"}),
    ),
    Bad("two response caches (SR-11)", config(response_cache={}, semantic_cache={})),
    Bad(
        "remote embeddings without an address",
        config(embedding_models={"embedding_config": {"backend": "openai_compatible"}}),
    ),
    Bad(
        "tracing exporter unknown",
        config(observability={"tracing": {"exporter": {"type": "zipkin"}}}),
    ),
    Bad(
        "undeclared signal in spec.config.decisions",
        config(
            decisions=[
                {
                    "name": "d",
                    "rules": {
                        "operator": "AND",
                        "conditions": [{"type": "keyword", "name": "nope"}],
                    },
                    "modelRefs": [{"model": "m"}],
                }
            ]
        ),
    ),
    Bad("two entries of one name", {"vllmEndpoints": [entry("a", "m"), entry("A", "n")]}),
    Bad("blank model", {"vllmEndpoints": [entry("a", " ")]}),
    Bad("retries without a condition", one(reliability={"retryCount": 1})),
    Bad(
        "key in a header (OP-18)",
        one(connection={"extraHeaders": {"Authorization": "Bearer secret"}}),
    ),
    Bad("reasoning without a type", one(reasoning={"parameter": "p"})),
    Bad(
        "reasoning family and parameter",
        one(
            reasoning={
                "family": "qwen3",
                "type": "reasoning_effort",
                "parameter": "reasoning_effort",
            }
        ),
    ),
    Bad(
        "two reasoning families on one model (SR-07)",
        {
            "vllmEndpoints": [
                entry("a", "m", reasoning={"family": "qwen3"}),
                entry("b", "m", reasoning={"family": "deepseek"}),
            ]
        },
    ),
    Bad(
        "two served names on one model (SR-08)",
        {
            "vllmEndpoints": [
                entry("a", "m", providerModelId="x"),
                entry("b", "m", providerModelId="y"),
            ]
        },
    ),
    Bad(
        "http and https on one model",
        {"vllmEndpoints": [entry("a", "m"), entry("b", "m", connection={"protocol": "https"})]},
        [found("a.ns"), found(target("b.ns", 443, protocol="https"))],
    ),
    Bad("https to an address", one(), [found(target("10.0.0.1", 443, protocol="https"))]),
    Bad("default model unknown", {**one(), "defaultModel": "x"}),
    Bad(
        "the only model of a decision is gone",
        {
            "vllmEndpoints": [entry("a", "m"), kserve("b", "n")],
            "config": {"routing": {"decisions": [{"name": "d", "modelRefs": [{"model": "n"}]}]}},
        },
        [found("a.ns"), missing()],
    ),
    Bad("half a surrogate pair", decision(description="\ud800")),
    Bad("not a number", routing(signals={"pii": [{"name": "p", "threshold": float("nan")}]})),
    Bad("nested too deep", decision(rules=DEEP)),
    Bad("decisions not a list", routing(decisions="x")),
    Bad("decision without a name", routing(decisions=[{"priority": 1}])),
    Bad("decision name that is a number", routing(decisions=[{"name": 7}])),
    Bad("two decisions of one name (SR-11)", routing(decisions=[{"name": "d"}, {"name": "d"}])),
    Bad("unknown condition type (SR-11)", decision(rules={"type": "bogus", "name": "x"})),
    Bad("undeclared signal (SR-11)", decision(rules={"type": "keyword", "name": "nope"})),
    Bad(
        "undeclared domain beside a declared one",
        routing(
            signals={"domains": [{"name": "math"}]},
            decisions=[{"name": "d", "rules": {"type": "domain", "name": "law"}}],
        ),
    ),
    Bad(
        "condition without a type",
        decision(rules={"operator": "AND", "conditions": [{"name": "x"}]}),
    ),
    Bad(
        "complexity without a level",
        routing(
            signals={"complexity": [{"name": "c"}]},
            decisions=[{"name": "d", "rules": {"type": "complexity", "name": "c"}}],
        ),
    ),
    Bad("model that no entry has", decision(modelRefs=[{"model": "x"}])),
    Bad("adapter that the model has not", decision(modelRefs=[{"model": "n", "lora_name": "l"}])),
    Bad("model ref without a model", decision(modelRefs=[{"weight": 1}])),
    Bad("use_reasoning as text", decision(modelRefs=[{"model": "m", "use_reasoning": "yes"}])),
    Bad("tier below zero", decision(tier=-1)),
    Bad("too many annotations", decision(annotations={f"k{n}": 1 for n in range(33)})),
    Bad("key of an old router", decision(allow_tools=["x"])),
    Bad("flat old models", routing(models=[{"name": "m"}])),
    Bad("algorithm without a type", decision(algorithm={"on_error": "skip"})),
    Bad("algorithm that was removed", decision(algorithm={"type": "elo", "elo": {}})),
    Bad("algorithm with another's block", decision(algorithm={"type": "static", "hybrid": {}})),
    Bad(
        "latency without a percentile",
        decision(algorithm={"type": "latency_aware", "latency_aware": {}}),
    ),
    Bad(
        "percentile out of range",
        decision(algorithm={"type": "latency_aware", "latency_aware": {"tpot_percentile": 101}}),
    ),
    Bad(
        "prompt with one candidate",
        decision(
            algorithm={"type": "prompt", "prompt": {"model": "m", "instructions": "i"}},
            modelRefs=[{"model": "m"}],
        ),
    ),
    Bad("plugin unknown", decision(plugins=[{"type": "magic", "configuration": {}}])),
    Bad("plugin without configuration", decision(plugins=[{"type": "memory"}])),
    Bad(
        "the same plugin twice",
        decision(
            plugins=[
                {"type": "semantic-cache", "configuration": {"enabled": True}},
                {"type": "response_cache", "configuration": {"enabled": True}},
            ]
        ),
    ),
    Bad(
        "cache threshold above one",
        decision(
            plugins=[
                {
                    "type": "response_cache",
                    "configuration": {"enabled": True, "similarity_threshold": 1.5},
                }
            ]
        ),
    ),
    Bad(
        "rag without a collection",
        decision(
            plugins=[{"type": "rag", "configuration": {"enabled": True, "backend": "milvus"}}]
        ),
    ),
    Bad(
        "fast response without a message",
        decision(plugins=[{"type": "fast_response", "configuration": {}}]),
    ),
    Bad(
        "tool lists without a filter",
        decision(
            plugins=[{"type": "tools", "configuration": {"enabled": True, "block_tools": ["x"]}}]
        ),
    ),
    Bad("signal without a name", signal("keywords", keywords=["x"])),
    Bad("two signals of one name", routing(signals={"pii": [{"name": "p"}, {"name": "p"}]})),
    Bad("keyword operator unknown", signal("keywords", name="k", operator="XOR")),
    Bad(
        "domain category unknown",
        signal("domains", name="d", mmlu_categories=["computer_science"]),
    ),
    Bad("language by its name", signal("language", name="English")),
    Bad("threshold as text", signal("reasks", name="r", threshold="0.8")),
    Bad("threshold above one", signal("language", name="en", threshold=1.2)),
    Bad("audio embeddings", signal("embeddings", name="e", query_modality="audio")),
    Bad(
        "images without a multimodal model", signal("embeddings", name="e", query_modality="image")
    ),
    Bad(
        "lookahead in a pattern",
        signal(
            "structure",
            name="s",
            feature={"type": "count", "source": {"type": "regex", "pattern": "a(?=b)"}},
        ),
    ),
    Bad(
        "empty interval",
        signal(
            "structure",
            name="s",
            feature={"type": "count", "source": {"type": "text_bytes"}},
            predicate={"gt": 2, "lt": 1},
        ),
    ),
    Bad(
        "metadata compared twice",
        signal("metadata", name="x", key="k", predicate={"equals": "a", "exists": True}),
    ),
    Bad(
        "local classifier with three labels",
        signal("classifiers", name="c", type="local", model_path="p", labels=["a", "b", "c"]),
    ),
    Bad(
        "colon in a label",
        signal("classifiers", name="c", type="local", model_path="p", labels=["a:b", "c"]),
    ),
    Bad("role binding without subjects", signal("role_bindings", name="b", role="r")),
    Bad(
        "mapping of no score",
        routing(
            projections={
                "mappings": [
                    {
                        "name": "m",
                        "source": "s",
                        "method": "threshold_bands",
                        "outputs": [{"name": "o", "gt": 1}],
                    }
                ]
            }
        ),
    ),
    Bad(
        "score of itself",
        routing(
            projections={
                "scores": [
                    {
                        "name": "s",
                        "method": "weighted_sum",
                        "inputs": [{"type": "projection", "name": "s", "weight": 1}],
                    }
                ]
            }
        ),
    ),
    Bad("card of no model", routing(modelCards=[{"name": "x"}])),
    Bad("two cards of one model", routing(modelCards=[{"name": "m"}, {"name": "m"}])),
    Bad("routing strategy unknown", routing(strategy="best")),
    Bad("timeout of the fallback", routing(fallback={"enabled": True, "total_timeout": "5 s"})),
    Bad(
        "several at once (SR-11)",
        routing(
            signals={"reasks": [{"name": "r", "threshold": 2}]},
            decisions=[
                {
                    "name": "d",
                    "rules": {"type": "bogus", "name": "x"},
                    "modelRefs": [{"model": "x"}],
                },
                {"name": "d"},
            ],
        ),
    ),
]


def told(bad: Bad) -> str:
    """The case as it is recorded: what it is, the reason, the messages."""
    reason, messages = rejected(bad)
    lines = [f"- {message}" for message in messages]
    return "\n".join([f"# {bad.what}", reason, *lines])


def rejected(bad: Bad) -> tuple[str, list[str]]:
    """The reason and the messages."""
    try:
        read = router(bad.spec)
    except InvalidSpec as error:
        return "InvalidSpec", [str(error)]
    resolutions = bad.resolutions or [found(f"{x.name}.ns") for x in read.spec.vllm_endpoints]
    verdict = judge(read, Discovery(tuple(resolutions)), previous_default=None)
    assert isinstance(verdict, Rejected)
    return verdict.reason, [f"{issue.code} {issue}" for issue in verdict.errors]


def recorded() -> dict[str, str]:
    blocks = RECORDED.read_text(encoding="utf-8").strip().split("\n\n")
    return {block.partition("\n")[0].removeprefix("# "): block for block in blocks}


@pytest.fixture(scope="module", autouse=True)
def _update() -> None:
    if os.environ.get("UPDATE_GOLDEN"):
        text = "\n\n".join(told(bad) for bad in BAD)
        RECORDED.write_text(f"{text}\n", encoding="utf-8")


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.what)
def test_a_bad_input_is_refused_with_reason_and_messages(bad: Bad) -> None:
    assert told(bad) == recorded()[bad.what]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.what)
def test_a_message_begins_with_the_field_and_ends_without_a_stop(bad: Bad) -> None:
    for message in rejected(bad)[1]:
        assert re.match(r"([A-Z][A-Za-z]+ )?spec[.:]", message)
        assert not message.endswith(".")


def test_sixty_inputs_and_more_are_recorded_each_once() -> None:
    assert len(BAD) >= 60
    assert list(recorded()) == [bad.what for bad in BAD]


def test_no_message_repeats_a_secret() -> None:
    assert "Bearer" not in RECORDED.read_text(encoding="utf-8")
