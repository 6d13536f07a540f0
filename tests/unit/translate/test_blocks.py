"""A block of the CR in the document: what is written, what isn't, and as what."""

import pytest

from semantic_router_operator.model.config.api import BatchMetrics
from semantic_router_operator.model.config.complexity import ComplexityRule, PrototypeScoring
from semantic_router_operator.model.config.decisions import Decision
from semantic_router_operator.model.config.prompt_guard import PromptGuard
from semantic_router_operator.model.config.streamed_body import StreamedBody
from semantic_router_operator.translate.blocks import written

CR = "spec.config.block"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.8", 0.8),
        ("0.3", 0.3),
        ("1", 1.0),
        ("1.0", 1.0),
        ("0", 0.0),
        ("-0.25", -0.25),
        ("0.1000000000000000055511151231257827", 0.1),
        ("12345678.125", 12345678.125),
    ],
)
def test_a_number_in_text_is_that_number(text: str, number: float) -> None:
    value = written(PrototypeScoring(best_weight=text), "x", CR, numbers=("best_weight",)).value
    assert value == {"best_weight": number}
    assert type(value["best_weight"]) is float


def test_a_text_that_looks_like_a_number_stays_text_in_a_field_of_text() -> None:
    value = written(PromptGuard(model_id="007"), "x", CR, numbers=("threshold",)).value
    assert value == {"enabled": True, "model_id": "007", "threshold": 0.7}


def test_numbers_in_a_list_are_numbers() -> None:
    metrics = BatchMetrics(duration_buckets=("0.001", "1", "60"), size_buckets=(1, 10))
    value = written(metrics, "x", CR, numbers=("duration_buckets",)).value
    assert value["duration_buckets"] == [0.001, 1.0, 60.0]
    assert value["size_buckets"] == [1, 10]


@pytest.mark.parametrize(
    "text", ["", "abc", "1e3", ".5", "5.", "0x1", " 1", "1\n", "NaN", "\u0661"]
)
def test_what_is_no_number_is_an_error_at_its_place(text: str) -> None:
    block = written(
        BatchMetrics(duration_buckets=("1", text)), "x", CR, numbers=("duration_buckets",)
    )
    assert [str(issue) for issue in block.issues] == [
        f"{CR}.duration_buckets[1]: is not a number; write one, as text"
    ]


def test_a_number_that_no_float_can_hold_is_an_error() -> None:
    block = written(PrototypeScoring(best_weight="9" * 400), "x", CR, numbers=("best_weight",))
    (issue,) = block.issues
    assert str(issue) == f"{CR}.best_weight: is too big a number; write a smaller one"


def test_what_the_cr_does_not_say_is_not_written() -> None:
    assert written(StreamedBody(), "x", CR).value == {}
    assert written(StreamedBody(enabled=False, max_bytes=0), "x", CR).value == {
        "enabled": False,
        "max_bytes": 0,
    }


def test_a_default_that_the_api_server_fills_in_is_written() -> None:
    assert written(BatchMetrics(), "x", CR).value == {
        "enabled": True,
        "detailed_goroutine_tracking": True,
        "high_resolution_timing": False,
        "sample_rate": "1.0",
    }


def test_an_empty_list_is_written_only_when_the_cr_has_it() -> None:
    assert "positive_labels" not in written(PromptGuard(), "x", CR).value
    assert written(PromptGuard(positive_labels=()), "x", CR).value["positive_labels"] == []


def test_an_object_that_says_nothing_is_not_written() -> None:
    rule = ComplexityRule(name="a", prototype_scoring=PrototypeScoring())
    assert written(rule, "x", CR).value == {"name": "a"}


def test_a_block_that_is_passed_on_whole_is_written_though_it_is_empty() -> None:
    decision = Decision.model_validate(
        {"name": "a", "rules": {"operator": "AND", "conditions": []}, "algorithm": {}}
    )
    assert written(decision, "x", CR).value == {
        "name": "a",
        "rules": {"operator": "AND", "conditions": []},
        "algorithm": {},
    }


def test_what_is_passed_on_whole_is_read_with_its_nulls_left_out() -> None:
    decision = Decision.model_validate(
        {
            "name": "a",
            "rules": {"operator": "AND", "conditions": []},
            "plugins": [{"configuration": {"b": [None, 1], "a": None}, "type": "t"}],
        }
    )
    block = written(decision, "routing.decisions[3]", CR)
    assert block.value["plugins"] == [{"type": "t", "configuration": {"b": [1]}}]
    place = "plugins[0].configuration.b"
    assert block.origins == {
        "routing.decisions[3]": CR,
        f"routing.decisions[3].{place}[0]": f"{CR}.{place}[1]",
    }
