"""Every reason that a condition, a backend or an Event of ours can have.

Users alert on them: docs/conditions.md explains each one, and tests pin the list. A reason is added
or retired, never given another meaning.
"""

import re
from collections.abc import Iterable
from typing import Final

# Ready
RUNNING: Final = "Running"
"""Ready: the spec is met and every part works."""
DEGRADED: Final = "Degraded"
"""Ready: the spec is met and every model is served, yet something is partial; see Degraded."""
SCALED_TO_ZERO: Final = "ScaledToZero"
"""Ready without pods, because none are wanted. Available is False."""
INVALID_SPEC: Final = "InvalidSpec"
"""The spec can't be read; nothing was changed."""
SUSPENDED: Final = "Suspended"
"""spec.suspend is true; nothing is changed, whatever the spec says."""

# ConfigAccepted
ACCEPTED: Final = "Accepted"
"""The document passed every rule."""
ACCEPTED_WITH_WARNINGS: Final = "AcceptedWithWarnings"
"""It passed, and something in it deserves a look."""
INVALID_CONFIG: Final = "InvalidConfig"
"""It breaks a rule of the router; the last good document stays."""
CONFLICTING_MODEL_SETTINGS: Final = "ConflictingModelSettings"
"""Entries of one model contradict each other."""
CONFIG_TOO_LARGE: Final = "ConfigTooLarge"
"""It doesn't fit into a ConfigMap."""
WAITING_FOR_BACKENDS: Final = "WaitingForBackends"
"""A decision, default or alias would be left without a model."""
GATEWAY_NOT_FOUND: Final = "GatewayNotFound"
"""spec.gateway.existingRef names a Gateway that isn't there."""
GATEWAY_NOT_READY: Final = "GatewayNotReady"
"""The Gateway is there and can't be used: being deleted, or not programmed."""
CONFIG_PENDING: Final = "ConfigPending"
"""The accepted document isn't in the live ConfigMap yet."""

# BackendsResolved
ALL_RESOLVED: Final = "AllResolved"
"""Every backend has an address."""
NO_BACKENDS: Final = "NoBackends"
"""spec.vllmEndpoints is empty."""
BACKENDS_UNRESOLVED: Final = "BackendsUnresolved"
"""A backend has no address; status.backends says why."""
BACKENDS_INVALID: Final = "BackendsInvalid"
"""A model has only backends that no change of the cluster can help; edit the spec."""
MODEL_DRAINED: Final = "ModelDrained"
"""Every backend of a model has weight 0."""

# status.backends[].reason
RESOLVED: Final = "Resolved"
"""The backend has an address."""
DRAINED: Final = "Drained"
"""Its weight is 0."""
NOT_FOUND: Final = "NotFound"
"""The object isn't there."""
PORT_NOT_FOUND: Final = "PortNotFound"
"""It has no such port."""
NO_MATCH: Final = "NoMatch"
"""Nothing matches the selector."""
AMBIGUOUS: Final = "Ambiguous"
"""Several things match where one is needed."""
NOT_READY: Final = "NotReady"
"""The object says that it isn't ready, or is being deleted."""
NO_READY_ENDPOINTS: Final = "NoReadyEndpoints"
"""The Service has no ready address."""
KIND_NOT_INSTALLED: Final = "KindNotInstalled"
"""The API server doesn't serve the kind."""
FORBIDDEN: Final = "Forbidden"
"""The operator may not look, or the router may not use what is there."""
UNREACHABLE: Final = "Unreachable"
"""The API server gave no answer."""
INVALID: Final = "Invalid"
"""The entry contradicts itself or names what the router refuses."""

# ResourcesApplied
APPLIED: Final = "Applied"
"""Every object is as wanted."""
APPLIED_WITH_WARNINGS: Final = "AppliedWithWarnings"
"""Every object is as wanted, and something in the spec deserves a look."""
NOTHING_TO_APPLY: Final = "NothingToApply"
"""No object is wanted yet."""
NAME_CONFLICT: Final = "NameConflict"
"""An object of the wanted name belongs to somebody else."""
OBJECT_REJECTED: Final = "ObjectRejected"
"""An object can't be written as the spec wants it."""
API_ERROR: Final = "ApiError"
"""The API server answered with an error that may pass."""
API_UNREACHABLE: Final = "ApiUnreachable"
"""The API server gave no answer, or 5xx."""
API_CONFLICT: Final = "ApiConflict"
"""Somebody changed the object meanwhile."""
API_THROTTLED: Final = "ApiThrottled"
"""The API server asks for a pause."""
API_FORBIDDEN: Final = "ApiForbidden"
"""The operator's own rights don't suffice."""
API_NOT_FOUND: Final = "ApiNotFound"
"""The object, or its kind, went away meanwhile."""
INTERNAL_ERROR: Final = "InternalError"
"""The operator failed on this router."""

