"""spec.config.decisions and spec.config.complexity_rules, over spec.config.routing."""

from typing import Any

import pytest

from candidates import Json, candidate, entry, errors, found, held, kserve, missing, router
from semantic_router_operator.model.canonical import Candidate
from semantic_router_operator.validation import validate

RULES: Json = {"operator": "AND", "conditions": [{"type": "domain", "name": "law"}]}
LAW: Json = {
    "name": "law",
    "description": "007",
    "priority": 10,
    "rules": RULES,
    "modelRefs": [{"model": "m", "use_reasoning": False, "reasoning_effort": "t"}],
    "algorithm": {"type": "static"},
    "plugins": [{"type": "system_prompt", "configuration": {"system_prompt": "true"}}],
}
HARD: Json = {
    "name": "hard",
    "threshold": "0.1",
    "hard": {"candidates": ["prove it"]},
    "easy": {"candidates": ["say hello"]},
}


def decision(name: str, **fields: Any) -> Json:
    return {"name": name, "rules": {"operator": "AND", "conditions": []}, **fields}


def with_models(**config: Any) -> Json:
    return {"vllmEndpoints": [entry("a", "m")], "config": config}


def routing_of(result: Candidate) -> Json:
    block: Json = result.document["routing"]
    return block


def warned(result: Candidate) -> list[str]:
    return [str(issue) for issue in result.notes]


def test_decisions_are_the_router_s_decisions_in_their_order() -> None:
    given = with_models(decisions=[LAW, decision("b"), decision("a")])
    result = candidate(given)
    assert routing_of(result)["decisions"] == [LAW, decision("b"), decision("a")]
    assert result.origin("routing.decisions[0].modelRefs[0].model") == (
        "spec.config.decisions[0].modelRefs[0].model"
    )
    assert warned(result) == []
    assert validate(router(given), result) == ()


def test_a_whole_decision_keeps_every_field() -> None:
    more: Json = {
        "reliability": {
            "total_timeout": "60s",
            "retry_count": 1,
            "retry_on": "retriable-status-codes",
            "retriable_status_codes": [503],
        },
        "fallback": {"enabled": False, "max_attempts": 2, "retryable_status_codes": [429]},
    }
    ref: Json = {"model": "m", "lora_name": "l", "reasoning_mode": "adaptive"}
    given = {**LAW, **more, "modelRefs": [ref], "rules": {**RULES, "on_unknown": "no_match"}}
    loras = [{"name": "l"}]
    spec = {
        "vllmEndpoints": [entry("a", "m", loras=loras)],
        "config": {"decisions": [given]},
    }
    result = candidate(spec)
    assert routing_of(result)["decisions"] == [given]
    assert validate(router(spec), result) == ()


def test_sr_11_flaws_are_told_where_the_user_wrote_them() -> None:
    bad = decision("x", modelRefs=[{"model": "nobody"}])
    given = with_models(decisions=[decision("x"), bad])
    paths = {issue.path for issue in validate(router(given), candidate(given))}
    assert "spec.config.decisions[1].modelRefs[0].model" in paths
    assert "spec.config.decisions[1].name" in paths


def test_a_decision_takes_the_place_of_its_namesake_and_the_others_follow() -> None:
    routing = {"decisions": [decision("a"), decision("b", tier=1), decision("c")]}
    given = with_models(routing=routing, decisions=[decision("d"), decision("b", priority=5)])
    result = candidate(given)
    assert routing_of(result)["decisions"] == [
        decision("a"),
        decision("b", priority=5),
        decision("c"),
        decision("d"),
    ]
    places = [result.origin(f"routing.decisions[{index}].name") for index in range(4)]
    assert places == [
        "spec.config.routing.decisions[0].name",
        "spec.config.decisions[1].name",
        "spec.config.routing.decisions[2].name",
        "spec.config.decisions[0].name",
    ]
    assert warned(result) == [
        (
            "spec.config.decisions: is laid over spec.config.routing.decisions, by name; write "
            "all of them in one place"
        )
    ]


def test_origins_of_what_is_replaced_are_forgotten() -> None:
    old = decision("a", modelRefs=[None, {"model": "m"}])
    new = decision("a", modelRefs=[{"model": "m"}])
    result = candidate(with_models(routing={"decisions": [old]}, decisions=[new]))
    assert result.origin("routing.decisions[0].modelRefs[0]") == (
        "spec.config.decisions[0].modelRefs[0]"
    )


def test_two_decisions_of_one_name_are_both_there_to_be_refused() -> None:
    given = with_models(
        routing={"decisions": [decision("a")]}, decisions=[decision("a"), decision("a")]
    )
    result = candidate(given)
    assert len(routing_of(result)["decisions"]) == 2
    assert "DuplicateDecision" in {issue.code for issue in validate(router(given), result)}


@pytest.mark.parametrize(
    "routing", [{"decisions": "x"}, {"signals": []}, {"signals": {"complexity": 1}}]
)
def test_a_block_of_a_wrong_shape_is_left_to_validation(routing: Json) -> None:
    given = with_models(routing=routing, decisions=[decision("a")], complexity_rules=[HARD])
    codes = {issue.code for issue in validate(router(given), candidate(given))}
    assert "WrongType" in codes


