"""The operator as a process: how it starts and ends."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from installation import OperatorProcess

STOP_SECONDS = 2.0
"""Pods that are replaced shouldn't keep a node, or the lead, for longer."""


@pytest.fixture
def process(installed: Path, namespace: str, tmp_path: Path) -> Iterator[OperatorProcess]:
    """An operator of our own, in a namespace where nothing is; it may be a standby."""
    environment = {"WATCH_NAMESPACES": namespace, "POD_NAME": "ours", "LOG_LEVEL": "debug"}
    with OperatorProcess(installed, tmp_path / "log", environment=environment) as found:
        yield found


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_soon_and_with_0_when_it_is_told_to(
    how: signal.Signals, process: OperatorProcess
) -> None:
    began = time.monotonic()
    code = process.stop(how)
    assert (code, time.monotonic() - began < STOP_SECONDS) == (0, True)
    log = process.log.read_text()
    assert "Traceback" not in log
    assert "never awaited" not in log
    assert "was destroyed" not in log
