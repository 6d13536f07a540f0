"""The demo from end to end, as `make demo` runs it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane import processes

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 90.0


def demo(directory: Path, *arguments: str, keep: str = "") -> "subprocess.Popen[str]":
    """The demo as a process; its output on `stdout`."""
    environment = {**os.environ, "KEEP": keep, "PYTHONPATH": str(ROOT / "hack"), "COLUMNS": "120"}
    return subprocess.Popen(
        [sys.executable, "-m", "demo", *arguments, "--dir", str(directory)],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finished(process: "subprocess.Popen[str]") -> tuple[int, str]:
    text, _ = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, text


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    """The demo's folder; whatever a test leaves running in it is ended."""
    yield tmp_path / "demo"
    finished(demo(tmp_path / "demo", "down"))


def test_the_demo_shows_everything_can_be_kept_and_is_ended(directory: Path) -> None:
    code, text = finished(demo(directory, keep="1"))
    assert code == 0, text
    for line in (
        "$ kubectl get sr",
        "  demo   False   BackendsUnresolved   2/2        standalone",
        "system:serviceaccount:semantic-router-operator-system:",
        "  ok: it isn't admin, and can't read Secrets",
        '  version: "v0.3"',
        "  horizontalpodautoscaler.autoscaling/demo",
        "  ok: Ready is True ",
        "  -          weight: 80",
        "  +          weight: 50",
        "  ok: the Deployment's generation and the pods are the same: nothing was rolled",
        "  chat-b  qwen3-8b       Unresolved  NotFound",
        "All of it was observed.",
        f"  export KUBECONFIG={directory}/control-plane/admin.kubeconfig",
        "  make demo-down",
    ):
        assert line in text
    assert "\033" not in text
    again, said = finished(demo(directory))
    assert again == 1
    assert "make demo-down" in said
    left = running(directory)
    assert {"operator", "kube-apiserver", "etcd"} <= {process.name for process in left}
    code, text = finished(demo(directory, "down"))
    assert (code, directory.exists()) == (0, False), text
    assert [process.name for process in left if process.alive()] == []


def test_an_interrupted_demo_leaves_nothing_behind(directory: Path) -> None:
    process = demo(directory, keep="1")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "operator" not in {found.name for found in running(directory)}:
        assert process.poll() is None, finished(process)
        assert time.monotonic() < deadline
        time.sleep(0.1)
    started = running(directory)
    process.send_signal(signal.SIGTERM)
    code, text = finished(process)
    assert (code, directory.exists()) == (130, False), text
    assert [found.name for found in started if found.alive()] == []


def running(directory: Path) -> list[processes.Process]:
    recorded = [*processes.recorded(directory), *processes.recorded(directory / "control-plane")]
    return [process for process in recorded if process.alive()]
