"""Kubernetes fragments that the resource passes on as they are."""

from collections.abc import Mapping
from typing import Any, Final

SUBDOMAIN: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
"""Form of most names in Kubernetes, of at most 253 characters."""


def merged(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """`theirs` laid over `ours`, field by field and into nested objects; a list replaces a list."""
    result = dict(ours)
    for key, value in theirs.items():
        below = result.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            result[key] = merged(below, value)
        else:
            result[key] = value
    return dict(sorted(result.items()))


def present(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Without the fields that are empty: None, "", {} and []. Zero and false stay."""
    return {key: value for key, value in fields.items() if value not in (None, "", {}, [], ())}
