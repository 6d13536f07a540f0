"""The guide's own walk, with the commands of README.md as they stand there."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import Request, urlopen

import pytest

from e2e.figures import Figures
from e2e.stage import Stage
from e2e.target import ROOT, Target

APPLY = "kubectl apply -f samples/quickstart.yaml"
WAIT = "kubectl wait --for=condition=Ready sr/quickstart --timeout=5m"
FORWARD = "kubectl port-forward svc/quickstart 8801"
URL = "http://localhost:8801/v1/chat/completions"


def shell(target: Target, stage: Stage, command: str) -> str:
    """A command of the guide, in a terminal whose kubectl works in the test's namespace."""
    words = command.replace("kubectl", f"kubectl --namespace {stage.namespace}")
    done = subprocess.run(
        ["sh", "-c", words],
        cwd=ROOT,
        env=target.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


@contextmanager
def forwarded(target: Target, stage: Stage) -> Iterator[int]:
    """The guide's port-forward, to a port that is free here; the port."""
    command = [target.kubectl_path, "--namespace", stage.namespace, "port-forward"]
    command += [FORWARD.split()[-2], ":8801"]
    with subprocess.Popen(
        command, env=target.environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline().split()[2].rpartition(":")[2])
        finally:
            process.send_signal(signal.SIGTERM)


def completion(port: int, model: str, prompt: str) -> str:
    """What the model says."""
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    url = URL.replace("8801", str(port))
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310 - http
    with urlopen(request, timeout=10) as answer:  # noqa: S310 - http
        return str(json.load(answer)["choices"][0]["message"]["content"])


def test_a_first_router_answers_with_the_model_that_fits_the_question(
    target: Target, stage: Stage, figures: Figures
) -> None:
    stage.models("qwen3-8b", "qwen3-coder")
    began = time.monotonic()
    shell(target, stage, APPLY)
    shell(target, stage, WAIT)
    figures.duration(
        "the first router, from apply to Ready, with default probes", time.monotonic() - began
    )
    with forwarded(target, stage) as port:
        assert completion(port, "auto", "What is the capital of France?") == "I am qwen3-8b"
        assert completion(port, "auto", "Write a python function") == "I am qwen3-coder"
        assert completion(port, "qwen3-coder", "hello") == "I am qwen3-coder"
    row = shell(target, stage, "kubectl get sr").splitlines()[1].split()
    assert row[:4] == ["quickstart", "True", "Running", "1/1"]


@pytest.mark.parametrize("words", [APPLY, WAIT, FORWARD, URL, "kubectl apply -k manifests/"])
def test_the_walk_is_that_of_the_guide(words: str) -> None:
    assert words in (ROOT / "README.md").read_text()
