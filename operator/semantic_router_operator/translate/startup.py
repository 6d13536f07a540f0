"""What of a document the router reads at its start alone: model/rollout.py says which parts."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from semantic_router_operator.model.rollout import STARTUP

_FILTERED: Final = re.compile(r"(.+)\[(.+)=(.+)\]")


def startup_part(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with these parts alone; everything else may change without a restart."""
    found: dict[str, Any] = {}
    for part in STARTUP:
        found = _merged(found, _picked(document, part.path.split(".")))
    return found


def _picked(value: Any, steps: list[str]) -> Any:
    """What the path selects, in its place; None for nothing."""
    if not steps:
        return value
    if not isinstance(value, Mapping):
        return None
    step, *rest = steps
    if step == "**":
        return _below(value, steps)
    filtered = _FILTERED.fullmatch(step)
    if filtered:
        key, field, wanted = filtered.groups()
        items = _items(value.get(key), field, wanted)
        picked = [_picked(item, rest) for item in items]
        return {key: picked} if any(item is not None for item in picked) else None
    return _kept((key, _picked(value[key], rest)) for key in value if fnmatchcase(str(key), step))


def _below(value: Mapping[str, Any], steps: list[str]) -> Any:
    """Here, and at every depth."""
    deeper = _kept((key, _picked(inner, steps)) for key, inner in value.items())
    return _merged(_picked(value, steps[1:]), deeper)


def _items(value: Any, field: str, wanted: str) -> list[Any]:
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, Mapping) and item.get(field) == wanted]


def _kept(items: Iterable[tuple[str, Any]]) -> dict[str, Any] | None:
    return {key: item for key, item in items if item is not None} or None


def _merged(one: Any, other: Any) -> Any:
    """Both selections; where both have a list, its items are the same ones."""
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, list) and isinstance(other, list):
        return [_merged(left, right) for left, right in zip(one, other, strict=True)]
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return {key: _merged(one.get(key), other.get(key)) for key in {**one, **other}}
    return one
