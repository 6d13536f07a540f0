"""Whole documents: their bytes, that order and repetition don't change them, what a reader gets."""

import copy
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidates import (
    Json,
    as_the_router_reads,
    candidate,
    config,
    entry,
    errors,
    found,
    held,
    kserve,
    missing,
    router,
    target,
)
from semantic_router_operator import names
from semantic_router_operator.model.resolution import Discovery, Resolution
from semantic_router_operator.translate import render, translate

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=99)
DATA = Path(__file__).parent / "data"
AUTH = {"secretKeyRef": {"name": "openai", "key": "api-key"}, "header": "x-key", "prefix": ""}

ROUTING = {
    "decisions": [
        {
            "name": "007",
            "priority": 10,
            "rules": {
                "operator": "AND",
                "conditions": [
                    {"type": "keyword", "name": "yes"},
                    {"operator": "NOT", "conditions": [{"type": "domain", "name": "law"}]},
                ],
            },
            "modelRefs": [
                {"model": "qwen/qwen3", "use_reasoning": True, "weight": 0.5},
                {"model": "gone", "weight": 1.0},
            ],
            "plugins": [
                {
                    "type": "semantic-cache",
                    "configuration": {"enabled": True, "similarity_threshold": 0.8},
                },
                {
                    "type": "system_prompt",
                    "configuration": {"system_prompt": "Pay $5.\nBe brief: # no comment"},
                },
            ],
            "annotations": {"team.example/owner": "a"},
        }
    ],
    "signals": {
        "domains": [{"name": "law", "mmlu_categories": ["law"]}],
        "keywords": [{"name": "yes", "operator": "OR", "keywords": ["1e3", "null"]}],
    },
}

