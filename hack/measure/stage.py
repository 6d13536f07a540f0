"""What every measurement stands on: a control plane, the operator installed, many routers."""

import json
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlplane import ControlPlane
from installation import OperatorProcess, install

NAMESPACE = "measured"


@dataclass
class Stage:
    """A running control plane with the operator."""

    plane: ControlPlane
    operator: OperatorProcess
    directory: Path

    def apply(self, objects: list[dict[str, Any]]) -> None:
        """Applies all objects at once. Raises KubectlError."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        self.plane.kubectl("apply", "--server-side", "-f", "-", input=text)

    def routers(self) -> list[dict[str, Any]]:
        """All SemanticRouters."""
        answer = self.plane.kubectl("get", "sr", "-n", NAMESPACE, "-o", "json")
        return list(json.loads(answer)["items"])

    def ready(self) -> int:
        """How many routers are Ready."""
        return sum(condition(router, "Ready") == "True" for router in self.routers())

    def wait(self, what: str, check: Callable[[], bool], seconds: float = 300.0) -> float:
        """Waits until `check` holds; the seconds that it took. Raises SystemExit after too long."""
        began = time.monotonic()
        while not check():
            if time.monotonic() - began > seconds:
                message = (
                    f"waited {seconds:.0f} s for {what}; the operator's log: {self.operator.log}"
                )
                raise SystemExit(message)
            time.sleep(0.5)
        return time.monotonic() - began


@contextmanager
def ground() -> Iterator[tuple[ControlPlane, Path, Path]]:
    """A control plane with CRD and RBAC, the operator's kubeconfig, and the folder of both. The
    folder stays behind only when something fails. SIGTERM ends everything too."""
    directory = Path(tempfile.mkdtemp(prefix="measure-"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    say("starting the control plane")
    with ControlPlane.start(directory, audit_log=directory / "audit.log") as plane:
        kubeconfig = install(plane)
        plane.kubectl("create", "namespace", NAMESPACE)
        yield plane, kubeconfig, directory
    shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def stage(environment: dict[str, str] | None = None) -> Iterator[Stage]:
    """Starts everything, in a folder that stays behind only when something fails."""
    with ground() as (plane, kubeconfig, directory):
        log = directory / "operator.log"
        with OperatorProcess(kubeconfig, log, environment=environment) as operator:
            yield Stage(plane, operator, directory)


def say(line: str) -> None:
    """Progress, on standard error."""
    print(line, file=sys.stderr, flush=True)


def service(name: str, labels: dict[str, str] | None = None) -> dict[str, Any]:
    """A model's Service."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels or {}},
        "spec": {"selector": {"app": name}, "ports": [{"name": "http", "port": 8000}]},
    }


def router(name: str, endpoints: list[dict[str, Any]], **spec: Any) -> dict[str, Any]:
    """A SemanticRouter."""
    return {
        "apiVersion": "vllm.ai/v1alpha1",
        "kind": "SemanticRouter",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"vllmEndpoints": endpoints, **spec},
    }


def by_service(name: str) -> dict[str, Any]:
    """An endpoint that refers to the Service of that name."""
    return {
        "name": name,
        "model": f"model-{name}",
        "backend": {"type": "service", "service": {"name": name, "port": 8000}},
    }


def condition(router: dict[str, Any], kind: str) -> str:
    """Status of the condition, Unknown where there is none."""
    for item in router.get("status", {}).get("conditions", ()):
        if item["type"] == kind:
            return str(item["status"])
    return "Unknown"
