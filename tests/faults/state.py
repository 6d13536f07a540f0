"""The state of a namespace, without what differs between two runs that ended alike."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

Object = Mapping[str, Any]
State = dict[str, Any]

_VOLATILE = frozenset(
    (
        "clusterIP",
        "clusterIPs",
        "creationTimestamp",
        "currentMetrics",
        "lastScaleTime",
        "lastTransitionTime",
        "lastUpdateTime",
        "managedFields",
        "nodePort",
        "resourceVersion",
        "settingsSince",
        "uid",
        "volumeName",
    )
)
_FURNITURE = frozenset(("ConfigMap/kube-root-ca.crt", "ServiceAccount/default"))
_BY_OTHERS = frozenset(("HorizontalPodAutoscaler", "Service", "Ingress", "PodDisruptionBudget"))
"""Their status comes from controllers that work at a pace of their own."""


def normalised(objects: Iterable[Object]) -> State:
    """`Kind/name` -> the object; pods only as their number, by whether they are ready."""
    found = [item for item in objects if _key(item) not in _FURNITURE]
    known = {item["metadata"]["uid"]: _key(item) for item in found}
    state: State = {"pods": _pods(item for item in found if item["kind"] == "Pod")}
    for item in found:
        if item["kind"] != "Pod":
            state[_key(item)] = _normal(item, known)
    return dict(sorted(state.items()))


def orphans(objects: Iterable[Object]) -> list[str]:
    """Objects that name an owner which isn't there."""
    found = list(objects)
    known = {item["metadata"]["uid"] for item in found}
    return sorted(_key(item) for item in found if item["kind"] != "Pod" and _lost(item, known))


def duplicates(objects: Iterable[Object]) -> list[str]:
    """Objects of one kind and owner that differ in nothing but the name."""
    twins: dict[str, list[str]] = {}
    for item in objects:
        metadata = item["metadata"]
        if item["kind"] == "Pod" or not metadata.get("ownerReferences"):
            continue
        body = {key: value for key, value in _stripped(item).items() if key != "metadata"}
        body["owners"] = [owner["uid"] for owner in metadata["ownerReferences"]]
        twins.setdefault(json.dumps(body, sort_keys=True), []).append(_key(item))
    return sorted(name for names in twins.values() if len(names) > 1 for name in names)


def differences(wanted: object, found: object, path: str = "") -> list[str]:
    """One line for each leaf that differs, with its path."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [
            line
            for key in sorted(wanted.keys() | found.keys())
            for line in differences(wanted.get(key), found.get(key), f"{path}.{key}".lstrip("."))
        ]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = enumerate(zip(wanted, found, strict=True))
        return [line for at, (a, b) in pairs for line in differences(a, b, f"{path}[{at}]")]
    return [] if wanted == found else [f"{path}: {_short(wanted)} became {_short(found)}"]


def _normal(item: Object, known: Mapping[str, str]) -> dict[str, Any]:
    body: dict[str, Any] = _stripped(item)
    metadata = body["metadata"]
    generation = metadata.pop("generation", None)
    owners = item["metadata"].get("ownerReferences") or ()
    if owners:
        metadata["ownerReferences"] = [
            {**_stripped(owner), "is": known.get(owner["uid"], "gone")} for owner in owners
        ]
    status = body.get("status")
    if item["kind"] in _BY_OTHERS:
        body.pop("status", None)
    elif isinstance(status, dict):
        if "observedGeneration" in status:
            status["observedGeneration"] = status["observedGeneration"] == generation
        for condition in status.get("conditions", ()):
            if "observedGeneration" in condition:
                condition["observedGeneration"] = condition["observedGeneration"] == generation
        if item["kind"] == "Deployment":
            status.get("conditions", []).sort(key=lambda one: one["type"])
    return body


def _stripped(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _stripped(item) for key, item in value.items() if key not in _VOLATILE}
    return [_stripped(item) for item in value] if isinstance(value, list) else value


def _pods(pods: Iterable[Object]) -> dict[str, int]:
    counts = {"ready": 0, "not ready": 0}
    for pod in pods:
        conditions = (pod.get("status") or {}).get("conditions") or ()
        ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
        counts["ready" if ready else "not ready"] += 1
    return counts


def _lost(item: Object, known: set[str]) -> bool:
    owners = item["metadata"].get("ownerReferences") or ()
    return any(owner["uid"] not in known for owner in owners)


def _key(item: Object) -> str:
    return f"{item['kind']}/{item['metadata']['name']}"


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return text if len(text) <= 160 else f"{text[:157]}..."
