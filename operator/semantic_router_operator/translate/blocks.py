"""A block of the CR as the document has it: the same keys, numbers as numbers, nothing made up."""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.base import Model
from semantic_router_operator.model.canonical import Issue, SecretEnv
from semantic_router_operator.translate.text import copied

_DECIMAL: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the document and where in the CR it comes from."""

    path: str
    """Where in the document it belongs, such as `global.stores.response_cache`."""
    value: Any
    origins: Mapping[str, str] = field(default_factory=dict)
    """Path in the document -> path in the CR."""
    issues: tuple[Issue, ...] = ()
    env: tuple[SecretEnv, ...] = ()


def written(
    model: Model,
    path: str,
    origin: str,
    *,
    numbers: Collection[str] = (),
    without: Collection[str] = (),
) -> Block:
    """A block of the CR with its defaults, which the API server has filled in just so.

    What the CR doesn't say isn't there: an explicit zero or empty value beats the router's own
    default (canonical rules, A.8). `numbers` are the fields, at any depth, whose text is a number
    in the document: by field, never by what the text looks like. `without` are the fields to leave
    out, by their path in the block.
    """
    left_out = frozenset(f"{origin}.{place}" for place in without)
    writing = _Writing(frozenset(numbers), left_out)
    value = writing.of(model, path, origin)
    return Block(path, value, {path: origin, **writing.origins}, tuple(writing.issues))


def deprecated(path: str, advice: str) -> Issue:
    """The warning for a field that today's router doesn't have: what to do instead."""
    return Issue("Deprecated", path, advice, "warning")


@dataclass(frozen=True, slots=True)
class _Writing:
    numbers: frozenset[str]
    left_out: frozenset[str]
    """Paths in the CR."""
    origins: dict[str, str] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)

    def of(self, value: object, path: str, origin: str, *, number: bool = False) -> Any:
        match value:
            case Model():
                return self._model(value, path, origin)
            case tuple():
                return [
                    self.of(member, paths.item(path, i), paths.item(origin, i), number=number)
                    for i, member in enumerate(value)
                ]
            case dict():
                copy = copied(value, path, origin)
                self.origins.update(copy.origins)
                self.issues.extend(copy.issues)
                return copy.value
            case str() if number:
                return self._number(value, origin)
            case _:
                return value

    def _model(self, model: Model, path: str, origin: str) -> dict[str, Any]:
        done: dict[str, Any] = {}
        for name, info in type(model).model_fields.items():
            key, member = info.alias or name, getattr(model, name)
            here, there = paths.child(path, key), paths.child(origin, key)
            if there in self.left_out or not _said(model, name):
                continue
            value = self.of(member, here, there, number=key in self.numbers)
            if value != {} or isinstance(member, dict):
                done[key] = value
        return done

    def _number(self, text: str, origin: str) -> float:
        if not _DECIMAL.fullmatch(text):
            self.issues.append(Issue("InvalidValue", origin, "is not a number; write one, as text"))
            return 0.0
        value = float(text)
        if math.isfinite(value):
            return value
        problem = "is too big a number; write a smaller one"
        self.issues.append(Issue("InvalidValue", origin, problem))
        return 0.0


def _said(model: Model, name: str) -> bool:
    """Whether the CR gives the field, or it has a default that the API server fills in."""
    value = getattr(model, name)
    return value is not None and (value not in ((), {}) or name in model.model_fields_set)
