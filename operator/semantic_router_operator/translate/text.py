"""What a value of the document may be, and values of the user made ready to be written.

Text stays text and numbers stay numbers; nothing is guessed from what a text looks like.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import Issue

DEPTH_LIMIT: Final = 64
"""Nested levels of a user's value; the deepest field that the router knows has 12."""
_EXACT_FLOAT_LIMIT: Final = 2**53
_INT_LIMIT: Final = 2**63
_UNWRITABLE: Final = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Copied:
    """A user's value, ready for the document."""

    value: Any
    origins: Mapping[str, str] = field(default_factory=dict)
    """Only for list items that have moved."""
    issues: tuple[Issue, ...] = ()


def copied(value: object, path: str, origin: str) -> Copied:
    """A user's value with sorted keys (the API server may reorder a map) and without nulls.

    `name` and `type` come first, as a person writes them. A whole number that is written as 1.0
    becomes 1, as the API server stores it. `path` is the place in the document and `origin` the
    one in the CR. NaN, infinity, a value that JSON doesn't have and more than DEPTH_LIMIT levels
    are errors; such a value is None here.
    """
    origins: dict[str, str] = {}
    issues: list[Issue] = []
    done = _Copy(origins, issues).of(value, path, origin)
    return Copied(done, origins, tuple(issues))


@dataclass(frozen=True, slots=True)
class _Copy:
    origins: dict[str, str]
    issues: list[Issue]

    def of(self, value: object, path: str, origin: str, depth: int = 0) -> Any:
        problem = _refused(value, depth)
        if problem:
            self.issues.append(Issue("InvalidValue", origin, problem))
            return None
        match value:
            case float() if value.is_integer() and abs(value) <= _EXACT_FLOAT_LIMIT:
                return int(value)
            case Mapping():
                return self._map(value, path, origin, depth)
            case list() | tuple():
                return self._list(list(value), path, origin, depth)
            case _:
                return value

    def _map(
        self, value: Mapping[Any, object], path: str, origin: str, depth: int
    ) -> dict[str, Any]:
        given = {str(key): x for key, x in value.items() if x is not None}
        return {
            key: self.of(given[key], paths.child(path, key), paths.child(origin, key), depth + 1)
            for key in sorted(given, key=lambda key: (key != "name", key != "type", key))
        }

    def _list(self, value: list[object], path: str, origin: str, depth: int) -> list[Any]:
        done: list[Any] = []
        for index, member in enumerate(value):
            if member is None:
                continue
            here, there = paths.item(path, len(done)), paths.item(origin, index)
            if len(done) != index:
                self.origins[here] = there
            done.append(self.of(member, here, there, depth + 1))
        return done


def _refused(value: object, depth: int) -> str | None:
    """What is wrong with a value; what to do."""
    if depth > DEPTH_LIMIT:
        return f"is nested deeper than {DEPTH_LIMIT} levels; flatten it"
    match value:
        case int() if abs(value) >= _INT_LIMIT:
            return "is too big a number; write a smaller one"
        case float() if not math.isfinite(value):
            return "is no finite number; write one"
        case bool() | int() | float() | str() | Mapping() | list() | tuple():
            return None
        case _:
            return "is neither text, number, list nor object; write one of them"


def unwritable(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text below `value` that no YAML reader can take: (path in the document, problem).

    NUL and a lone surrogate (which JSON can carry) have no place in YAML or UTF-8 (field case
    OP-19). Keys count too.
    """
    match value:
        case str() if found := _UNWRITABLE.search(value):
            yield path, _problem(found.group())
        case dict():
            for key, member in value.items():
                place = paths.child(path, key)
                if found := _UNWRITABLE.search(key):
                    yield place, f"the key {_problem(found.group())}"
                yield from unwritable(member, place)
        case list():
            for index, member in enumerate(value):
                yield from unwritable(member, paths.item(path, index))
        case _:
            pass


def _problem(char: str) -> str:
    what = "a NUL character" if char == "\x00" else "half of a surrogate pair"
    return f"has {what}, which the router can't read; remove it"
