from typing import Any

import pytest

from candidates import Json, candidate, entry, errors, found, held, kserve, missing, target
from semantic_router_operator.model.resolution import Resolution

TWO = {"vllmEndpoints": [kserve("z", "first"), kserve("a", "second")]}
LORA = {
    "vllmEndpoints": [
        entry("a", "other"),
        entry("b", "base", loras=[{"name": "adapter"}]),
    ]
}


def _default(spec: Json, *resolutions: Resolution, previous: str | None = None) -> Any:
    document = candidate(spec, resolutions or None, previous=previous).document
    return document.get("providers", {}).get("defaults", {}).get("model")


def _waiting(spec: Json, *resolutions: Resolution, previous: str | None = None) -> list[str]:
    result = held(spec, resolutions, previous=previous)
    assert result.reason == "WaitingForBackends"
    return errors(result)


def test_the_first_entry_written_is_the_default() -> None:
    assert _default(TWO) == "first"


def test_an_entry_without_a_backend_is_passed_over() -> None:
    assert _default(TWO, missing(), found("a.ns")) == "second"


def test_a_drained_entry_is_passed_over() -> None:
    spec = {"vllmEndpoints": [entry("z", "first", weight=0), entry("a", "second")]}
    assert _default(spec) == "second"


def test_a_declared_address_counts_only_when_there_is_nothing_better() -> None:
    spec = {"vllmEndpoints": [entry("z", "first"), entry("a", "second")]}
    declared = [missing(declared=target(host)) for host in ("z.ns", "a.ns")]
    assert _default(spec, declared[0], found("a.ns")) == "second"
    assert _default(spec, *declared) == "first"


def test_the_default_of_the_cr_wins() -> None:
    assert _default({**TWO, "defaultModel": "second"}) == "second"
    assert _default({**TWO, "defaultModel": "second"}, previous="first") == "second"


def test_the_default_may_stand_in_routing_and_is_not_passed_on_there() -> None:
    result = candidate({**TWO, "config": {"routing": {"default_model": "second"}}})
    assert result.document["providers"]["defaults"] == {"model": "second"}
    assert "default_model" not in result.document["routing"]


def test_two_defaults_that_differ_are_an_error() -> None:
    spec = {**TWO, "defaultModel": "first", "config": {"routing": {"default_model": "second"}}}
    assert errors(held(spec)) == [
        "spec.config.routing.default_model: differs from spec.defaultModel; keep one of them"
    ]


def test_a_lora_adapter_can_be_the_default_and_its_base_model_comes_first() -> None:
    document = candidate({**LORA, "defaultModel": "adapter"}).document
    assert document["providers"]["defaults"] == {"model": "adapter"}
    assert [model["name"] for model in document["providers"]["models"]] == ["base", "other"]


def test_the_default_is_the_first_model_and_the_others_follow_by_name() -> None:
    spec = {"vllmEndpoints": [entry("1", "m"), entry("2", "z"), entry("3", "a")]}
    models = candidate(spec).document["providers"]["models"]
    assert [model["name"] for model in models] == ["m", "a", "z"]


def test_a_default_that_no_entry_has_is_left_for_validation() -> None:
    assert _default({**TWO, "defaultModel": "nobody"}) == "nobody"


def test_a_default_of_the_cr_without_a_backend_holds_the_candidate_back() -> None:
    (error,) = _waiting({**TWO, "defaultModel": "first"}, missing("NotReady"), found("a.ns"))
    assert error == (
        'spec.defaultModel: "first" can\'t be the default now: model "first" has no backend '
        "(z is NotReady); make one of its backends available, or name another model"
    )


@pytest.mark.parametrize("reason", ["NotReady", "NoReadyEndpoints", "Unreachable"])
def test_the_default_does_not_move_while_its_model_is_temporarily_unresolved(reason: Any) -> None:
    (error,) = _waiting(TWO, missing(reason), found("a.ns"), previous="first")
    assert error.startswith('spec.vllmEndpoints[0].model: model "first" has no backend')


def test_the_default_does_not_move_while_the_cluster_can_not_be_asked() -> None:
    known = missing("Forbidden", uncertain=True, last_known=(target("z.ns"),))
    assert _default(TWO, found("a.ns"), known, previous="second") == "second"


def test_the_default_goes_to_an_earlier_entry_that_comes_up() -> None:
    assert _default(TWO, found("z.ns"), found("a.ns"), previous="second") == "first"


def test_the_default_moves_when_its_backend_is_gone_for_certain() -> None:
    assert _default(TWO, missing("NotFound"), found("a.ns"), previous="first") == "second"


def test_the_default_moves_when_its_entry_is_removed() -> None:
    assert _default(TWO, previous="removed") == "first"


def test_the_last_default_is_not_given_up_for_nothing() -> None:
    spec = {"vllmEndpoints": [kserve("a", "m")]}
    (error,) = _waiting(spec, missing("NotFound"), previous="m")
    assert error.startswith('spec.vllmEndpoints[0].model: model "m" has no backend')


def test_sr_15_without_any_backend_there_is_no_default_and_no_complaint() -> None:
    spec = {"vllmEndpoints": [kserve("a", "m")]}
    assert _default(spec, missing("NotFound")) is None


def test_sr_09_all_weights_0_means_no_default_but_a_named_one_waits() -> None:
    spec = {"vllmEndpoints": [entry("a", "m", weight=0)]}
    assert _default(spec) is None
    (error,) = _waiting({**spec, "defaultModel": "m"}, found("a.ns"))
    assert "a is drained by weight 0" in error
