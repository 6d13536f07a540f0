from typing import Any

from candidates import Json, candidate, entry, errors, found, held, kserve, missing
from semantic_router_operator.model.canonical import EnvReference
from semantic_router_operator.model.resolution import Resolution

UP, DOWN = entry("a", "up"), kserve("b", "down", loras=[{"name": "adapter"}])
STATES: list[Resolution] = [found("a.ns"), missing("NotReady")]


def _spec(*decisions: Json, **routing: Any) -> Json:
    return {
        "vllmEndpoints": [UP, DOWN],
        "config": {"routing": {"decisions": list(decisions), **routing}},
    }


def _decision(*models: str, **fields: Any) -> Json:
    return {"name": "d", "modelRefs": [{"model": model} for model in models], **fields}


def _routing(config: Json) -> Any:
    return candidate({"config": config}).document["routing"]


def test_sr_15_routing_is_written_though_it_says_nothing() -> None:
    assert candidate({}).document["routing"] == {"modelCards": []}


def test_sr_12_every_key_is_passed_on_known_or_not() -> None:
    embeddings = [{"name": "e", "query_modality": "image"}]
    routing = _routing({"routing": {"signals": {"embeddings": embeddings}, "foo": 1}})
    assert routing["signals"] == {"embeddings": embeddings}
    assert routing["foo"] == 1


def test_the_top_level_keys_are_in_the_order_that_a_person_reads_them() -> None:
    given = {"zoo": 1, "decisions": [], "strategy": "priority", "fallback": {}, "signals": {}}
    assert list(_routing({"routing": given})) == [
        "modelCards",
        "signals",
        "decisions",
        "strategy",
        "fallback",
        "zoo",
    ]


def test_the_strategy_of_the_config_counts_unless_routing_has_one() -> None:
    assert _routing({"strategy": "confidence"})["strategy"] == "confidence"
    both = {"strategy": "confidence", "routing": {"strategy": "priority"}}
    assert _routing(both)["strategy"] == "priority"


def test_the_users_object_is_not_changed() -> None:
    decision = _decision("up", "down", plugins=[{"type": "semantic-cache"}])
    spec = _spec(decision)
    before = repr(spec)
    candidate(spec, STATES)
    assert repr(spec) == before


def test_a_decision_loses_only_the_model_that_nothing_serves() -> None:
    result = candidate(_spec(_decision("down", "up")), STATES)
    (decision,) = result.document["routing"]["decisions"]
    assert decision["modelRefs"] == [{"model": "up"}]
    assert str(result.notes[-1]) == (
        'spec.config.routing.decisions[0].modelRefs[0]: "down" is left out for now: '
        'model "down" has no backend (b is NotReady)'
    )
    assert result.origin("routing.decisions[0].modelRefs[0].model") == (
        "spec.config.routing.decisions[0].modelRefs[1].model"
    )


def test_a_decision_that_would_be_left_with_nothing_holds_the_candidate_back() -> None:
    result = held(_spec(_decision("up"), {**_decision("down"), "name": "e"}), STATES)
    assert result.reason == "WaitingForBackends"
    assert errors(result) == [
        (
            'spec.config.routing.decisions[1].modelRefs[0]: "down" is all that is named here, and '
            'model "down" has no backend (b is NotReady); '
            "make one of its backends available, or name another model"
        )
    ]


def test_a_lora_adapter_of_a_model_that_is_left_out_counts_as_the_model() -> None:
    assert held(_spec(_decision("adapter")), STATES).reason == "WaitingForBackends"


def test_a_lora_adapter_that_another_model_has_too_is_served() -> None:
    spec = _spec(_decision("adapter"))
    spec["vllmEndpoints"] = [entry("a", "up", loras=[{"name": "adapter"}]), DOWN]
    candidate(spec, STATES)


def test_a_lora_adapter_of_a_drained_entry_is_still_one_of_the_model() -> None:
    spec = _spec(_decision("l"))
    drained = entry("c", "up", weight=0, loras=[{"name": "l"}])
    spec["vllmEndpoints"] = [UP, drained]
    cards = candidate(spec).document["routing"]["modelCards"]
    assert cards == [{"name": "up", "loras": [{"name": "l"}]}]


def test_a_decision_without_models_is_passed_on() -> None:
    candidate(_spec({"name": "d", "modelRefs": []}, {"name": "e"}), STATES)


def test_candidate_iterations_lose_a_model_like_model_refs() -> None:
    iteration = {
        "variable": "v",
        "source": "models",
        "models": [{"model": "down"}, {"model": "up"}],
    }
    result = candidate(_spec(_decision("up", candidateIterations=[iteration])), STATES)
    (decision,) = result.document["routing"]["decisions"]
    assert decision["candidateIterations"][0]["models"] == [{"model": "up"}]


