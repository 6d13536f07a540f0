"""What a watch holds: projections, each with the resourceVersion that it was made of."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from semantic_router_operator.cluster.watch_source import Place, number, place

logger = logging.getLogger(__name__)

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class _Held(Generic[P]):
    version: int
    projection: P


class Holdings(Generic[P]):
    """Takes in what is newer than what it has, and tells what differs."""

    def __init__(
        self,
        project: Callable[[Mapping[str, Any]], P],
        on_change: Callable[[P | None, P | None], None],
    ) -> None:
        self._project = project
        self._on_change = on_change
        self._objects: dict[Place, _Held[P]] = {}

    def __len__(self) -> int:
        return len(self._objects)

    def get(self, key: Place) -> P | None:
        """The projection of an object."""
        held = self._objects.get(key)
        return None if held is None else held.projection

    def values(self) -> Iterator[P]:
        """All projections, in no order."""
        return (held.projection for held in self._objects.values())

    def put(self, raw: Mapping[str, Any], *, tell: bool = True) -> None:
        """Takes in an object, unless a newer state of it is known.

        One of a shape that we can't read counts as not there: it must not end the watch of all.
        """
        key, version = place(raw), _version(raw)
        held = self._objects.get(key)
        if held is not None and version and version < held.version:
            return
        try:
            new = self._project(raw)
        except Exception as error:  # noqa: BLE001 - anybody may write such an object
            kind = type(error).__name__
            logger.warning("%s can't be read (%s) and is left out", "/".join(key), kind)
            if held is not None:
                self._drop(key)
            return
        self._objects[key] = _Held(version, new)
        old = None if held is None else held.projection
        if tell and old != new:
            self._on_change(old, new)

    def remove(self, raw: Mapping[str, Any]) -> None:
        """Takes in that an object was deleted, unless a newer one of that name is known."""
        key, version = place(raw), _version(raw)
        held = self._objects.get(key)
        if held is not None and (not version or version >= held.version):
            self._drop(key)

    def remove_absent(self, found: Collection[Place], version: int) -> None:
        """Drops what a list of that version doesn't have and was not heard of since."""
        gone = [
            key
            for key, held in self._objects.items()
            if key not in found and held.version <= version
        ]
        for key in gone:
            self._drop(key)

    def clear(self) -> None:
        """Drops everything."""
        for key in list(self._objects):
            self._drop(key)

    def forget(self, key: Place) -> None:
        """Drops an object and tells nobody."""
        self._objects.pop(key, None)

    def forget_versions(self) -> None:
        """From now on anything is newer than what is held."""
        self._objects = {key: _Held(0, held.projection) for key, held in self._objects.items()}

    def _drop(self, key: Place) -> None:
        self._on_change(self._objects.pop(key).projection, None)


def _version(raw: Mapping[str, Any]) -> int:
    return number(str(raw["metadata"].get("resourceVersion", "")))