CASES: dict[str, tuple[Json, list[Resolution]]] = {
    "smallest": ({}, []),
    "one_service": (
        {"vllmEndpoints": [entry("vllm-a", "qwen3")]},
        [found("vllm-a.models.svc.cluster.local")],
    ),
    "behind_a_gateway": (
        {
            "vllmEndpoints": [entry("vllm-a", "qwen3")],
            "gateway": {"existingRef": {"name": "g", "namespace": "gw"}},
        },
        [found("vllm-a.models.svc.cluster.local")],
    ),
    "everything": (
        {
            "vllmEndpoints": [
                entry(
                    "qwen-b",
                    "qwen/qwen3",
                    weight=20,
                    loras=[{"name": "sql", "description": "Writes SQL"}],
                    reasoningFamily="mine",
                    pricing={"currency": "USD", "promptPer1m": "0.50"},
                ),
                entry("qwen-a", "qwen/qwen3", weight=80, reliability={"lbPolicy": "round_robin"}),
                entry("qwen-old", "qwen/qwen3", weight=0),
                entry(
                    "openai",
                    "gpt",
                    backend={"type": "provider", "provider": {"type": "openai"}},
                    providerModelId="gpt-x",
                    connection={"auth": AUTH, "extraHeaders": {"x-team": "$team"}},
                    apiFormat="openai",
                ),
                kserve("isvc", "gone"),
            ],
            "defaultModel": "gpt",
            "config": {
                "strategy": "priority",
                "default_reasoning_effort": "low",
                "reasoning_families": {
                    "mine": {"type": "chat_template_kwargs", "parameter": "enable_thinking"}
                },
                "routing": ROUTING,
            },
        },
        [
            found(target("qwen-b.models.svc.cluster.local")),
            found(
                target("x.models.svc.cluster.local", suffix="x"),
                target("y.models.svc.cluster.local", suffix="y"),
            ),
            found("qwen-old.models.svc.cluster.local"),
            found(target("api.openai.com", None, protocol="https", base_path="/v1")),
            missing("NotReady"),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_bytes_of_a_document_are_pinned(name: str) -> None:
    spec, resolutions = CASES[name]
    written = (DATA / f"{name}.yaml").read_text(encoding="utf-8")
    assert config(spec, resolutions).text == written


@pytest.mark.parametrize("name", CASES)
def test_a_reader_gets_what_the_candidate_says(name: str) -> None:
    result = candidate(*CASES[name])
    assert as_the_router_reads(render(result).text) == result.document


@pytest.mark.parametrize("name", CASES)
def test_the_digest_is_over_the_bytes(name: str) -> None:
    rendered = config(*CASES[name])
    assert rendered.digest == names.digest(rendered.text.encode())


def test_the_restart_digest_is_that_of_the_listeners_where_nothing_else_is_read_at_the_start() -> (
    None
):
    digests = {name: config(*CASES[name]).restart_digest for name in CASES}
    assert digests["smallest"] == digests["one_service"] == digests["everything"]
    assert digests["behind_a_gateway"] != digests["smallest"]


def test_the_default_model_is_handed_on_for_the_status() -> None:
    assert config(*CASES["everything"]).default_model == "gpt"
    assert config(*CASES["smallest"]).default_model is None


@given(TEXT)
def test_op_19_the_router_reads_exactly_the_text_of_the_cr(text: str) -> None:
    decision = {"name": text, "description": text, "modelRefs": [{"model": f"m{text}"}]}
    loras = [{"name": "l", "description": text}]
    spec = {
        "vllmEndpoints": [entry("a", f"m{text}", loras=loras, providerModelId=f"p{text}")],
        "config": {"routing": {"decisions": [decision], "strange": {text: [text]}}},
    }
    document = as_the_router_reads(config(spec).text)
    (model,) = document["providers"]["models"]
    assert (model["name"], model["provider_model_id"]) == (f"m{text}", f"p{text}")
    assert document["routing"]["decisions"] == [decision]
    assert document["routing"]["strange"] == {text: [text]}
    (card,) = document["routing"]["modelCards"]
    assert card["loras"][0].get("description", "") == text


def test_op_18_a_document_names_the_variable_and_not_the_secret() -> None:
    rendered = config(*CASES["everything"])
    assert [variable.name for variable in rendered.env] == [names.env_name("gpt")]
    assert f'api_key_env: "{names.env_name("gpt")}"' in rendered.text
    assert "api-key" not in rendered.text


def test_no_key_of_the_old_dialect_is_written() -> None:
    text = config(*CASES["everything"]).text
    old = ("default_model", "reasoning_families", "reasoning_family", "default_reasoning_effort")
    assert not [key for key in old if f"{key}:" in text]


@given(st.randoms(use_true_random=False))
def test_op_09_the_order_of_entries_and_keys_makes_no_other_bytes(chance: random.Random) -> None:
    spec, resolutions = CASES["everything"]
    pairs = list(zip(spec["vllmEndpoints"], resolutions, strict=True))
    chance.shuffle(pairs)
    shuffled: Any = {**spec, "vllmEndpoints": [entry_ for entry_, _ in pairs]}
    again = config(_turned(shuffled, chance), [resolution for _, resolution in pairs])
    assert again == config(spec, resolutions)


def _turned(value: Any, chance: random.Random) -> Any:
    match value:
        case dict():
            keys = list(value)
            chance.shuffle(keys)
            return {key: _turned(value[key], chance) for key in keys}
        case list():
            return [_turned(member, chance) for member in value]
        case _:
            return value


def test_op_09_the_order_of_entries_means_something_only_where_no_default_is_stated() -> None:
    entries = [entry("a", "m"), entry("b", "n")]
    one, other = ({"vllmEndpoints": listed} for listed in (entries, entries[::-1]))
    assert config(one, previous="m").default_model == "m"
    assert config(other, previous="m").default_model == "n"
    assert config({**one, "defaultModel": "m"}) == config({**other, "defaultModel": "m"})


def test_the_same_input_gives_the_same_bytes() -> None:
    spec, resolutions = CASES["everything"]
    assert config(copy.deepcopy(spec), resolutions) == config(spec, resolutions)


@pytest.mark.parametrize("spec", [{}, {"vllmEndpoints": []}, {"config": {"routing": {}}}])
def test_sr_15_the_smallest_routers_have_a_document_that_loads(spec: Json) -> None:
    document = as_the_router_reads(config(spec).text)
    assert document["version"] == "v0.3"
    assert document["routing"] == {"modelCards": []}
    assert [listener["port"] for listener in document["listeners"]] == [8801]


def test_sr_15_one_entry_that_can_not_be_resolved_has_a_document_too() -> None:
    document = candidate({"vllmEndpoints": [kserve("a", "m")]}, [missing()]).document
    assert list(document) == ["version", "listeners", "routing"]


def test_a_held_candidate_shows_how_far_the_document_got() -> None:
    spec = {"vllmEndpoints": [kserve("a", "m")], "defaultModel": "m"}
    result = held(spec, [missing()])
    assert errors(result)
    assert result.draft is not None
    assert result.draft.document["version"] == "v0.3"


def test_discovery_has_one_resolution_for_each_entry() -> None:
    with pytest.raises(ValueError, match="shorter"):
        translate(
            router({"vllmEndpoints": [entry("a", "m")]}), Discovery(()), previous_default=None
        )
