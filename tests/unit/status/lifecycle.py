"""Points in the life of a router, as `assess` sees them, for tests of the status.

`POINTS` are pairs of a name and what kstatus must say of the status at that point.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from semantic_router_operator.errors import ApiUnreachable, InvalidSpec
from semantic_router_operator.model.canonical import (
    Accepted,
    CanonicalConfig,
    Issue,
    Rejected,
    Verdict,
)
from semantic_router_operator.model.facts import ObjectRef
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    DEPLOYMENT,
    SERVICE,
    AppliedObject,
    ChildKey,
    DeploymentFacts,
    Kind,
    Observed,
    PodTrouble,
)
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.resolution import (
    Discovery,
    GatewayMissing,
    Reason,
    Resolution,
    Resolved,
    Target,
    Unresolved,
)
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.status import Assessment
from semantic_router_operator.status import (
    assess,
    assess_failure,
    assess_invalid,
    assess_suspended,
    publish,
)

NOW = datetime(2026, 11, 30, 10, 0, 0, tzinfo=UTC)
LATER = datetime(2026, 11, 30, 11, 30, 59, 999999, tzinfo=UTC)
DIGEST = "sha256:" + "a" * 64
OLD_DIGEST = "sha256:" + "b" * 64
COMPLETE = {"Progressing": ("True", "NewReplicaSetAvailable", "ReplicaSet has progressed.")}
FIRST = {"Progressing": ("True", "ReplicaSetUpdated", "ReplicaSet is progressing.")}

Outcome = Literal["unchanged", "applied", "deleted", "conflict", "rejected", "failed"]


def endpoint(name: str, *, model: str = "m", weight: int = 1) -> dict[str, Any]:
    return {
        "name": name,
        "model": model,
        "weight": weight,
        "backend": {"type": "service", "service": {"name": name, "port": 8000}},
    }


def router(**spec: Any) -> SemanticRouter:
    body = {"metadata": {"name": "r", "namespace": "ns", "uid": "u", "generation": 3}}
    return parse({**body, "spec": spec})


def target(host: str = "a.ns.svc.cluster.local", *, suffix: str = "") -> Target:
    return Target("http", host, 8000, suffix=suffix)


def resolved(*targets: Target, name: str = "a") -> Resolved:
    return Resolved(targets or (target(),), source=ObjectRef("Service", "ns", name))


def unresolved(reason: Reason = "NotFound", message: str = "", **more: Any) -> Unresolved:
    path = "spec.vllmEndpoints[0].backend.service.name"
    return Unresolved(reason, message or f"{path}: Service ns/a isn't there; create it", **more)


def accepted(*warnings: Issue, default_model: str | None = "m") -> Accepted:
    config = CanonicalConfig("text", DIGEST, DIGEST, default_model=default_model)
    return Accepted(config, warnings)


def rejected(reason: str = "InvalidConfig", *issues: Issue) -> Rejected:
    issue = Issue("DuplicateDecision", "spec.config.routing.decisions[1].name", "is taken; rename")
    return Rejected(reason, issues or (issue,))


def deployment(available: int = 1, *, wanted: int = 1, **more: Any) -> DeploymentFacts:
    facts = DeploymentFacts(
        generation=2,
        observed_generation=2,
        wanted=wanted,
        replicas=wanted,
        updated=wanted,
        ready=available,
        available=available,
        conditions=COMPLETE if available == wanted else FIRST,
    )
    return replace(facts, **more)


def key(kind: Kind, name: str = "r") -> ChildKey:
    return ChildKey(kind, "ns", name)


def applied(kind: Kind = DEPLOYMENT, outcome: Outcome = "unchanged", **more: Any) -> AppliedObject:
    return AppliedObject(key(kind), outcome, **more)


UNCHANGED = (applied(CONFIG_MAP), applied(SERVICE), applied(DEPLOYMENT))


def observed(facts: DeploymentFacts | None = None, *trouble: PodTrouble, **more: Any) -> Observed:
    seen = Observed(objects=UNCHANGED, deployment=facts, pods=trouble, live_digest=DIGEST)
    return replace(seen, **more)


@dataclass(frozen=True)
class Point:
    """What a pass brought together. The default is a healthy router with one backend."""

    router: SemanticRouter = field(default_factory=lambda: router(vllmEndpoints=[endpoint("a")]))
    resolutions: tuple[Resolution, ...] = field(default_factory=lambda: (resolved(),))
    verdict: Verdict = field(default_factory=accepted)
    observed: Observed = field(default_factory=lambda: observed(deployment()))
    gateway: GatewayMissing | None = None
    platform: Platform = field(default_factory=Platform)

    def assess(self) -> Assessment:
        return assess(
            self.router,
            Discovery(self.resolutions, self.gateway),
            self.verdict,
            self.observed,
            platform=self.platform,
            cluster_domain="cluster.local",
        )

    def status(self, previous: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return publish(self.assess(), previous or {}, generation=3, now=NOW)


def conditions(status: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {item["type"]: item for item in status["conditions"]}


def told(status: Mapping[str, Any], kind: str) -> tuple[str, str]:
    condition = conditions(status)[kind]
    return condition["status"], condition["reason"]


HEALTHY = Point()
NO_DEPLOYMENT = observed(None, objects=(), live_digest=None)


def _trouble(reason: str) -> Point:
    return Point(observed=observed(deployment(0), PodTrouble("r-7d9f-x", reason, reason)))


def _objects(outcome: Outcome, reason: str = "") -> Point:
    objects = (applied(SERVICE, outcome, reason=reason, message="it says no"), *UNCHANGED[:1])
    return Point(observed=observed(deployment(), objects=objects))


_DEADLINE = {"Progressing": ("False", "ProgressDeadlineExceeded", 'ReplicaSet "r-1" timed out.')}
_QUOTA = {"ReplicaFailure": ("True", "FailedCreate", 'pods "r-7d9f-" is forbidden: quota')}
_DECLARED = unresolved(declared=target())
_KEPT = unresolved("Unreachable", "no answer", uncertain=True, last_known=(target(),))

PASSES: dict[str, tuple[Point, str]] = {
    "waiting for backends, nothing runs": (
        Point(
            resolutions=(unresolved(),),
            verdict=rejected("WaitingForBackends"),
            observed=NO_DEPLOYMENT,
        ),
        "InProgress",
    ),
    "first document invalid": (Point(verdict=rejected(), observed=NO_DEPLOYMENT), "Failed"),
    "Deployment not seen yet": (Point(observed=observed(None)), "InProgress"),
    "document not live yet": (
        Point(observed=observed(deployment(), live_digest=OLD_DIGEST)),
        "InProgress",
    ),
    "pods starting": (Point(observed=observed(deployment(0))), "InProgress"),
    "running": (HEALTHY, "Current"),
    "no backends at all": (Point(router=router(), resolutions=()), "Current"),
    "new template not observed": (
        Point(observed=observed(deployment(generation=3))),
        "InProgress",
    ),
    "rollout half-way": (
        Point(observed=observed(deployment(1, replicas=2, conditions=FIRST))),
        "InProgress",
    ),
    "edit rejected, last good runs": (
        Point(verdict=rejected(), observed=observed(deployment(), live_digest=OLD_DIGEST)),
        "Failed",
    ),
    "one of two backends lost": (
        Point(
            router=router(vllmEndpoints=[endpoint("a"), endpoint("b")]),
            resolutions=(unresolved(), resolved()),
        ),
        "Current",
    ),
    "backend can't be asked for": (Point(resolutions=(_KEPT,)), "Current"),
    "only a declared address left": (Point(resolutions=(_DECLARED,)), "InProgress"),
    "all pods lost": (
        Point(observed=observed(deployment(0, conditions=COMPLETE))),
        "InProgress",
    ),
    "crash loop": (_trouble("CrashLoopBackOff"), "InProgress"),
    "image name illegal": (_trouble("InvalidImageName"), "Failed"),
    "quota": (Point(observed=observed(deployment(0, conditions=_QUOTA))), "InProgress"),
    "progress deadline": (
        Point(observed=observed(deployment(0, conditions=_DEADLINE))),
        "Failed",
    ),
    "name conflict": (_objects("conflict"), "Failed"),
    "object rejected": (_objects("rejected"), "Failed"),
    "write forbidden": (_objects("failed", "ApiForbidden"), "InProgress"),
    "gateway missing": (
        Point(
            verdict=rejected("GatewayNotFound"),
            gateway=GatewayMissing("GatewayNotFound", "spec.gateway.existingRef: isn't there"),
        ),
        "InProgress",
    ),
    "scaled to zero": (
        Point(
            router=router(replicas=0, vllmEndpoints=[endpoint("a")]),
            observed=observed(deployment(0, wanted=0)),
        ),
        "Current",
    ),
}

_INVALID = InvalidSpec("spec.replicas: must be a number")
_RUNNING = HEALTHY.status()
_STALLED = PASSES["edit rejected, last good runs"][0].status()

ENDED: dict[str, tuple[Assessment, Mapping[str, Any], str]] = {
    "spec unreadable, nothing known": (assess_invalid(_INVALID, {}), {}, "Failed"),
    "spec unreadable after running": (assess_invalid(_INVALID, _RUNNING), _RUNNING, "Failed"),
    "suspended before anything was made": (
        assess_suspended({}, observed=Observed()),
        {},
        "InProgress",
    ),
    "suspended while running": (
        assess_suspended(_RUNNING, observed=observed()),
        _RUNNING,
        "InProgress",
    ),
    "pass failed, nothing known": (
        assess_failure(ApiUnreachable("no answer"), {}),
        {},
        "InProgress",
    ),
    "pass failed after running": (
        assess_failure(ApiUnreachable("no answer"), _RUNNING),
        _RUNNING,
        "InProgress",
    ),
    "pass failed after a rejection": (
        assess_failure(KeyError("canary"), _STALLED),
        _STALLED,
        "InProgress",
    ),
}


def life_cycle() -> dict[str, tuple[dict[str, Any], str]]:
    """Name of each point -> (the whole resource with its status, what kstatus must say)."""
    points: dict[str, tuple[dict[str, Any], str]] = {}
    for name, (point, verdict) in PASSES.items():
        points[name] = (resource(point.status()), verdict)
    for name, (ending, before, verdict) in ENDED.items():
        status = publish(ending, before, generation=3, now=NOW)
        points[name] = (resource(status), verdict)
    points["nobody has looked yet"] = (resource({"observedGeneration": -1}), "InProgress")
    points["edited, not looked at again"] = (
        resource({**HEALTHY.status(), "observedGeneration": 2}),
        "InProgress",
    )
    return points


def resource(status: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "vllm.ai/v1alpha1",
        "kind": "SemanticRouter",
        "metadata": {"name": "r", "namespace": "ns", "generation": 3},
        "spec": {},
        "status": status,
    }
