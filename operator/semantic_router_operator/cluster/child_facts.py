"""What a cache keeps of our own objects and of the pods of the routers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from semantic_router_operator import names
from semantic_router_operator.cluster.ownership import applied_fields, holds, owned_digest
from semantic_router_operator.model.manifests import (
    CLAIM,
    CONTROLLER_REVISION,
    DEPLOYMENT,
    ROUTE,
    ChildKey,
    ClaimFacts,
    DeploymentFacts,
    Kind,
    PodTrouble,
    RevisionFacts,
    RouteFacts,
)
from semantic_router_operator.objects.rollback import read_note

_IMAGE_REASONS = frozenset({"ImagePullBackOff", "ErrImagePull"})
_WAITING_REASONS = _IMAGE_REASONS | {
    "InvalidImageName",
    "CreateContainerConfigError",
    "CreateContainerError",
    "CrashLoopBackOff",
}


Facts = DeploymentFacts | RouteFacts | RevisionFacts | ClaimFacts


@dataclass(frozen=True, slots=True)
class Child:
    """An object that carries our label. Two are equal when nothing that matters differs."""

    key: ChildKey
    uid: str
    version: str = field(compare=False)
    owner: str | None
    """uid of the controller."""
    owners: tuple[str, ...]
    """uids of all owners."""
    router: str
    """Name of the router that it belongs to, as far as it says so."""
    digest: bytes
    """Of the fields that we own; empty when we own none."""
    owns_replicas: bool
    """We own spec.replicas."""
    deleting: bool
    facts: Facts | None
    config_digest: str | None


@dataclass(frozen=True, slots=True)
class PodFacts:
    """A pod of a router: to whom it belongs and what hinders it."""

    namespace: str
    name: str
    router: str
    instance: str
    controller: str
    """Name of its controller, a ReplicaSet."""
    trouble: PodTrouble | None


def child_of(kind: Kind) -> Callable[[Mapping[str, Any]], Child]:
    """The projection for objects of that kind."""

    def project(raw: Mapping[str, Any]) -> Child:
        return child(kind, raw)

    return project


def child(kind: Kind, raw: Mapping[str, Any]) -> Child:
    """The projection of an object of ours."""
    metadata = raw["metadata"]
    owners = metadata.get("ownerReferences") or ()
    controller = next((item for item in owners if item.get("controller")), None)
    annotations = metadata.get("annotations") or {}
    return Child(
        key=ChildKey(kind, metadata.get("namespace") or "", metadata["name"]),
        uid=metadata.get("uid", ""),
        version=metadata.get("resourceVersion", ""),
        owner=controller["uid"] if controller else None,
        owners=tuple(item["uid"] for item in owners),
        router=_router_name(metadata, controller),
        digest=owned_digest(raw),
        owns_replicas=kind == DEPLOYMENT and holds(applied_fields(raw), "spec", "replicas"),
        deleting="deletionTimestamp" in metadata,
        facts=_facts(kind, raw),
        config_digest=annotations.get(names.ANNOTATION_CONFIG_DIGEST),
    )


def pod_facts(raw: Mapping[str, Any]) -> PodFacts:
    """The projection of a pod."""
    metadata = raw["metadata"]
    labels = metadata.get("labels") or {}
    trouble = None if "deletionTimestamp" in metadata else _trouble(raw)
    owners = metadata.get("ownerReferences") or ()
    return PodFacts(
        namespace=metadata["namespace"],
        name=metadata["name"],
        router=_router_name(metadata, None),
        instance=labels.get(names.LABEL_INSTANCE, ""),
        controller=next((item["name"] for item in owners if item.get("controller")), ""),
        trouble=trouble,
    )


def _router_name(metadata: Mapping[str, Any], controller: Mapping[str, Any] | None) -> str:
    """By the owner reference, else the annotation with the full name, else the label."""
    if controller and controller.get("kind") == names.KIND:
        return str(controller["name"])
    annotations, labels = metadata.get("annotations") or {}, metadata.get("labels") or {}
    return str(annotations.get(names.ANNOTATION_ROUTER) or labels.get(names.LABEL_INSTANCE) or "")


def _facts(kind: Kind, raw: Mapping[str, Any]) -> Facts | None:
    if kind == DEPLOYMENT:
        return deployment_facts(raw)
    if kind == CONTROLLER_REVISION:
        return revision_facts(raw)
    if kind == CLAIM:
        return claim_facts(raw)
    return route_facts(raw) if kind == ROUTE else None


def claim_facts(raw: Mapping[str, Any]) -> ClaimFacts:
    """What can't be changed of a claim, and for whom it is kept."""
    spec, annotations = raw.get("spec") or {}, raw["metadata"].get("annotations") or {}
    requests = (spec.get("resources") or {}).get("requests") or {}
    return ClaimFacts(
        storage_class=spec.get("storageClassName"),
        access_modes=tuple(spec.get("accessModes") or ()),
        size=str(requests.get("storage") or "0"),
        owns_class=holds(applied_fields(raw), "spec", "storageClassName"),
        kept_for=annotations.get(names.ANNOTATION_ROUTER),
    )


