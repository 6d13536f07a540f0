"""The `render` fixture of these tests."""

from pathlib import Path

import pytest

from unit.cli.rendering import Render, renderer


@pytest.fixture
def render(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Render:
    return renderer(tmp_path, capsys, monkeypatch)
