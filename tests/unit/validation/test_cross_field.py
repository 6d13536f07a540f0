"""The rules on several fields of one object: each fires at its path, and only there."""

from typing import Any

import pytest

from cross_rule_examples import EXAMPLES, GOOD, Example
from semantic_router_operator.model.base import Model
from semantic_router_operator.model.canonical import Candidate
from semantic_router_operator.model.cross_rule import CrossRule
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.validation import validate
from semantic_router_operator.validation.cross_field import broken, cross_field


def router(spec: object) -> SemanticRouter:
    return parse({"metadata": {"name": "r"}, "spec": spec})


def all_rules() -> dict[str, CrossRule]:
    """Every rule of the model by its code."""
    waiting: list[type[Model]] = [Model]
    found: list[CrossRule] = []
    while waiting:
        part = waiting.pop()
        found += part.__dict__.get("CROSS_RULES", ())
        waiting += part.__subclasses__()
    codes = [rule.code for rule in found]
    assert len(codes) == len(set(codes))
    return {rule.code: rule for rule in found}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda x: x.code)
def test_a_rule_fires_at_its_path(example: Example) -> None:
    assert [(path, rule.code) for path, rule in broken(router(example.bad))] == [
        (example.path, example.code)
    ]


@pytest.mark.parametrize(("_code", "spec"), GOOD)
def test_a_spec_that_keeps_a_rule_is_let_alone(_code: str, spec: dict[str, Any]) -> None:
    assert list(broken(router(spec))) == []


def test_each_rule_has_an_example() -> None:
    assert {example.code for example in EXAMPLES} == set(all_rules())


def test_a_message_says_what_to_do_and_fits_behind_a_path() -> None:
    for rule in all_rules().values():
        assert ";" in rule.message, rule.code
        assert not rule.message.endswith("."), rule.code
        assert rule.message[0].islower(), rule.code


def test_validation_reports_them_as_errors_with_all_others() -> None:
    spec = {
        "config": {
            "response_cache": {},
            "semantic_cache": {"redis": {"connection": {"password_secret_ref": {"key": "k"}}}},
            "complexity_rules": [{"name": "a"}, {"name": "b", "hard_above": "1"}],
        }
    }
    found = validate(router(spec), Candidate({"version": "v0.3"}))
    assert [(issue.code, issue.path) for issue in found if issue.severity == "error"][:3] == [
        ("TwoResponseCaches", "spec.config.semantic_cache"),
        ("ComplexityUpwardPair", "spec.config.complexity_rules[1]"),
        (
            "SecretWithoutName",
            "spec.config.semantic_cache.redis.connection.password_secret_ref.name",
        ),
    ]


def test_what_another_stage_judges_is_left_to_it() -> None:
    spec = {"autoscaling": {"enabled": True, "minReplicas": 3, "maxReplicas": 2}}
    assert list(cross_field(router(spec))) == []
    judges = {code: rule.judge for code, rule in all_rules().items() if rule.judge != "validation"}
    assert judges == {
        "AutoscalingRange": "objects",
        "BackendIncomplete": "discovery",
        "BackendLegacyField": "discovery",
        "BackendMismatch": "discovery",
        "ReasoningFamilies": "translate",
    }


def test_a_password_is_not_in_the_message() -> None:
    connection = {"password": "hunter2", "password_secret_ref": {"name": "s", "key": "k"}}
    spec = {"config": {"response_cache": {"redis": {"connection": connection}}}}
    assert "hunter2" not in " ".join(map(str, cross_field(router(spec))))
