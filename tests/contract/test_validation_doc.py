"""docs/validation.md has every code that a user can meet; the schema behind it is a JSON Schema."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from jsonschema import Draft202012Validator

import validation_doc
from semantic_router_operator.validation.document_schema import document_schema, rows
from semantic_router_operator.validation.rules import RULES

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "operator" / "semantic_router_operator"
CODE = re.compile(r"([A-Z][a-z]+)+")


def codes_in(room: str) -> Iterator[str]:
    """Codes of the issues that a room's modules write out."""
    for path in (PACKAGE / room).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Issue" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    yield str(first.value)


def test_the_document_is_up_to_date() -> None:
    written = validation_doc.TARGET.read_text(encoding="utf-8")
    assert written == validation_doc.content(), "run `make generate`"


def test_every_rule_says_where_it_looks_what_holds_and_what_to_do() -> None:
    lacking = [rule.code for rule in RULES if not (rule.at.startswith("spec") and rule.fix)]
    assert lacking == []
    assert [rule.code for rule in RULES if not validation_doc.what(rule)] == []


def test_codes_are_camel_case_and_mean_one_thing() -> None:
    codes = [rule.code for rule in RULES]
    codes += [code for code, _, _ in validation_doc.TRANSLATION]
    codes += [rule.code for rule in validation_doc.cross_rules()]
    assert [code for code in codes if not CODE.fullmatch(code)] == []
    assert len(set(codes)) == len(codes)


def test_every_code_that_translation_writes_is_explained() -> None:
    assert set(codes_in("translate")) <= {code for code, _, _ in validation_doc.TRANSLATION}


def test_the_schema_of_the_document_is_a_json_schema() -> None:
    Draft202012Validator.check_schema(document_schema())


def test_the_table_of_fields_is_part_of_the_package_and_has_the_whole_document() -> None:
    rooms = {re.split(r"[.\[]", row.path)[0] for row in rows()}
    assert rooms == {"version", "listeners", "providers", "routing", "global"}
    assert (PACKAGE / "validation" / "canonical_fields.tsv").is_file()
