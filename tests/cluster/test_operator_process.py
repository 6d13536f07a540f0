"""The operator as a process: how it starts and ends."""

import os
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


def test_it_runs_as_a_user_that_the_machine_has_no_name_for(
    installed: Path, namespace: str, tmp_path: Path
) -> None:
    """As any uid of a pod is: OpenShift picks one, and an image from scratch knows none."""
    hook = "import pwd\n\ndef getpwuid(uid):\n    raise KeyError(uid)\n\npwd.getpwuid = getpwuid\n"
    (tmp_path / "sitecustomize.py").write_text(hook)
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    unnamed = dict.fromkeys(("LOGNAME", "USER", "LNAME", "USERNAME"), "")
    environment = {
        **unnamed,
        "PYTHONPATH": os.pathsep.join(paths),
        "WATCH_NAMESPACES": namespace,
        "POD_NAME": "ours",
    }
    with OperatorProcess(installed, tmp_path / "log", environment=environment) as found:
        time.sleep(1)
        assert found.get("/healthz")[0] == 200, found.log.read_text()
