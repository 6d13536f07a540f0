"""Startup, readiness and liveness of the router container."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.workload import Probe
from semantic_router_operator.objects import flags
from semantic_router_operator.objects.ports import GRPC, pod_ports, standalone
from semantic_router_operator.objects.raw import present

ProbeName = Literal["startupProbe", "readinessProbe", "livenessProbe"]
NAMES: Final[tuple[ProbeName, ...]] = ("startupProbe", "readinessProbe", "livenessProbe")


@dataclass(frozen=True, slots=True)
class _Timing:
    """Seconds, and failures until it counts; the numbers of the Go operator."""

    initial: int
    period: int
    timeout: int
    failures: int


_STARTUP: Final = _Timing(initial=0, period=10, timeout=5, failures=360)
"""An hour: models may be downloaded first (field case SR-14)."""
_RUNNING: Final = _Timing(initial=30, period=30, timeout=10, failures=5)


def probes(router: SemanticRouter) -> dict[str, Any]:
    """The probes that aren't disabled, by their field in the container.

    Standalone asks the listener itself: /ready, and /health for liveness. Behind a Gateway the
    ext_proc port is asked by gRPC, or by TCP when it speaks TLS (-secure), since the kubelet's gRPC
    probe doesn't; liveness is TCP.
    """
    return {
        name: dict(sorted((_handler(router, name) | _timing(name, _given(router, name))).items()))
        for name in NAMES
        if _given(router, name).enabled
    }


def startup_seconds(router: SemanticRouter) -> int:
    """How long a container may take to start before it is restarted; 0 without such a probe."""
    probe = probes(router).get("startupProbe")
    if probe is None:
        return 0
    tries = int(probe["periodSeconds"]) * int(probe["failureThreshold"])
    return tries + int(probe.get("initialDelaySeconds", 0))


def check(router: SemanticRouter) -> Iterator[Issue]:
    """Timings that Kubernetes refuses."""
    for name in NAMES:
        given = _given(router, name)
        if not given.enabled:
            continue
        fields = (
            ("initialDelaySeconds", given.initial_delay_seconds, 0),
            ("periodSeconds", given.period_seconds, 1),
            ("timeoutSeconds", given.timeout_seconds, 1),
            ("failureThreshold", given.failure_threshold, 1),
        )
        for field, value, least in fields:
            if value is not None and value < least:
                message = f"must be at least {least}; leave it out for the default"
                yield Issue("InvalidSpec", f"spec.{name}.{field}", message)


def _given(router: SemanticRouter, name: ProbeName) -> Probe:
    match name:
        case "startupProbe":
            return router.spec.startup_probe
        case "readinessProbe":
            return router.spec.readiness_probe
        case "livenessProbe":
            return router.spec.liveness_probe


def _handler(router: SemanticRouter, name: ProbeName) -> dict[str, Any]:
    if standalone(router):
        path = "/health" if name == "livenessProbe" else "/ready"
        return {"httpGet": {"path": path, "port": names.LISTENER_PORT_NAME}}
    if name == "livenessProbe" or flags.enabled(router.spec.args, "secure"):
        return {"tcpSocket": {"port": GRPC}}
    return {"grpc": {"port": pod_ports(router)[0].number}}


def _timing(name: ProbeName, given: Probe) -> dict[str, Any]:
    default = _STARTUP if name == "startupProbe" else _RUNNING
    initial = given.initial_delay_seconds
    return present(
        {
            "failureThreshold": given.failure_threshold or default.failures,
            "initialDelaySeconds": (default.initial if initial is None else initial) or None,
            "periodSeconds": given.period_seconds or default.period,
            "timeoutSeconds": given.timeout_seconds or default.timeout,
        }
    )
