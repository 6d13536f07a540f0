from typing import Any

import pytest

from candidates import Json, candidate, entry, errors, found, held, kserve, missing, target


def _models(*entries: Json, **kwargs: Any) -> Any:
    document = candidate({"vllmEndpoints": list(entries)}, **kwargs).document
    return document["providers"]["models"]


def _cards(spec: Json, **kwargs: Any) -> Any:
    return candidate(spec, **kwargs).document["routing"]["modelCards"]


def test_entries_of_one_model_are_one_provider_model() -> None:
    (model,) = _models(entry("a", "m"), entry("b", "m"))
    assert [ref["name"] for ref in model["backend_refs"]] == ["a", "b"]


def test_sr_08_the_name_that_the_backend_serves_is_sent_upstream() -> None:
    (model,) = _models(entry("a", "coder-fusion", providerModelId="Qwen/Qwen3-Coder"))
    assert model["provider_model_id"] == "Qwen/Qwen3-Coder"


def test_sr_08_two_upstream_names_of_one_model_are_reported() -> None:
    entries = [
        entry("a", "coder-fusion", providerModelId="Qwen/Qwen3-Coder"),
        entry("b", "coder-fusion", providerModelId="qwen3-coder"),
    ]
    assert errors(held({"vllmEndpoints": entries})) == [
        (
            "spec.vllmEndpoints[1].providerModelId: differs from "
            'spec.vllmEndpoints[0].providerModelId, but both are model "coder-fusion"; '
            "make them equal or give the backends different models"
        )
    ]


def test_a_setting_that_only_one_entry_gives_counts() -> None:
    (model,) = _models(entry("a", "m"), entry("b", "m", apiFormat="responses", catalog="c"))
    assert (model["api_format"], model["catalog"]) == ("responses", "c")


def test_prices_become_floats_and_names_snake_case() -> None:
    pricing = {"currency": "USD", "promptPer1m": "1", "completionPer1m": "2.50"}
    (model,) = _models(entry("a", "m", pricing=pricing))
    assert repr(model["pricing"]) == (
        "{'currency': 'USD', 'prompt_per_1m': 1.0, 'completion_per_1m': 2.5}"
    )


def test_the_same_price_in_other_words_is_no_contradiction() -> None:
    (model,) = _models(
        entry("a", "m", pricing={"promptPer1m": "1.0"}),
        entry("b", "m", pricing={"promptPer1m": "1"}),
    )
    assert model["pricing"] == {"prompt_per_1m": 1.0}


def test_a_price_that_is_no_number_to_a_machine_is_refused() -> None:
    spec = {"vllmEndpoints": [entry("a", "m", pricing={"promptPer1m": "9" * 400})]}
    assert errors(held(spec)) == [
        "spec.vllmEndpoints[0].pricing: is too big a number; write a smaller one"
    ]


def test_reliability_is_written_with_numbers_by_field() -> None:
    reliability = {
        "lbPolicy": "least_request",
        "retryCount": 2,
        "retryOn": "5xx",
        "consecutive5xx": 3,
        "baseEjectionTime": "30s",
        "maxEjectionPercent": 50,
        "healthCheckPath": "/health",
    }
    (model,) = _models(entry("a", "m", reliability=reliability))
    assert model["reliability"] == {
        "lb_policy": "least_request",
        "retry_count": 2,
        "retry_on": "5xx",
        "consecutive_5xx": 3,
        "base_ejection_time": "30s",
        "max_ejection_percent": 50,
        "health_check_path": "/health",
    }


@pytest.mark.parametrize("setting", ["pricing", "reliability"])
def test_an_empty_setting_is_left_out(setting: str) -> None:
    (model,) = _models(entry("a", "m", **{setting: {}}))
    assert setting not in model


def test_all_contradictions_are_told_at_once() -> None:
    entries = [
        entry("a", "m", apiFormat="openai", catalog="x", connection={"chatPath": "/a"}),
        entry("b", "m", apiFormat="anthropic", catalog="y", connection={"chatPath": "/b"}),
    ]
    places = [error.split(":")[0] for error in errors(held({"vllmEndpoints": entries}))]
    assert places == [
        "spec.vllmEndpoints[1].catalog",
        "spec.vllmEndpoints[1].apiFormat",
        "spec.vllmEndpoints[1].connection.chatPath",
    ]


def test_contradictions_are_told_though_a_backend_is_missing() -> None:
    entries = [kserve("a", "m", catalog="x"), kserve("b", "m", catalog="y")]
    assert held({"vllmEndpoints": entries}, [missing(), found("b.ns")]).reason == (
        "ConflictingModelSettings"
    )


def test_a_path_of_the_document_leads_back_to_the_entry() -> None:
    spec = {
        "vllmEndpoints": [
            entry("z", "m"),
            entry("a", "m", reliability={"retryCount": 1}, providerModelId="x"),
        ]
    }
    result = candidate(spec)
    model = "providers.models[0]"
    assert result.origin(f"{model}.name") == "spec.vllmEndpoints[0].model"
    assert result.origin(f"{model}.provider_model_id") == "spec.vllmEndpoints[1].providerModelId"
    assert result.origin(f"{model}.reliability.retry_count") == (
        "spec.vllmEndpoints[1].reliability.retryCount"
    )
    assert result.origin(f"{model}.backend_refs[0].weight") == "spec.vllmEndpoints[1]"
    assert result.origin("routing.decisions[3].rules") == "spec.config.routing.decisions[3].rules"
    assert result.origin("nowhere") == "spec"


