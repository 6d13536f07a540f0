"""What of a live object the operator owns, by the API server's own record of it."""

import json
from collections.abc import Mapping
from typing import Any

from semantic_router_operator.model.quantity import milli

MANAGER = "semantic-router-operator"


def owned(live: Mapping[str, Any]) -> Any:
    """The part of the object that our applies own, owner references apart."""
    result: dict[str, Any] = {}
    for entry in live["metadata"]["managedFields"]:
        if entry["manager"] == MANAGER and "subresource" not in entry:
            assert entry["operation"] == "Apply", entry
            result = _part(live, entry["fieldsV1"])
    result["metadata"].pop("ownerReferences", None)  # a kept claim has none
    return _amounts(result)


def _part(value: Any, fields: Mapping[str, Any]) -> Any:
    """The value as far as the field set reaches; a leaf is the value as a whole."""
    inner = {key: sub for key, sub in fields.items() if key != "."}
    if not inner:
        return value
    if isinstance(value, list):
        return [
            _part(item, sub) for item in value for key, sub in inner.items() if _is_meant(item, key)
        ]
    return {key[2:]: _part(value[key[2:]], sub) for key, sub in inner.items()}


def _is_meant(item: Any, key: str) -> bool:
    """`k:{"name":"a"}` means the item with that name, `v:"a"` the item "a"."""
    wanted = json.loads(key[2:])
    if key.startswith("v:"):
        return bool(item == wanted)
    return all(item.get(name) == value for name, value in wanted.items())


def wanted(manifest: Mapping[str, Any]) -> Any:
    """The part of a manifest that an apply makes its own: what doesn't say which object it is."""
    metadata = {
        key: value
        for key, value in manifest["metadata"].items()
        if key not in {"name", "namespace", "ownerReferences"}
    }
    rest = {key: v for key, v in manifest.items() if key not in {"apiVersion", "kind", "metadata"}}
    return _amounts({**rest, "metadata": metadata} if metadata else rest)


def _amounts(value: Any) -> Any:
    """The value with each quantity as a number: the API server has a spelling of its own."""
    if isinstance(value, list):
        return [_amounts(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {
        key: {name: milli(amount) for name, amount in item.items()}
        if key in {"limits", "requests"} and isinstance(item, Mapping)
        else _amounts(item)
        for key, item in value.items()
    }
