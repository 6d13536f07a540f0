"""docs/field-cases.md: every case has a test of its own, and every test that it names exists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
DOC = (TESTS.parent / "docs" / "field-cases.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([A-Z]{2,3}-\d\d) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
NAMED = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
CASES = (
    *("SR-03", "SR-05", *(f"SR-{number:02}" for number in range(7, 16))),
    *(f"KS-{number:02}" for number in range(2, 7)),
    *("LS-01", "LS-02", "LS-03", "DS-02", "DS-03", "DS-05"),
    *(f"KO-{number:02}" for number in range(2, 10)),
    *("OP-03", "OP-04", "OP-06", "OP-07", *(f"OP-{number:02}" for number in range(9, 21))),
    *("OS-01", "OS-02", "OS-03", "OS-04", "GPU-01", "GPU-02"),
)
LATER = tuple(case for case in CASES if case.startswith("KO-"))
"""Shown by tests that don't have the case's id in their names."""


def functions() -> Iterator[tuple[str, str]]:
    """(file, function) of every test."""
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path.name, node.name


EXISTING = frozenset(item for item in functions() if item[1].startswith("test_"))


def named(cell: str) -> list[tuple[str, str]]:
    return [(file, name) for file, name in NAMED.findall(cell)]


def test_every_case_is_in_the_table_once_and_in_its_order() -> None:
    assert [case for case, _, _ in ROW.findall(DOC)] == list(CASES)


def test_every_test_that_the_table_names_exists() -> None:
    assert [f"{file}::{name}" for file, name in named(DOC) if (file, name) not in EXISTING] == []


def test_every_case_has_a_test_with_its_id_in_the_name() -> None:
    lacking = []
    for case, _, cell in ROW.findall(DOC):
        token = f"_{case.lower().replace('-', '_')}_"
        if case not in LATER and not any(token in name for _, name in named(cell)):
            lacking.append(case)
    assert lacking == []


def test_every_case_is_shown_by_something() -> None:
    assert [case for case, _, cell in ROW.findall(DOC) if not named(cell)] == []


def test_every_id_in_the_name_of_a_test_is_a_case() -> None:
    ids = {
        f"{kind.upper()}-{number}"
        for _, name in EXISTING
        for kind, number in re.findall(r"_(sr|ks|ls|ds|ko|op|os|gpu)_(\d\d)(?=_)", name)
    }
    assert ids - set(CASES) == set()
