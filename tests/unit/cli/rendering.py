"""`render` as a person calls it, in this process."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from semantic_router_operator.__main__ import main

HEAD = "apiVersion: vllm.ai/v1alpha1\nkind: SemanticRouter\n"
ROUTER = f"{HEAD}metadata: {{name: a}}\n"
ONE_SERVICE = (
    "spec: {vllmEndpoints: [{name: one, model: m, "
    "backend: {type: service, service: {name: models, port: 8000}}}]}\n"
)
SERVICE = (
    "apiVersion: v1\nkind: Service\nmetadata: {name: models}\n"
    "spec: {ports: [{name: http, port: 8000}]}\n"
)


class Said(NamedTuple):
    """What the command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, object]]:
        return list(yaml.safe_load_all(self.out))

    @property
    def kinds(self) -> list[str]:
        return [str(item["kind"]) for item in self.objects]

    @property
    def errors(self) -> list[str]:
        """The lines on standard error, without who says them."""
        return [line.partition(": ")[2] for line in self.err.splitlines()]


Render = Callable[..., Said]


def renderer(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Render:
    """`render(text, *flags, stdin=..., name=...)`; without a text no -f is added."""

    def render(
        text: str | bytes | None = None, *flags: str, stdin: str = "", name: str = "router.yaml"
    ) -> Said:
        files: list[str] = []
        if text is not None:
            file = folder / name
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
            files = ["-f", name]
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        code = main(["render", *files, *flags])
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return render