def test_a_model_has_a_card_with_its_loras_by_name() -> None:
    spec = {
        "vllmEndpoints": [
            entry("a", "m", loras=[{"name": "sql", "description": "SQL"}, {"name": "law"}]),
            entry("b", "m", loras=[{"name": "law", "description": "Law"}]),
        ]
    }
    assert _cards(spec) == [
        {
            "name": "m",
            "loras": [
                {"name": "law", "description": "Law"},
                {"name": "sql", "description": "SQL"},
            ],
        }
    ]


def test_two_descriptions_of_one_lora_contradict_each_other() -> None:
    spec = {
        "vllmEndpoints": [
            entry("a", "m", loras=[{"name": "l", "description": "one"}]),
            entry("b", "m", loras=[{"name": "x"}, {"name": "l", "description": "two"}]),
        ]
    }
    (error,) = errors(held(spec))
    assert error.startswith(
        "spec.vllmEndpoints[1].loras[1]: differs from spec.vllmEndpoints[0].loras[0]"
    )


def test_op_09_a_lora_that_is_there_twice_is_written_once() -> None:
    spec = {"vllmEndpoints": [entry("a", "m", loras=[{"name": "l"}, {"name": "l"}])]}
    assert _cards(spec) == [{"name": "m", "loras": [{"name": "l"}]}]


def test_a_lora_that_one_entry_describes_twice_is_a_contradiction() -> None:
    loras = [{"name": "l", "description": "one"}, {"name": "l", "description": "two"}]
    (error,) = errors(held({"vllmEndpoints": [entry("a", "m", loras=loras)]}))
    assert error.startswith("spec.vllmEndpoints[0].loras[1]: differs")


def test_the_users_card_wins_field_by_field_and_comes_first() -> None:
    users = {
        "name": "m",
        "description": "mine",
        "loras": [{"name": "l", "description": "mine"}, {"name": "own"}],
    }
    theirs = [{"name": "l", "description": "ours"}, {"name": "k"}]
    spec = {
        "vllmEndpoints": [entry("a", "a"), entry("b", "m", loras=theirs)],
        "config": {"routing": {"modelCards": [users]}},
    }
    assert _cards(spec) == [
        {
            "name": "m",
            "description": "mine",
            "loras": [{"name": "l", "description": "mine"}, {"name": "own"}, {"name": "k"}],
        },
        {"name": "a"},
    ]


def test_a_card_goes_with_its_model_and_a_card_of_no_model_stays_for_validation() -> None:
    cards = [{"name": "gone"}, {"name": "nobody"}, {"name": "m"}]
    spec = {
        "vllmEndpoints": [entry("a", "m"), kserve("b", "gone")],
        "config": {"routing": {"modelCards": cards}},
    }
    result = candidate(spec, [found("a.ns"), missing()])
    assert result.document["routing"]["modelCards"] == [{"name": "nobody"}, {"name": "m"}]
    assert result.origin("routing.modelCards[1].name") == "spec.config.routing.modelCards[2].name"


def test_cards_that_are_no_list_are_left_for_validation() -> None:
    spec = {"config": {"routing": {"modelCards": "m"}}}
    assert _cards(spec) == "m"


def test_a_model_of_which_some_entries_resolve_serves_with_those() -> None:
    entries = [entry("a", "m"), entry("b", "m")]
    resolutions = [missing(declared=target("a.ns")), found("b.ns")]
    (model,) = _models(*entries, resolutions=resolutions)
    assert [ref["name"] for ref in model["backend_refs"]] == ["b"]


def test_declared_addresses_are_kept_when_none_resolves() -> None:
    entries = [entry("a", "m"), entry("b", "m"), kserve("c", "m")]
    resolutions = [
        missing(declared=target("a.ns")),
        missing(declared=target("b.ns")),
        missing("NotReady"),
    ]
    (model,) = _models(*entries, resolutions=resolutions)
    assert [ref["endpoint"] for ref in model["backend_refs"]] == ["a.ns:8000", "b.ns:8000"]


def test_last_known_targets_are_used_while_the_cluster_can_not_be_asked() -> None:
    resolution = missing("Unreachable", uncertain=True, last_known=(target("old.ns"),))
    (model,) = _models(kserve("a", "m"), resolutions=[resolution])
    assert [ref["endpoint"] for ref in model["backend_refs"]] == ["old.ns:8000"]


def test_last_known_targets_do_not_count_when_the_backend_is_gone_for_certain() -> None:
    resolution = missing("NotFound", last_known=(target("old.ns"),))
    result = candidate({"vllmEndpoints": [kserve("a", "m")]}, [resolution])
    assert "providers" not in result.document


def test_a_model_of_which_none_resolves_is_left_out_and_reported() -> None:
    spec = {"vllmEndpoints": [entry("a", "m"), kserve("b", "n")]}
    result = candidate(spec, [found("a.ns"), missing("NotReady")])
    assert [model["name"] for model in result.document["providers"]["models"]] == ["m"]
    assert [str(note) for note in result.notes] == [
        (
            'spec.vllmEndpoints[1]: model "n" has no backend (b is NotReady); '
            "it is left out of the router's configuration for now"
        )
    ]
