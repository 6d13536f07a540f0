"""Every sample and case, rendered offline: the bytes that the operator would apply.

`make golden-update` writes tests/golden/expected anew; read the diff before you commit it.
"""

import os
from pathlib import Path

import pytest

from semantic_router_operator.__main__ import main

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CLUSTER = HERE / "cluster.yaml"
SOURCES = sorted([*(ROOT / "samples").glob("*.yaml"), *(HERE / "cases").glob("*.yaml")])
PLATFORMS = ("kubernetes", "openshift")


def rendered(source: Path, platform: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What render prints: the objects, then what it says on standard error, then its exit code."""
    code = main(["render", "-f", str(source), "--cluster", str(CLUSTER), "--platform", platform])
    said = capsys.readouterr()
    comments = "".join(f"# {line}\n" for line in said.err.splitlines())
    return f"{said.out}{comments}# exit code {code}\n"


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_sample_and_case_renders_to_its_recorded_bytes(
    source: Path, platform: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = rendered(source, platform, capsys)
    expected = HERE / "expected" / f"{source.stem}.{platform}.yaml"
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("source", sorted((ROOT / "samples").glob("*.yaml")), ids=lambda p: p.stem)
def test_every_sample_renders_without_an_error(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    platform = "openshift" if "openshift" in source.stem else "kubernetes"
    assert rendered(source, platform, capsys).endswith("# exit code 0\n")


def test_no_recorded_result_is_left_of_a_case_that_is_gone() -> None:
    wanted = {f"{source.stem}.{platform}.yaml" for source in SOURCES for platform in PLATFORMS}
    assert {path.name for path in (HERE / "expected").glob("*.yaml")} == wanted
