"""`validate`: all errors at once, warnings apart, exit code 1 for what the spec must change."""

import json
from pathlib import Path
from typing import Any

import pytest

from semantic_router_operator.__main__ import main

BACKEND = {"type": "service", "service": {"name": "s", "port": 8000}}
ENTRY = {"name": "a", "model": "m", "backend": BACKEND}


def validated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spec: dict[str, Any], *flags: str
) -> tuple[int, str, list[str]]:
    """Exit code, standard output, and the lines of standard error."""
    body = {
        "apiVersion": "vllm.ai/v1alpha1",
        "kind": "SemanticRouter",
        "metadata": {"name": "r"},
        "spec": spec,
    }
    file = tmp_path / "router.json"
    file.write_text(json.dumps(body))
    code = main(["validate", "-f", str(file), *flags])
    said = capsys.readouterr()
    return code, said.out, said.err.splitlines()


def test_a_sound_router_is_valid_though_its_backend_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = validated(tmp_path, capsys, {"vllmEndpoints": [ENTRY]})
    assert (code, out) == (0, "SemanticRouter r: valid\n")
    assert [line.split(": ")[1] for line in err] == ["warning"]


def test_all_errors_are_told_at_once_with_their_paths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions = [
        {
            "name": "d",
            "rules": {"operator": "AND", "conditions": []},
            "modelRefs": [{"model": "x"}],
        },
        {
            "name": "d",
            "rules": {"operator": "AND", "conditions": []},
            "modelRefs": [{"model": "m"}],
        },
    ]
    spec = {"vllmEndpoints": [ENTRY, ENTRY], "config": {"routing": {"decisions": decisions}}}
    code, out, err = validated(tmp_path, capsys, spec)
    errors = [line for line in err if ": error: " in line]
    assert (code, out) == (1, "")
    for path in (
        "spec.vllmEndpoints[1].name",
        "spec.config.routing.decisions[0].modelRefs[0].model",
        "spec.config.routing.decisions[1].name",
    ):
        assert any(f"error: {path}: " in line for line in errors), errors


def test_what_only_the_cluster_can_answer_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = {
        "gateway": {"existingRef": {"name": "g", "namespace": "ns"}},
        "vllmEndpoints": [ENTRY],
    }
    code, out, err = validated(tmp_path, capsys, spec)
    assert (code, out) == (0, "SemanticRouter r: valid\n")
    assert any("warning: spec.gateway.existingRef: " in line for line in err)


def test_a_file_without_a_router_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "service.yaml"
    file.write_text("apiVersion: v1\nkind: Service\nmetadata: {name: s}\n")
    assert main(["validate", "-f", str(file)]) == 1
    assert "no SemanticRouter" in capsys.readouterr().err
