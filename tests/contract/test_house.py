"""The rules of the house that no other checker knows."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for room in ("operator", "hack") for path in (ROOT / room).rglob("*.py"))
LOCKS = ["requirements.lock", "requirements-dev.lock", "requirements-build.lock"]
MODULE_LINES = 300
FUNCTION_LINES = 40

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node


def body_lines(function: Function) -> int:
    """Lines of a function, without its docstring."""
    first = function.body[1] if ast.get_docstring(function) and function.body[1:] else function
    return (function.end_lineno or 0) - first.lineno + 1


def test_operator_is_no_package_so_that_the_standard_module_of_that_name_is_found() -> None:
    assert not (ROOT / "operator" / "__init__.py").exists()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_and_its_functions_stay_small(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MODULE_LINES
    long = {f.name: body_lines(f) for f in functions(ast.parse(text))}
    assert {name: lines for name, lines in long.items() if lines > FUNCTION_LINES} == {}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_has_hashes_and_names_no_index(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "://" not in text
    assert not re.search(r"^\s*--(?!hash)", text, re.MULTILINE)
    pins = re.findall(r"^\w\S*==\S+.*\\\n\s+--hash=sha256:", text, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^\w", text, re.MULTILINE))


def test_the_lock_files_agree_and_have_every_dependency_of_the_project() -> None:
    def pins(name: str) -> dict[str, str]:
        return dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE))

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    runtime, everything, build = (pins(name) for name in LOCKS)
    assert runtime.items() | build.items() <= everything.items()
    for wanted, locked in (
        (project["dependencies"], runtime),
        (project["optional-dependencies"]["dev"], everything),
    ):
        names = {re.split(r"[<>=~ ]", requirement)[0].lower() for requirement in wanted}
        assert names <= locked.keys()