def revision_facts(raw: Mapping[str, Any]) -> RevisionFacts:
    """Number and digest of a recorded document."""
    annotations = raw["metadata"].get("annotations") or {}
    digest = annotations.get(names.ANNOTATION_REVISION_DIGEST) or ""
    template = annotations.get(names.ANNOTATION_TEMPLATE_DIGEST) or ""
    settings = annotations.get(names.ANNOTATION_SETTINGS_DIGEST) or ""
    return RevisionFacts(int(raw.get("revision") or 0), digest, template, settings)


def deployment_facts(raw: Mapping[str, Any]) -> DeploymentFacts:
    """What spec.replicas, our annotations and the status of a Deployment say."""
    status, annotations = raw.get("status") or {}, raw["metadata"].get("annotations") or {}
    spec = raw.get("spec") or {}
    replicas = spec.get("replicas")
    return DeploymentFacts(
        generation=int(raw["metadata"].get("generation") or 0),
        observed_generation=int(status.get("observedGeneration") or 0),
        wanted=1 if replicas is None else int(replicas),
        replicas=int(status.get("replicas") or 0),
        updated=int(status.get("updatedReplicas") or 0),
        ready=int(status.get("readyReplicas") or 0),
        available=int(status.get("availableReplicas") or 0),
        conditions={
            item["type"]: (item["status"], item.get("reason") or "", item.get("message") or "")
            for item in status.get("conditions") or ()
        },
        template_digest=annotations.get(names.ANNOTATION_TEMPLATE_DIGEST) or "",
        rolled_back=read_note(annotations.get(names.ANNOTATION_ROLLED_BACK)),
    )


def route_facts(raw: Mapping[str, Any]) -> RouteFacts:
    """What the ingress entries of a Route say; one admitted entry is enough (OS-03)."""
    entries = [
        (entry, condition)
        for entry in (raw.get("status") or {}).get("ingress") or ()
        for condition in entry.get("conditions") or ()
        if condition.get("type") == "Admitted"
    ]
    for entry, condition in entries:
        if condition.get("status") == "True":
            return RouteFacts(entry.get("host"), "True", *_said(condition))
    for _, condition in entries:
        status: Literal["False", "Unknown"] = (
            "False" if condition.get("status") == "False" else "Unknown"
        )
        return RouteFacts(None, status, *_said(condition))
    return RouteFacts(None, "Unknown", "", "")


def _said(condition: Mapping[str, Any]) -> tuple[str, str]:
    return condition.get("reason") or "", condition.get("message") or ""


def _trouble(raw: Mapping[str, Any]) -> PodTrouble | None:
    status, name = raw.get("status") or {}, raw["metadata"]["name"]
    for container in (
        *(status.get("initContainerStatuses") or ()),
        *(status.get("containerStatuses") or ()),
    ):
        waiting = (container.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") in _WAITING_REASONS:
            return PodTrouble(name, *_waiting(container, waiting))
    return next(_unschedulable(status, name), None)


def _unschedulable(status: Mapping[str, Any], name: str) -> Iterator[PodTrouble]:
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            reason = condition.get("reason") or "Unschedulable"
            yield PodTrouble(name, reason, _without_counts(condition.get("message") or ""))


def _without_counts(message: str) -> str:
    """The scheduler counts nodes: "0/3 nodes are available: 2 Insufficient cpu, 1 node(s) had
    untolerated taint(s). preemption: ...". The reasons alone stay the same while nodes come and
    go."""
    _, found, reasons = message.partition("nodes are available: ")
    if not found:
        return message
    listed = (item.lstrip("0123456789 ") for item in reasons.partition(". ")[0].split(", "))
    return f"no node is available: {', '.join(sorted({item.rstrip('.') for item in listed}))}"


def _waiting(container: Mapping[str, Any], waiting: Mapping[str, Any]) -> tuple[str, str]:
    """Reason and message that stay the same from one attempt to the next: kubelet alternates
    between ErrImagePull and ImagePullBackOff, and counts in "back-off 40s restarting"."""
    reason, message = str(waiting["reason"]), str(waiting.get("message") or "")
    name = container.get("name", "")
    if reason in _IMAGE_REASONS:
        detail = message.rpartition("ErrImagePull: ")[2]
        detail = "" if detail.startswith("Back-off pulling image") else f": {detail}" * bool(detail)
        return "ImagePullBackOff", f"container {name}: image {container.get('image')}{detail}"
    if reason == "CrashLoopBackOff":
        return reason, f"container {name} {_last_end(container)}"
    return reason, f"container {name}: {message}"


def _last_end(container: Mapping[str, Any]) -> str:
    ended = (container.get("lastState") or {}).get("terminated") or {}
    if not ended:
        return "keeps ending"
    reason = f" ({ended['reason']})" if ended.get("reason") else ""
    return f"ended with exit code {ended.get('exitCode')}{reason}"
