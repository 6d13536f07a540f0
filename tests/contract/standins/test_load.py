"""The load client, and the signals: what the end-to-end tests lean on."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from contract.standins.test_life import to
from standins import build, running
from standins.running import ended, free_ports, model, router


def seconds_of(port: int, *flags: str, wait: float = 2.5) -> list[dict[str, Any]]:
    """What a client says in that time, its last second included."""
    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    command = [str(build.binary()), "load", f"-url={url}", "-models=big", "-rate=20", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        time.sleep(wait)
        client.send_signal(signal.SIGTERM)
        output, _ = client.communicate(timeout=20)
    assert client.returncode == 0
    return [json.loads(line) for line in output.splitlines()]


def total(lines: list[dict[str, Any]], name: str) -> int:
    return sum(line[name] for line in lines)


@pytest.mark.parametrize("flags", [[], ["-keep-alive"]])
def test_it_counts_answers_by_model_and_document(flags: list[str]) -> None:
    with model("one") as one, router(to(one)) as found:
        lines = seconds_of(found.port, *flags)
        digest = found.chat("big").headers["x-standin-config"]
    assert 30 < total(lines, "ok") < 70
    assert total(lines, "failed") == 0
    assert total(lines, "attempts") == total(lines, "ok")
    assert {name for line in lines for name in line["models"]} == {"one"}
    assert {name for line in lines for name in line["configs"]} == {digest}
    first = lines[0]["configs"][digest]
    assert first["first"] < first["last"] < lines[0]["at"]


def test_what_is_no_whole_answer_has_failed_with_its_reason() -> None:
    with router(to(free_ports(1)[0])) as found:
        lines = seconds_of(found.port)
    assert total(lines, "ok") == 0
    assert total(lines, "failed") > 30
    (error,) = {error for line in lines for error in line["errors"]}
    assert error.startswith("503: upstream connect error")


def test_nobody_to_connect_to_is_a_failure_too() -> None:
    assert total(seconds_of(free_ports(1)[0], wait=1.5), "failed") > 10


def test_requests_under_way_are_counted_before_the_end() -> None:
    with model("slow", "-latency=1s") as slow, router(to(slow)) as found:
        lines = seconds_of(found.port, wait=0.5)
    assert total(lines, "ok") > 5
    assert lines[-1]["slowest_ms"] >= 1000


@pytest.mark.parametrize(
    "flags", [[], ["-url=http://x", "-rate=0"], ["-url=http://x", "-rate=201"], ["-for=31m"]]
)
def test_it_is_bounded(flags: list[str]) -> None:
    assert ended("load", *flags).returncode == 2


def test_a_document_may_end_the_router_without_being_refused(tmp_path: Path) -> None:
    fatal = to(1)
    fatal["routing"]["decisions"] = [{"name": "standin-crash", "modelRefs": [{"model": "big"}]}]
    path = tmp_path / "config.yaml"
    path.write_text(running.written(fatal, 1))
    done = ended("router", f"-config={path}")
    assert (done.returncode, "standin-crash" in done.stderr) == (3, True)


def test_a_signal_for_a_pod_that_isnt_here_says_so() -> None:
    done = ended("signal", "-pod-uid=0f0f0f0f-0000-4000-8000-000000000000")
    assert (done.returncode, "no process here" in done.stderr) == (1, True)
    assert ended("signal", "-pod-uid=x", "-signal=HUP").returncode == 2