def test_preferred_endpoints_have_no_effect_and_a_warning() -> None:
    result = candidate(with_models(decisions=[decision("a", preferred_endpoints=["x"])]))
    assert routing_of(result)["decisions"] == [decision("a")]
    assert warned(result) == [
        (
            "spec.config.decisions[0].preferred_endpoints: has no effect: the router chooses among "
            "the endpoints of a model by weight; set spec.vllmEndpoints[].weight, or give the "
            "endpoints models of their own"
        )
    ]


def test_a_ref_to_a_model_that_nothing_serves_is_left_out_of_a_decision() -> None:
    spec = {
        "vllmEndpoints": [entry("a", "m"), kserve("b", "gone")],
        "config": {"decisions": [decision("d", modelRefs=[{"model": "gone"}, {"model": "m"}])]},
    }
    result = candidate(spec, [found("a.ns"), missing("NotReady")])
    assert routing_of(result)["decisions"][0]["modelRefs"] == [{"model": "m"}]
    assert [issue.path for issue in result.notes if issue.path.startswith("spec.config")] == [
        "spec.config.decisions[0].modelRefs[0]"
    ]
    assert result.origin("routing.decisions[0].modelRefs[0].model") == (
        "spec.config.decisions[0].modelRefs[1].model"
    )


def test_a_decision_that_would_be_left_with_nothing_holds_the_candidate_back() -> None:
    algorithm = {"type": "remom", "remom": {"synthesis_model": "gone"}}
    spec = {
        "vllmEndpoints": [entry("a", "m"), kserve("b", "gone")],
        "config": {
            "decisions": [decision("d", modelRefs=[{"model": "gone"}], algorithm=algorithm)]
        },
    }
    result = held(spec, [found("a.ns"), missing("NotReady")])
    assert result.reason == "WaitingForBackends"
    assert [error.partition(": ")[0] for error in errors(result)] == [
        "spec.config.decisions[0].modelRefs[0]",
        "spec.config.decisions[0].algorithm.remom.synthesis_model",
    ]


def test_words_of_the_old_dialect_are_respelled_in_decisions_too() -> None:
    plugins = [
        {"type": "image_gen", "configuration": {}},
        {"type": "semantic-cache", "configuration": {"enabled": True}},
    ]
    result = candidate(with_models(decisions=[decision("a", plugins=plugins)]))
    assert routing_of(result)["decisions"][0]["plugins"] == [
        {"type": "response_cache", "configuration": {"enabled": True}}
    ]
    assert warned(result) == [
        (
            "spec.config.decisions[0].plugins[0]: is not known to today's router and left out; "
            "remove it"
        )
    ]
    assert result.origin("routing.decisions[0].plugins[0].type") == (
        "spec.config.decisions[0].plugins[1].type"
    )


def test_complexity_rules_are_signals() -> None:
    composer = {"operator": "AND", "conditions": [{"type": "Domain", "name": "law"}]}
    scored = {
        "name": "scored",
        "description": "by score",
        "hard_above": "0.7",
        "easy_below": "-0.2",
        "composer": composer,
        "prototype_scoring": {
            "enabled": True,
            "cluster_similarity_threshold": "0.9",
            "max_prototypes": 8,
            "best_weight": "0.75",
            "top_m": 2,
            "margin_threshold": "0",
        },
    }
    falling = {"name": "falling", "hard_below": "0.1", "easy_above": "0.5"}
    given = with_models(complexity_rules=[HARD, scored, falling])
    result = candidate(given)
    assert routing_of(result)["signals"] == {
        "complexity": [
            {**HARD, "threshold": 0.1},
            {
                "name": "scored",
                "description": "by score",
                "composer": {
                    "operator": "AND",
                    "conditions": [{"type": "domain", "name": "law"}],
                },
                "hard_above": 0.7,
                "easy_below": -0.2,
                "prototype_scoring": {
                    "enabled": True,
                    "cluster_similarity_threshold": 0.9,
                    "max_prototypes": 8,
                    "best_weight": 0.75,
                    "top_m": 2,
                    "margin_threshold": 0.0,
                },
            },
            {"name": "falling", "hard_below": 0.1, "easy_above": 0.5},
        ]
    }
    assert result.origin("routing.signals.complexity[1].hard_above") == (
        "spec.config.complexity_rules[1].hard_above"
    )
    assert [issue for issue in validate(router(given), result) if issue.severity == "error"] == []


def test_complexity_rules_are_laid_over_those_of_the_routing_block() -> None:
    there = {"name": "hard", "threshold": 0.5}
    other = {"name": "other", "threshold": 0.2}
    signals = {"complexity": [there, other], "domains": [{"name": "law"}]}
    result = candidate(with_models(routing={"signals": signals}, complexity_rules=[HARD]))
    assert routing_of(result)["signals"] == {
        "complexity": [{**HARD, "threshold": 0.1}, other],
        "domains": [{"name": "law"}],
    }
    assert [issue.path for issue in result.notes] == ["spec.config.complexity_rules"]


def test_a_decision_can_ask_for_a_complexity_of_the_cr() -> None:
    asking = decision(
        "d",
        rules={"operator": "AND", "conditions": [{"type": "complexity", "name": "hard:hard"}]},
    )
    given = with_models(decisions=[asking], complexity_rules=[HARD])
    assert validate(router(given), candidate(given)) == ()


def test_without_them_nothing_is_written() -> None:
    given = with_models(decisions=[], complexity_rules=[])
    assert list(routing_of(candidate(given))) == ["modelCards"]
