"""What of a live object is ours, and whether it says the same as the manifest that we want.

managedFields tell which fields our server-side apply put there. The same canonical form is made
of the wanted manifest and of our part of the live object; equal digests mean that there is
nothing to write. What others add is not in our part; what others change stops being ours and
makes the digests differ. Defaults of the API server aren't ours either.
"""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import orjson

from semantic_router_operator import names
from semantic_router_operator.model.quantity import milli

Fields = Mapping[str, Any]
"""fieldsV1: `f:<field>`, `k:<json of key fields>`, `v:<json value>`, `i:<index>`, `.`"""

_ZERO = {"": 0}
"""Stands for every empty value: the API server leaves out an empty text, list, false or 0 where
the field is `omitempty`, and keeps it elsewhere."""
_TEXT_MAPS = frozenset({"data", "annotations", "labels", "matchLabels", "nodeSelector"})
_QUANTITY_MAPS = frozenset({"limits", "requests"})
_QUANTITY_FIELDS = frozenset({"sizeLimit", "averageValue", "divisor", "storage"})

_ATOMIC_DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "fieldRef": {"apiVersion": "v1"},
    "resourceFieldRef": {"divisor": "0"},
}
"""Parts that are owned as a whole, with what the API server fills in there."""


def applied_fields(raw: Mapping[str, Any], manager: str = names.FIELD_MANAGER) -> Fields | None:
    """The fields of the object itself (no subresource) that `manager` applied, None for none."""
    entries = [
        entry.get("fieldsV1") or {}
        for entry in raw["metadata"].get("managedFields") or ()
        if entry.get("manager") == manager
        and entry.get("operation") == "Apply"
        and not entry.get("subresource")
    ]
    if not entries:
        return None
    fields: Fields = {}
    for entry in entries:
        fields = merged(fields, entry)
    return fields


def merged(one: Fields, other: Fields) -> Fields:
    """The union of two sets of fields; a leaf covers whatever is below it."""
    if not one or not other:
        return one or other
    return {
        key: merged(one[key], other[key])
        if key in one and key in other
        else one.get(key, other.get(key))
        for key in (*one, *(key for key in other if key not in one))
    }


def holds(fields: Fields | None, *path: str) -> bool:
    """Whether the field at the path (`spec`, `replicas`) is among the fields."""
    for part in path:
        if fields is None or f"f:{part}" not in fields:
            return False
        fields = fields[f"f:{part}"]
    return fields is not None


def owned(raw: Mapping[str, Any]) -> Any:
    """Our part of the live object, None when we have never applied it."""
    fields = applied_fields(raw)
    return None if fields is None else _pick(fields, raw)


def owned_digest(raw: Mapping[str, Any]) -> bytes:
    """Digest of our part of the live object; empty when we have never applied it."""
    part = owned(raw)
    return b"" if part is None else _digest(part)


def wanted_digest(body: Mapping[str, Any]) -> bytes:
    """Digest of a manifest, comparable with `owned_digest`: without what identifies the object,
    which managedFields don't list."""
    metadata = {
        key: value
        for key, value in (body.get("metadata") or {}).items()
        if key not in {"name", "namespace", "uid"}
    }
    fields = {key: value for key, value in body.items() if key not in {"apiVersion", "kind"}}
    return _digest({**fields, "metadata": metadata} if metadata else _without(fields, "metadata"))


def same(body: Mapping[str, Any], raw: Mapping[str, Any]) -> bool:
    """Whether applying the manifest would change nothing."""
    return wanted_digest(body) == owned_digest(raw)


def _without(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return {key: value for key, value in fields.items() if key != name}


def _pick(fields: Fields, live: Any) -> Any:
    if not fields:
        return live
    if isinstance(live, Mapping):
        return {
            key[2:]: _pick(below, live[key[2:]]) if key[2:] in live else None
            for key, below in fields.items()
            if key.startswith("f:")
        }
    if isinstance(live, list):
        return list(_pick_items(fields, live))
    return live


def _pick_items(fields: Fields, live: list[Any]) -> Iterable[Any]:
    """Our items in the live order: the order of variables and ports has a meaning."""
    keyed = [(orjson.loads(key[2:]), below) for key, below in fields.items() if key[:2] == "k:"]
    values = [orjson.loads(key[2:]) for key in fields if key[:2] == "v:"]
    for position, item in enumerate(live):
        if item in values or f"i:{position}" in fields:
            yield item
        for keys, below in keyed:
            if all(item.get(name) == value for name, value in keys.items()):
                yield _pick(below, item)
                break


def _digest(value: Any) -> bytes:
    text = orjson.dumps(_canonical(value, "", ""), option=orjson.OPT_SORT_KEYS)
    return blake2b(text, digest_size=16).digest()


def _canonical(value: Any, key: str, parent: str) -> Any:
    if isinstance(value, Mapping):
        value = {**_ATOMIC_DEFAULTS.get(key, {}), **value}
        return {
            str(name): _canonical(item, str(name), key) for name, item in value.items()
        } or _ZERO
    if isinstance(value, list | tuple):
        return [_canonical(item, "", key) for item in value] or _ZERO
    if not value:
        return _ZERO
    if not _is_quantity(key, parent):
        return value
    try:
        return f"{milli(value)}m"
    except ValueError:
        return value


def _is_quantity(key: str, parent: str) -> bool:
    if parent in _TEXT_MAPS:
        return False
    return (
        parent in _QUANTITY_MAPS
        or key in _QUANTITY_FIELDS
        or (key == "value" and parent == "target")
    )
