"""Rules on predicates: comparisons with a number (canonical rules, H)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model.routing_block import mapping
from semantic_router_operator.validation.conditions import leaves_of
from semantic_router_operator.validation.subject import Found, Subject, tree_nodes

_COMPARATORS: Final = ("gt", "gte", "lt", "lte")
_SIGNALS: Final = ("structure", "conversation")


def odd_predicates(subject: Subject) -> Iterator[Found]:
    """A predicate compares in at least one way, doesn't say a bound twice, and can be true."""
    for path, predicate in _predicates(subject):
        message = _problem(mapping(predicate))
        if message:
            yield Found(path, message)


def _predicates(subject: Subject) -> Iterator[tuple[str, object]]:
    for collection in _SIGNALS:
        for path, signal in subject.signal(collection):
            if "predicate" in signal:
                yield f"{path}.predicate", signal["predicate"]
    for path, signal in subject.signal("complexity"):
        yield from _of_tree(signal.get("composer"), f"{path}.composer")
    for path, leaf in leaves_of(subject):
        if "predicate" in leaf:
            yield f"{path}.predicate", leaf["predicate"]


def _of_tree(tree: object, path: str) -> Iterator[tuple[str, object]]:
    for place, node in tree_nodes(tree, path):
        if "predicate" in node:
            yield f"{place}.predicate", node["predicate"]


def _problem(predicate: Mapping[str, Any]) -> str | None:
    given = {key: predicate[key] for key in _COMPARATORS if _is_number(predicate.get(key))}
    if not any(key in predicate for key in _COMPARATORS):
        return f"compares with nothing; add one of {', '.join(_COMPARATORS)}"
    if {"gt", "gte"} <= given.keys() or {"lt", "lte"} <= given.keys():
        return "has a bound twice; keep gt or gte, and lt or lte"
    low, high = given.get("gt", given.get("gte")), given.get("lt", given.get("lte"))
    if low is None or high is None:
        return None
    closed = "gte" in given and "lte" in given
    if low > high or (low == high and not closed):
        return "can never be true; the lower bound must be below the upper one"
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
