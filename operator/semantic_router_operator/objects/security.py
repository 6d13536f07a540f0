"""Security contexts: Pod Security "restricted" is met unless the resource says otherwise."""

from collections.abc import Mapping
from typing import Any, Final

from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.raw import merged

_UID: Final = 1000
_ESCALATING: Final = ("SYS_ADMIN", "CAP_SYS_ADMIN")


def pod_context(router: SemanticRouter, platform: Platform) -> dict[str, Any]:
    """spec.podSecurityContext over ours, field by field.

    On OpenShift no user or group is named: the SCC gives a namespace its own (field case OS-01).
    A user that asks for uid 0 and says nothing of runAsNonRoot means root.
    """
    theirs = router.spec.pod_security_context or {}
    ours: dict[str, Any] = {
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    if not platform.openshift:
        ours |= {"fsGroup": _UID, "runAsUser": _UID}
    if theirs.get("runAsUser") == 0:
        del ours["runAsNonRoot"]
    return merged(ours, theirs)


def container_context(router: SemanticRouter) -> dict[str, Any]:
    """spec.securityContext over ours, field by field; user and group come from the pod's."""
    theirs = router.spec.security_context or {}
    ours: dict[str, Any] = {"capabilities": {"drop": ["ALL"]}}
    if not _escalates(theirs):
        ours["allowPrivilegeEscalation"] = False
    pod = router.spec.pod_security_context or {}
    if theirs.get("runAsUser") == 0 and pod.get("runAsNonRoot") is None:
        ours["runAsNonRoot"] = False
    return merged(ours, theirs)


def _escalates(theirs: dict[str, Any]) -> bool:
    """Whether the API server would refuse allowPrivilegeEscalation: false beside it."""
    capabilities = theirs.get("capabilities")
    added = capabilities.get("add") if isinstance(capabilities, Mapping) else None
    adds = isinstance(added, list) and any(item in _ESCALATING for item in added)
    return bool(theirs.get("privileged")) or adds