def test_scores_of_a_model_that_is_left_out_go_without_holding_anything_back() -> None:
    domains = [{"name": "law", "model_scores": [{"model": "down", "score": 1}]}]
    result = candidate(_spec(signals={"domains": domains}), STATES)
    assert result.document["routing"]["signals"]["domains"] == [{"name": "law", "model_scores": []}]


def test_an_algorithm_can_not_do_without_a_model_that_it_names() -> None:
    algorithm = {
        "type": "fusion",
        "fusion": {"analysis_models": ["up", "down"], "model": "up"},
    }
    result = held(_spec(_decision("up", algorithm=algorithm)), STATES)
    (error,) = errors(result)
    assert error.startswith(
        "spec.config.routing.decisions[0].algorithm.fusion.analysis_models[1]: "
    )


def test_plugin_aliases_are_written_as_both_routers_know_them() -> None:
    plugins = [{"type": "semantic-cache", "configuration": {}}]
    (decision,) = _routing({"routing": {"decisions": [{"plugins": plugins}]}})["decisions"]
    assert decision["plugins"] == [{"type": "response_cache", "configuration": {}}]


def test_condition_types_and_operators_are_written_in_the_case_of_the_closed_lists() -> None:
    rules = {"operator": "not", "conditions": [{"type": "Domain", "name": "Law"}]}
    (decision,) = _routing({"routing": {"decisions": [{"rules": rules}]}})["decisions"]
    assert decision["rules"] == {
        "operator": "NOT",
        "conditions": [{"type": "domain", "name": "Law"}],
    }


def test_keys_that_todays_router_refuses_are_left_out_with_a_warning() -> None:
    decision = {
        "name": "d",
        "output_contract_spec": {
            "type": "choice",
            "on_violation": {},
            "normalize": {"field_order": ["a"], "defaults": {}},
        },
        "plugins": [{"type": "image_gen", "configuration": {}}, {"type": "memory"}],
    }
    cards = [{"name": "up", "quality_score": 0.5}]
    result = candidate(_spec(decision, modelCards=cards), [found("a.ns"), missing()])
    routing = result.document["routing"]
    assert routing["modelCards"] == [{"name": "up"}]
    assert routing["decisions"][0]["output_contract_spec"] == {
        "type": "choice",
        "normalize": {"defaults": {}},
    }
    assert routing["decisions"][0]["plugins"] == [{"type": "memory"}]
    assert [note.path for note in result.notes if note.code == "Deprecated"] == [
        "spec.config.routing.modelCards[0].quality_score",
        "spec.config.routing.decisions[0].output_contract_spec.on_violation",
        "spec.config.routing.decisions[0].output_contract_spec.normalize.field_order",
        "spec.config.routing.decisions[0].plugins[0]",
    ]


def test_a_routing_block_of_any_shape_is_passed_on_for_validation_to_judge() -> None:
    for value in ("x", 1, [1], ["x", [1]], {"a": 1}, [{"modelRefs": "x", "plugins": 3}]):
        for key in ("decisions", "signals", "projections", "modelCards", "strategy"):
            candidate({"vllmEndpoints": [UP], "config": {"routing": {key: value}}})


def _retrieval(key: str) -> Json:
    settings = {"enabled": True, "backend": "openai", "backend_config": {"api_key": key}}
    plugin = {"type": "rag", "configuration": settings}
    routing = {"decisions": [_decision("up", plugins=[plugin])]}
    return {"vllmEndpoints": [UP], "config": {"routing": routing}}


KEY = "spec.config.routing.decisions[0].plugins[0].configuration.backend_config.api_key"


def test_op_18_a_key_in_a_plugin_is_a_variable_that_the_router_replaces() -> None:
    made = candidate({**_retrieval("${KEY}"), "env": [{"name": "KEY", "value": "x"}]})
    (plugin,) = made.document["routing"]["decisions"][0]["plugins"]
    key = plugin["configuration"]["backend_config"]["api_key"]
    assert (key, type(key)) == ("${KEY}", EnvReference)


def test_op_18_a_key_in_clear_text_in_a_plugin_is_refused_and_not_repeated() -> None:
    result = held(_retrieval("hunter2"))
    (error,) = errors(result)
    assert error.startswith(f"{KEY}: is a secret in clear text, which would lie in a ConfigMap; ")
    assert "hunter2" not in repr(result)


def test_op_18_a_variable_that_the_pod_lacks_is_named() -> None:
    (error,) = errors(held(_retrieval("${KEY}")))
    assert error == f"{KEY}: names the variable KEY, which spec.env doesn't have; add it"
