from typing import Any

from candidates import Json, candidate, entry, errors, held


def _model(*entries: Json, **config: Any) -> Any:
    document = candidate({"vllmEndpoints": list(entries), "config": config}).document
    return document["providers"]["models"][0]


def _notes(*entries: Json, **config: Any) -> list[str]:
    notes = candidate({"vllmEndpoints": list(entries), "config": config}).notes
    return [str(note) for note in notes]


def test_a_family_is_written_as_the_newer_router_reads_it() -> None:
    assert _model(entry("a", "m", reasoning={"family": "qwen3"}))["reasoning"] == {
        "family": "qwen3"
    }


def test_inline_reasoning_is_written_whole_in_the_documents_spelling() -> None:
    reasoning = {
        "type": "chat_template_kwargs",
        "parameter": "enable_thinking",
        "activationParameter": "thinking",
        "effortFlags": {"low": "l", "high": "h"},
        "levels": ["low", "high"],
        "default": "low",
        "modes": ["enabled", "adaptive"],
        "defaultMode": "adaptive",
        "disabled": "none",
    }
    assert _model(entry("a", "m", reasoning=reasoning))["reasoning"] == {
        "type": "chat_template_kwargs",
        "parameter": "enable_thinking",
        "activation_parameter": "thinking",
        "effort_flags": {"high": "h", "low": "l"},
        "levels": ["low", "high"],
        "default": "low",
        "modes": ["enabled", "adaptive"],
        "default_mode": "adaptive",
        "disabled": "none",
    }


def test_sr_07_an_undeclared_family_is_never_written_in_the_old_place() -> None:
    model = _model(entry("a", "m", reasoningFamily="qwen3"))
    assert model["reasoning"] == {"family": "qwen3"}
    assert "reasoning_family" not in model
    assert _notes(entry("a", "m", reasoningFamily="qwen3")) == [
        "spec.vllmEndpoints[0].reasoningFamily: write reasoning.family instead"
    ]


def test_sr_07_a_family_that_nobody_knows_is_passed_on_with_a_warning() -> None:
    odd = entry("a", "m", reasoning={"family": "mine"})
    assert _model(odd)["reasoning"] == {"family": "mine"}
    (note,) = _notes(odd)
    assert note.startswith(
        'spec.vllmEndpoints[0].reasoning.family: "mine" is left to the router\'s own catalogue'
    )


def test_a_family_of_the_cr_becomes_inline_reasoning_of_its_models() -> None:
    families = {"mine": {"type": "reasoning_effort", "parameter": "reasoning_effort"}}
    named = entry("a", "m", reasoningFamily="mine")
    assert _model(named, reasoning_families=families)["reasoning"] == families["mine"]
    assert _notes(named, reasoning_families=families)[0] == (
        "spec.config.reasoning_families: "
        "write type and parameter in vllmEndpoints[].reasoning instead"
    )


def test_a_family_of_the_cr_that_is_used_must_be_whole() -> None:
    result = held(
        {
            "vllmEndpoints": [entry("a", "m", reasoningFamily="x"), entry("b", "n")],
            "config": {"reasoning_families": {"x": {"type": "reasoning_effort"}, "unused": {}}},
        }
    )
    assert errors(result) == [
        (
            "spec.config.reasoning_families.x: needs type and parameter, since a model names it; "
            "add them or remove the family"
        )
    ]


def test_a_family_of_the_cr_has_a_type_that_the_router_knows() -> None:
    families = {"x": {"type": "other", "parameter": "p"}}
    result = held(
        {
            "vllmEndpoints": [entry("a", "m", reasoning={"family": "x"})],
            "config": {"reasoning_families": families},
        }
    )
    assert errors(result)[0].startswith("spec.config.reasoning_families.x.type: is no type")


def test_both_spellings_with_the_same_family_are_fine() -> None:
    both = entry("a", "m", reasoning={"family": "qwen3"}, reasoningFamily="qwen3")
    assert _model(both)["reasoning"] == {"family": "qwen3"}


def test_both_spellings_that_differ_are_an_error() -> None:
    both = entry("a", "m", reasoning={"family": "qwen3"}, reasoningFamily="gpt")
    result = held({"vllmEndpoints": [both]})
    assert result.reason == "InvalidConfig"
    assert errors(result) == [
        (
            "spec.vllmEndpoints[0].reasoningFamily: differs from spec.vllmEndpoints[0].reasoning; "
            "keep reasoning and remove reasoningFamily"
        )
    ]


def test_family_and_inline_reasoning_exclude_each_other() -> None:
    both = entry("a", "m", reasoning={"family": "qwen3", "type": "reasoning_effort"})
    assert errors(held({"vllmEndpoints": [both]})) == [
        (
            "spec.vllmEndpoints[0].reasoning.family: excludes the other fields of reasoning; "
            "keep family, or type and parameter"
        )
    ]


def test_sr_07_two_families_of_one_model_contradict_each_other() -> None:
    result = held(
        {
            "vllmEndpoints": [
                entry("a", "m", reasoningFamily="qwen3"),
                entry("b", "m", reasoning={"family": "gpt"}),
            ]
        }
    )
    assert result.reason == "ConflictingModelSettings"
    assert errors(result) == [
        (
            "spec.vllmEndpoints[1].reasoning: differs from spec.vllmEndpoints[0].reasoningFamily, "
            'but both are model "m"; make them equal or give the backends different models'
        )
    ]


def test_the_effort_is_written_under_todays_key() -> None:
    document = candidate({"config": {"reasoning_effort": "medium"}}).document
    assert document["providers"] == {"defaults": {"reasoning_effort": "medium"}}


def test_the_old_key_of_the_effort_still_works_with_a_warning() -> None:
    result = candidate({"config": {"default_reasoning_effort": "high"}})
    assert result.document["providers"] == {"defaults": {"reasoning_effort": "high"}}
    assert [str(note) for note in result.notes] == [
        "spec.config.default_reasoning_effort: write reasoning_effort instead"
    ]


def test_two_efforts_that_differ_are_an_error() -> None:
    config = {"default_reasoning_effort": "high", "reasoning_effort": "low"}
    assert errors(held({"config": config})) == [
        (
            "spec.config.default_reasoning_effort: differs from spec.config.reasoning_effort; "
            "keep only reasoning_effort"
        )
    ]
