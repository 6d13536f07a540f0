"""How a pod ends: it goes on serving for a while, then the router is told to stop.

A pod that is deleted leaves the Endpoints by itself, but proxies and gateways hear of it some
seconds later, and answers under way are streams of tens of seconds. On SIGTERM the router takes no
new connection and finishes what runs within 25 s (standalone) or 30 s (ext_proc); older releases
ended at once (vllm-project/semantic-router, cmd/native_gateway.go `nativeDrainTimeout`,
pkg/extproc/server.go `defaultGenerationDrainTimeout`, and `os.Exit(0)` in older cmd/main.go).
"""

from typing import Any, Final

from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter

STOP_SECONDS: Final = 30
"""What the router takes at most from SIGTERM to its end."""


def lifecycle(router: SemanticRouter, platform: Platform) -> dict[str, Any] | None:
    """The container's hooks; None for a router that isn't drained.

    Never longer than the grace period: the API server refuses a sleep that is, and the kubelet
    would cut the other form. On an API server that doesn't know the sleep action, the program
    `sleep` of the image is run; an image without it ends at once, with an Event of the kubelet's.
    """
    seconds = router.spec.drain_seconds
    given = router.spec.termination_grace_period_seconds
    if given is not None:
        seconds = min(seconds, given)
    if not seconds:
        return None
    if platform.sleep_action:
        return {"preStop": {"sleep": {"seconds": seconds}}}
    return {"preStop": {"exec": {"command": ["sleep", str(seconds)]}}}


def grace_seconds(router: SemanticRouter) -> int | None:
    """The user's word, or the drain and what the router takes after it; None leaves it to the API
    server (30 s)."""
    given = router.spec.termination_grace_period_seconds
    if given is not None or not router.spec.drain_seconds:
        return given
    return router.spec.drain_seconds + STOP_SECONDS


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """A grace period that cuts the drain."""
    drain = router.spec.drain_seconds
    given = router.spec.termination_grace_period_seconds
    if given is None or not drain or given > drain:
        return ()
    message = (
        f"is no more than spec.drainSeconds ({drain}): the pod is killed before it is drained; "
        f"leave it out for {drain + STOP_SECONDS}, or lower spec.drainSeconds"
    )
    path = "spec.terminationGracePeriodSeconds"
    return (Issue("DrainCut", path, message, severity="warning"),)
