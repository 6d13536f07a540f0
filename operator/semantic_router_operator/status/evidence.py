"""All that a pass knows, as one value: what every check looks at."""

from dataclasses import dataclass

from semantic_router_operator.model.canonical import Accepted, Rejected, Verdict
from semantic_router_operator.model.manifests import AppliedObject, Observed
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.resolution import Discovery, GatewayMissing
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.status import reasons
from semantic_router_operator.status.backends import Entry, entries
from semantic_router_operator.status.workload import Rollout, rollout


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the checks judge. Nothing here is a judgement yet but `rollout`."""

    router: SemanticRouter
    verdict: Verdict
    observed: Observed
    platform: Platform
    gateway: GatewayMissing | None
    backends: tuple[Entry, ...]
    rollout: Rollout

    @property
    def available(self) -> int:
        """Pods that can answer."""
        deployment = self.observed.deployment
        return 0 if deployment is None else deployment.available

    @property
    def live(self) -> bool:
        """Whether a document is live, accepted now or some time before."""
        return self.observed.live_digest is not None

    @property
    def rejection(self) -> str | None:
        """The reason of a rejected document, legal as a condition's reason."""
        match self.verdict:
            case Accepted():
                return None
            case Rejected(reason=reason):
                return reason if reasons.legal(reason) else reasons.INVALID_CONFIG

    @property
    def obstacles(self) -> tuple[AppliedObject, ...]:
        """Objects that aren't as wanted, the gravest first."""
        bad = (item for item in self.observed.objects if item.outcome in _GRAVITY)
        return tuple(sorted(bad, key=lambda item: (_GRAVITY.index(item.outcome), item.key)))


_GRAVITY = ("conflict", "rejected", "failed")


def gathered(
    router: SemanticRouter,
    discovery: Discovery,
    verdict: Verdict,
    observed: Observed,
    *,
    platform: Platform,
) -> Evidence:
    """The evidence of a pass."""
    gateway = discovery.gateway
    fixed = None if router.spec.autoscaling.enabled else router.spec.replicas
    return Evidence(
        router=router,
        verdict=verdict,
        observed=observed,
        platform=platform,
        gateway=gateway if isinstance(gateway, GatewayMissing) else None,
        backends=entries(router.spec.vllm_endpoints, discovery.endpoints),
        rollout=rollout(observed, replicas=fixed),
    )
