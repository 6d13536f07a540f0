"""What there was to see when a test failed, in a file of its own."""

import re
from collections.abc import Callable
from pathlib import Path

from e2e.operators import NAMESPACE, Operators
from e2e.stage import Stage
from e2e.target import KubectlError

QUESTIONS = (
    ("get", "pods", "-o", "wide"),
    ("get", "semanticrouters,deployments,endpointslices,hpa", "-o", "wide"),
    ("get", "semanticrouters,pods,configmaps", "-o", "yaml"),
    ("get", "events", "--sort-by=.lastTimestamp"),
)


def look(stage: Stage, operators: Operators) -> list[str]:
    """The state of the test's namespace, and the logs there and of the operators."""
    ask = operators.target.kubectl
    here = ("--namespace", stage.namespace)
    logs = (("logs", pod["metadata"]["name"]) for pod in stage.all("pod"))
    parts = [_answer(ask, "get", "nodes")]
    parts.append(_answer(ask, "get", "pods", "--namespace", NAMESPACE, "-o", "wide"))
    parts.extend(_answer(ask, *question, *here) for question in (*QUESTIONS, *logs))
    parts.append(operators.logs())
    return parts


def write(folder: Path, test: str, *parts: str) -> Path:
    """The file."""
    path = folder / f"{re.sub(r'[^a-zA-Z0-9_-]+', '-', test)}.txt"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(parts))
    return path


def _answer(ask: Callable[..., str], *question: str) -> str:
    try:
        said = ask(*question)
    except KubectlError as error:
        said = str(error)
    return f"$ kubectl {' '.join(question)}\n{said}"
