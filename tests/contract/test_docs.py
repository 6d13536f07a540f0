"""What the documents point at is there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from semantic_router_operator.__main__ import main

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "operator" / "semantic_router_operator"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
DOCUMENTS = sorted(
    [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md"))]
)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
MAKE = re.compile(r"\bmake ([a-z][a-z-]*)\b")
SAMPLE = re.compile(r"\bsamples/[\w./-]*\w")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


def anchors(document: Path) -> set[str]:
    """The headings of a document, as GitHub names them in links."""
    text = FENCE.sub("", document.read_text())
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}


def commands(document: Path) -> Iterator[str]:
    """What one would type: the lines of code blocks, and `code` in the text."""
    text = document.read_text()
    for block in FENCE.findall(text):
        yield from block.splitlines()[1:-1]
    yield from CODE.findall(FENCE.sub("", text))


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    missing = []
    for link in LINK.findall(FENCE.sub("", document.read_text())):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            missing.append(link)
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_every_make_target_is_one(document: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {target for line in commands(document) for target in MAKE.findall(line)}
    assert named - targets == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_every_sample_is_there(document: Path) -> None:
    named = set(SAMPLE.findall(document.read_text()))
    assert {name for name in named if not (ROOT / name).exists()} == set()


def places() -> Iterator[str]:
    """The paths in the second column of "To change X, go to Y"."""
    table = ARCHITECTURE.read_text().partition("## To change X, go to Y")[2].partition("\n## ")[0]
    rows = [row.split("|")[2] for row in table.splitlines() if row.startswith("|")]
    for row in rows[2:]:
        yield from (name for name in CODE.findall(row) if re.fullmatch(r"\S*[./]\S*", name))


def test_the_table_of_places_has_rows() -> None:
    assert len(list(places())) > 10


@pytest.mark.parametrize("place", sorted(set(places())))
def test_every_place_in_the_table_is_there(place: str) -> None:
    pattern = re.sub(r"<\w+>", "*", place)
    assert [*ROOT.glob(pattern), *PACKAGE.glob(pattern)]


def test_every_room_and_module_that_the_architecture_names_is_there() -> None:
    rooms = ARCHITECTURE.read_text().partition("## The rooms")[2].partition("## To change")[0]
    named = set(re.findall(r"\*\*([a-z_\\]+(?:\.py|/))", rooms))
    named |= {name for name in CODE.findall(rooms) if re.fullmatch(r"[\w/]+(\.py|/)", name)}
    found = {name.replace("\\", "") for name in named} - {"operator/__init__.py"}
    known = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")}
    modules = {Path(name).name for name in known}
    rooms_there = [*PACKAGE.rglob("*"), *ROOT.iterdir(), *(ROOT / "hack").iterdir()]
    folders = {f"{path.name}/" for path in rooms_there if path.is_dir()}
    folders |= {
        "operator/semantic_router_operator/",
        *re.findall(r"\*\*(\w+/)\*\* is reserved", rooms),
    }
    assert found - known - modules - folders == set()


def test_every_room_is_in_the_architecture() -> None:
    text = ARCHITECTURE.read_text()
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert {room for room in rooms if f"**{room}/**" not in text} == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_every_flag_of_ours_is_one(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line in commands(document):
        if not line.startswith("semantic-router-operator "):
            continue
        _, command, *_ = line.split()
        with pytest.raises(SystemExit, match="0"):
            main([command, "--help"])
        known = set(FLAG.findall(capsys.readouterr().out))
        assert set(FLAG.findall(line)) <= known, line


def test_every_adr_is_in_their_list() -> None:
    folder = ROOT / "docs" / "adr"
    text = (folder / "README.md").read_text()
    pages = {path.name for path in folder.glob("0*.md")}
    assert {page for page in pages if f"({page})" not in text} == set()
