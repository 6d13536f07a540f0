"""The hardware overlay: device, node selection and tolerations of a profile.

Image and model placement are the other two things that a profile decides (`images`,
`model.hardware`); nothing else may depend on it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from semantic_router_operator.model.hardware import Profile
from semantic_router_operator.model.router import SemanticRouter

_DEVICE: Final[Mapping[Profile, str]] = {"nvidia": "nvidia.com/gpu", "amd": "amd.com/gpu"}
_ARCH: Final = "kubernetes.io/arch"


def device(router: SemanticRouter, named: Iterable[str]) -> dict[str, str]:
    """The device limit of the profile, such as {nvidia.com/gpu: "1"}.

    `named` are the resources that spec.resources names. Empty when one of them is a device of the
    same vendor (a whole GPU, a MIG slice, a shared one): the user's choice stands alone (field
    case GPU-01).
    """
    name = _DEVICE.get(router.spec.hardware.profile)
    if name is None:
        return {}
    vendor = name.partition("/")[0] + "/"
    if any(key.startswith(vendor) for key in named):
        return {}
    return {name: str(router.spec.hardware.gpus)}


def node_selector(router: SemanticRouter) -> dict[str, str]:
    """spec.nodeSelector over the profile's.

    arm64 asks for the architecture. A device selects its nodes by itself: the labels of GPU
    feature discovery are not on every cluster, and a pod that asks for them would wait for ever.
    """
    ours = {_ARCH: "arm64"} if router.spec.hardware.profile == "arm64" else {}
    return dict(sorted({**ours, **router.spec.node_selector}.items()))


def tolerations(router: SemanticRouter) -> list[dict[str, Any]]:
    """spec.tolerations in their order, each once, then the profile's unless one covers it.

    Device taints are named after the resource by convention (field case GPU-02); GKE taints Arm
    nodes with their architecture.
    """
    given: list[dict[str, Any]] = []
    for item in router.spec.tolerations:
        if item not in given:
            given.append(item)
    ours = _toleration(router.spec.hardware.profile)
    return [*given, *(own for own in ours if not any(_covers(item, own) for item in given))]


def _toleration(profile: Profile) -> list[dict[str, Any]]:
    name = _DEVICE.get(profile)
    if name is not None:
        return [{"effect": "NoSchedule", "key": name, "operator": "Exists"}]
    if profile == "arm64":
        return [{"effect": "NoSchedule", "key": _ARCH, "operator": "Equal", "value": "arm64"}]
    return []


def _covers(given: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    if given.get("effect") not in (None, "", ours["effect"]):
        return False
    if given.get("operator") == "Exists":
        return given.get("key") in (None, "", ours["key"])
    return given.get("key") == ours["key"] and given.get("value") == ours.get("value")
