"""What the API server says of a field of an object, said of the resource's field behind it."""

import re
from collections.abc import Mapping
from typing import Final

from semantic_router_operator.model.manifests import (
    CLAIM,
    DEPLOYMENT,
    DISRUPTION_BUDGET,
    HPA,
    INGRESS,
    NETWORK_POLICY,
    ROUTE,
    SERVICE,
    SERVICE_ACCOUNT,
    AppliedObject,
    Kind,
)
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.volumes import mounts, volumes

_POD: Final = r"spec\.template\.spec\."
_CONTAINER: Final = rf"{_POD}containers\[0\]\."
_ANNOTATIONS: Final = r"metadata\.annotations"
_ORIGINS: Final[Mapping[Kind, tuple[tuple[str, str], ...]]] = {
    CLAIM: (
        (r"spec\.storageClassName", "spec.persistence.storageClassName"),
        (r"spec\.accessModes(\[\d+\])?", "spec.persistence.accessMode"),
        (r"spec\.resources\.requests(\.storage|\[storage\])?", "spec.persistence.size"),
        (r"spec$", "spec.persistence"),
        (_ANNOTATIONS, "spec.persistence.annotations"),
    ),
    DEPLOYMENT: (
        (rf"{_CONTAINER}env(\[\d+\])?", "spec.env"),
        (rf"{_CONTAINER}(args|image|resources|securityContext|\w+Probe)", r"spec.\1"),
        (rf"{_POD}securityContext", "spec.podSecurityContext"),
        (rf"{_POD}serviceAccountName", "spec.serviceAccount.name"),
        (rf"{_CONTAINER}(envFrom)", r"spec.\1"),
        (rf"{_CONTAINER}lifecycle[\w.\[\]]*", "spec.drainSeconds"),
        (rf"{_CONTAINER}volumeMounts", "spec.volumeMounts"),
        (rf"{_POD}volumes", "spec.volumes"),
        (rf"{_POD}(affinity|imagePullSecrets|nodeSelector|tolerations)", r"spec.\1"),
        (rf"{_POD}(priorityClassName|runtimeClassName)", r"spec.\1"),
        (rf"{_POD}(terminationGracePeriodSeconds|topologySpreadConstraints)", r"spec.\1"),
        (r"spec\.template(\.metadata)?\.annotations", "spec.podAnnotations"),
        (r"spec\.(replicas|progressDeadlineSeconds)", r"spec.\1"),
    ),
    DISRUPTION_BUDGET: ((r"spec\.(minAvailable|maxUnavailable)", r"spec.podDisruptionBudget.\1"),),
    HPA: ((r"spec\.(minReplicas|maxReplicas)", r"spec.autoscaling.\1"),),
    INGRESS: (
        (r"spec\.rules(\[\d+\])\.host", r"spec.ingress.hosts\1.host"),
        (r"spec\.rules(\[\d+\])\.http\.paths(\[\d+\])", r"spec.ingress.hosts\1.paths\2"),
        (r"spec\.tls", "spec.ingress.tls"),
        (r"spec\.ingressClassName", "spec.ingress.className"),
        (_ANNOTATIONS, "spec.ingress.annotations"),
    ),
    NETWORK_POLICY: ((r"spec\.ingress(\[\d+\])?", "spec.networkPolicy"),),
    ROUTE: (
        (r"spec\.host", "spec.openshift.routes.hostname"),
        (r"spec\.tls", "spec.openshift.routes.tls"),
    ),
    SERVICE: ((r"spec\.ports(\[\d+\])?", "spec.service"),),
    SERVICE_ACCOUNT: ((_ANNOTATIONS, "spec.serviceAccount.annotations"),),
}
"""Path in the object -> field of the resource. What is below stays, such as `.limits[cpu]`. An
index of a list that we put together (variables, ports) would mislead and is left out."""


_OTHER_SELECTOR: Final = (
    "was made with another selector, which can't be changed; delete the Deployment: its pods end "
    "with it, and it is made anew"
)
"""The one step that only a person may take (field case OP-06)."""


def blame(item: AppliedObject, router: SemanticRouter) -> str | None:
    """A message that begins with a field path of the resource, or says what to do about an object
    that can't become what we want; None where there is no more to say than the API server did."""
    found = [
        f"{origin}: {text}"
        for field, text in item.fields
        if (origin := _origin(item.key.kind, _placed(field, router))) is not None
    ]
    if item.key.kind == DEPLOYMENT and any(field == "spec.selector" for field, _ in item.fields):
        return f"{item.key}: {_OTHER_SELECTOR}"
    if not found and item.key.kind == CLAIM and item.outcome == "rejected":
        return f"spec.persistence: {item.message}"
    return f"{'; '.join(found)} ({item.key})" if found else None


def _placed(field: str, router: SemanticRouter) -> str:
    """The field with the index that the user's list has, whose items come after ours in the pod."""
    lists = (
        (rf"({_POD}volumes)\[(\d+)\]", volumes(router), router.spec.volumes),
        (rf"({_CONTAINER}volumeMounts)\[(\d+)\]", mounts(router), router.spec.volume_mounts),
    )
    for pattern, whole, theirs in lists:
        match = re.match(pattern, field)
        if match is not None:
            index = int(match[2]) - len(whole) + len(theirs)
            known = f"[{index}]" if 0 <= index < len(theirs) else ""
            return f"{match[1]}{known}{field[match.end() :]}"
    return field


def _origin(kind: Kind, field: str) -> str | None:
    for pattern, origin in _ORIGINS.get(kind, ()):
        match = re.match(rf"{pattern}(?![A-Za-z])", field)
        if match:
            return match.expand(origin) + field[match.end() :]
    return None
