"""What the Deployment and its pods say: how far the rollout is, and what keeps it."""

from dataclasses import dataclass
from typing import Literal

from semantic_router_operator.model.manifests import (
    DEPLOYMENT,
    DeploymentFacts,
    Observed,
    PodTrouble,
)
from semantic_router_operator.status import reasons, wording

Stage = Literal["absent", "complete", "empty", "under way", "stuck", "timed out"]
"""absent: no Deployment; empty: no pods, as wanted; stuck: under way, and something is in the way;
timed out: its progress deadline has passed."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """How far the pods are from what is wanted. `stalled`: waiting won't help."""

    stage: Stage
    reason: str
    message: str
    stalled: bool = False

    @property
    def done(self) -> bool:
        """Whether all is as wanted."""
        return self.stage in {"complete", "empty"}


def rollout(observed: Observed, *, replicas: int | None) -> Rollout:
    """The state of the rollout. `replicas` is what the spec wants, None while an HPA decides.

    The Deployment's own conditions count only once its controller has looked at the latest
    template (observedGeneration): before that they tell about the previous one.
    """
    deployment = observed.deployment
    if deployment is None:
        return Rollout(
            "absent", reasons.DEPLOYMENT_NOT_FOUND, "there is no Deployment of the router yet"
        )
    if _outdated(deployment, observed, replicas):
        return Rollout(
            "under way",
            reasons.PROGRESSING,
            "the Deployment's controller hasn't taken up the latest change yet",
        )
    if _complete(deployment):
        return _completed(deployment)
    return _held_up(deployment, _trouble(observed.pods)) or _under_way(deployment)


def _outdated(deployment: DeploymentFacts, observed: Observed, replicas: int | None) -> bool:
    written = max(
        (item.generation for item in observed.objects if item.key.kind == DEPLOYMENT), default=0
    )
    return (
        deployment.observed_generation < deployment.generation
        or deployment.generation < written
        or (replicas is not None and deployment.wanted != replicas)
    )


def _complete(deployment: DeploymentFacts) -> bool:
    """As `kubectl rollout status` has it: all pods are new ones, all of them available."""
    counts = (deployment.updated, deployment.available, deployment.replicas)
    return all(count == deployment.wanted for count in counts)


def _completed(deployment: DeploymentFacts) -> Rollout:
    if deployment.wanted == 0:
        return Rollout("empty", reasons.SCALED_TO_ZERO, "no pod runs, because none is wanted")
    return Rollout("complete", reasons.ROLLOUT_COMPLETE, "all pods are up to date and available")


def _held_up(deployment: DeploymentFacts, trouble: Rollout | None) -> Rollout | None:
    """What keeps the rollout: the deadline before the quota before a pod's own trouble."""
    progressing, cause, text = deployment.conditions.get("Progressing", ("", "", ""))
    failing, _, refusal = deployment.conditions.get("ReplicaFailure", ("", "", ""))
    if failing == "True":
        trouble = Rollout("stuck", reasons.REPLICA_FAILURE, wording.unnamed(refusal))
    if progressing == "False" and cause == reasons.PROGRESS_DEADLINE_EXCEEDED:
        why = () if trouble is None else (f"{trouble.reason}: {trouble.message}",)
        return Rollout(
            "timed out", cause, wording.joined((wording.unnamed(text), *why)), stalled=True
        )
    return trouble


def _under_way(deployment: DeploymentFacts) -> Rollout:
    _, cause, _ = deployment.conditions.get("Progressing", ("", "", ""))
    if cause == "NewReplicaSetAvailable" and deployment.available < deployment.wanted:
        return Rollout(
            "stuck",
            reasons.REPLICAS_UNAVAILABLE,
            "fewer pods are available than wanted, after the rollout was complete",
        )
    if deployment.available == 0:
        return Rollout("under way", reasons.PENDING, "no pod is available yet")
    return Rollout("under way", reasons.PROGRESSING, "waiting for pods to be replaced or added")


def _trouble(pods: tuple[PodTrouble, ...]) -> Rollout | None:
    """The trouble to show: the gravest one, whichever pod has it, so that it stays the same while
    pods come and go."""
    found = [_told(pod) for pod in pods]
    return min(found, key=lambda one: (_GRAVITY.index(one.reason), one.message), default=None)


_GRAVITY = (
    reasons.INVALID_IMAGE_NAME,
    reasons.CREATE_CONTAINER_CONFIG_ERROR,
    reasons.IMAGE_PULL_BACK_OFF,
    reasons.CRASH_LOOP_BACK_OFF,
    reasons.POD_FAILING,
    reasons.UNSCHEDULABLE,
)


def _told(pod: PodTrouble) -> Rollout:
    """A pod's trouble. The cluster room's words are steady already; a kubelet's own aren't: it
    changes between ErrImagePull and ImagePullBackOff and counts its back-off."""
    text = wording.steady(pod.message, pod=pod.pod)
    match pod.reason:
        case "ErrImagePull" | "ImagePullBackOff" | "ErrImageNeverPull":
            reason = reasons.IMAGE_PULL_BACK_OFF
            advice = "the image can't be pulled; check spec.image and spec.imagePullSecrets"
        case reasons.INVALID_IMAGE_NAME as reason:
            advice = "correct spec.image"
        case reasons.CRASH_LOOP_BACK_OFF as reason:
            advice = "the router starts and ends again and again; read the pod's log"
        case reasons.CREATE_CONTAINER_CONFIG_ERROR as reason:
            advice = "create what is missing"
        case reasons.UNSCHEDULABLE as reason:
            text = wording.unschedulable(pod.message, pod=pod.pod)
            advice = "no node fits the pod"
        case other:
            reason, advice = reasons.POD_FAILING, other
    message = ": ".join(filter(None, (advice, text)))
    return Rollout("stuck", reason, message, stalled=reason == reasons.INVALID_IMAGE_NAME)