# Available, Progressing, and why the workload isn't ready
ALL_REPLICAS_READY: Final = "AllReplicasReady"
"""As many pods as wanted are available."""
SOME_REPLICAS_READY: Final = "SomeReplicasReady"
"""Pods are available, fewer than wanted."""
PENDING: Final = "Pending"
"""No pod is available yet."""
DEPLOYMENT_NOT_FOUND: Final = "DeploymentNotFound"
"""There is no Deployment yet."""
PROGRESSING: Final = "Progressing"
"""A rollout or a change of scale is under way."""
ROLLOUT_COMPLETE: Final = "RolloutComplete"
"""All pods are of the latest template and available."""
PROGRESS_DEADLINE_EXCEEDED: Final = "ProgressDeadlineExceeded"
"""The rollout made no progress for too long."""
REPLICA_FAILURE: Final = "ReplicaFailure"
"""Pods can't be made: quota, Pod Security, SCC."""
REPLICAS_UNAVAILABLE: Final = "ReplicasUnavailable"
"""The rollout was complete; now fewer pods are available than wanted."""
UNSCHEDULABLE: Final = "Unschedulable"
"""No node fits the pod."""
IMAGE_PULL_BACK_OFF: Final = "ImagePullBackOff"
"""The image can't be pulled."""
INVALID_IMAGE_NAME: Final = "InvalidImageName"
"""The image's name is malformed."""
CRASH_LOOP_BACK_OFF: Final = "CrashLoopBackOff"
"""The container starts and ends again and again."""
CREATE_CONTAINER_CONFIG_ERROR: Final = "CreateContainerConfigError"
"""A Secret or ConfigMap that the pod needs is missing."""
POD_FAILING: Final = "PodFailing"
"""The pod doesn't run for another reason, which the message names."""

# Degraded
AS_EXPECTED: Final = "AsExpected"
"""Nothing is partial."""
ROUTE_PENDING: Final = "RoutePending"
"""No OpenShift router has answered for the Route yet."""
ROUTE_NOT_ADMITTED: Final = "RouteNotAdmitted"
"""An OpenShift router refuses the Route."""
ROUTE_NOT_SUPPORTED: Final = "RouteNotSupported"
"""The spec asks for a Route, and the cluster serves no such kind."""

ROLLED_BACK: Final = "RolledBack"
"""An earlier revision runs: the pods of the latest one didn't become ready, or a person asked."""

# Reconciling, Stalled
UP_TO_DATE: Final = "UpToDate"
"""Nothing is left to be done."""
STALLED: Final = "Stalled"
"""Reconciling: work stopped until somebody acts; see Stalled."""
NOT_STALLED: Final = "NotStalled"
"""Stalled: nobody needs to act."""
NOT_EVALUATED: Final = "NotEvaluated"
"""No pass could look at this aspect yet."""

# Events that have no condition's reason
CONFIG_ACCEPTED: Final = "ConfigAccepted"
"""Event: a new document became the accepted one."""
RESOURCES_APPLIED: Final = "ResourcesApplied"
"""Event: what stood in the way of an object is gone."""
BACKEND_RESOLVED: Final = "BackendResolved"
"""Event: backends got an address."""
BACKEND_DRAINED: Final = "BackendDrained"
"""Event: backends were drained."""
GATEWAY_MODE_CHANGED: Final = "GatewayModeChanged"
"""Event: the way in changed."""

WAITING: Final = frozenset(
    {
        WAITING_FOR_BACKENDS,
        GATEWAY_NOT_FOUND,
        GATEWAY_NOT_READY,
        KIND_NOT_INSTALLED,
        NOT_FOUND,
        NOT_READY,
        FORBIDDEN,
        UNREACHABLE,
    }
)
"""Why a document is held back though nobody needs to edit the spec: it may come by itself."""

UNHELPABLE: Final = frozenset({INVALID, CONFLICTING_MODEL_SETTINGS})
"""Why a backend has no address, and no change of the cluster gives it one."""

FAILURES: Final = frozenset(
    {
        API_ERROR,
        API_UNREACHABLE,
        API_CONFLICT,
        API_THROTTLED,
        API_FORBIDDEN,
        API_NOT_FOUND,
        INTERNAL_ERROR,
    }
)
"""Why a pass, or one write of it, failed and is tried again."""

_LEGAL = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")


def known(reason: str, *, among: Iterable[str], otherwise: str) -> str:
    """`reason` when it is one of `among`, else `otherwise`."""
    return reason if reason in among else otherwise


def legal(reason: str) -> bool:
    """Whether the API server takes it as a condition's reason (metav1.Condition)."""
    return len(reason) <= 1024 and _LEGAL.fullmatch(reason) is not None
