"""docs/conditions.md and status/reasons.py say the same."""

import re
from pathlib import Path
from typing import get_args

from semantic_router_operator import errors
from semantic_router_operator.model.resolution import Reason
from semantic_router_operator.model.status import ConditionType
from semantic_router_operator.status import reasons
from semantic_router_operator.status.publish import CONDITION_ORDER

DOC = (Path(__file__).parents[2] / "docs" / "conditions.md").read_text()
ROW = re.compile(r"^\| `([A-Za-z]+)` \| (.+) \| (\w+) \| (.*)\|$", re.MULTILINE)
CONSTANTS = {
    value for name, value in vars(reasons).items() if name.isupper() and isinstance(value, str)
}


def leaves(kind: type[errors.RouterError]) -> set[type[errors.RouterError]]:
    return {kind}.union(*(leaves(child) for child in kind.__subclasses__()))


def test_every_reason_is_explained_once_and_nothing_else_is() -> None:
    assert sorted(reason for reason, *_ in ROW.findall(DOC)) == sorted(CONSTANTS)


def test_each_row_says_who_acts() -> None:
    assert {who for _, _, who, _ in ROW.findall(DOC)} == {"user", "admin", "nobody"}


def test_a_row_where_somebody_must_act_says_what_to_do() -> None:
    assert [r for r, _, who, text in ROW.findall(DOC) if who != "nobody" and not text.strip()] == []


def test_a_constant_is_the_upper_case_spelling_of_its_reason() -> None:
    for name, value in vars(reasons).items():
        if name.isupper() and isinstance(value, str):
            assert re.sub(r"(?<!^)(?=[A-Z])", "_", value).upper() == name


def test_every_reason_is_camel_case_and_legal_in_a_condition() -> None:
    assert [r for r in CONSTANTS if not re.fullmatch(r"([A-Z][a-z]+)+", r)] == []
    assert all(reasons.legal(reason) for reason in CONSTANTS)


def test_every_condition_is_explained_in_the_order_in_which_it_is_published() -> None:
    table = DOC.split("## Conditions")[1].split("Exactly one of")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == CONDITION_ORDER
    assert set(CONDITION_ORDER) == set(get_args(ConditionType))


def test_the_reasons_of_backends_and_of_errors_are_among_them() -> None:
    assert set(get_args(Reason)) <= CONSTANTS
    raised = {
        kind.reason
        for kind in leaves(errors.RouterError)
        if kind.__module__ == errors.__name__ and hasattr(kind, "reason")
    }
    assert raised <= CONSTANTS
