"""Settings of a model that several entries give: they must say the same.

An entry that leaves a setting out agrees with every value. A drained entry never contradicts; its
value counts only where no other entry gives one, so that a backend can be drained while its
successor is set up differently.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.translate.entries import Entry, ModelEntries

CONFLICT = "ConflictingModelSettings"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Given(Generic[T]):
    """A value and the path in the CR where it stands."""

    value: T
    path: str


@dataclass(frozen=True, slots=True)
class Agreed(Generic[T]):
    """The value that counts, if any, and one error for each entry that has another one."""

    given: Given[T] | None
    issues: tuple[Issue, ...] = ()


def agreed(model: ModelEntries, read: Callable[[Entry], Given[T] | None]) -> Agreed[T]:
    """What the entries of a model say about one setting. `read` gives None where it is left out."""
    active = _given(model.active, read)
    drained = _given([entry for entry in model.entries if entry.drained], read)
    counting = active or drained
    if not counting:
        return Agreed(None)
    first = counting[0]
    issues = (
        Issue(CONFLICT, other.path, disagreement(model.name, first.path))
        for other in active
        if other.value != first.value
    )
    return Agreed(first, tuple(issues))


def disagreement(model: str, other: str) -> str:
    """What is wrong when two entries of a model differ; the values stay unsaid."""
    return f"differs from {other}, {both_are(model)}"


def both_are(model: str) -> str:
    """The end of a message about two entries that differ: why it matters, and what to do."""
    return (
        f"but both are model {paths.quoted(model)}; "
        "make them equal or give the backends different models"
    )


def _given(entries: Sequence[Entry], read: Callable[[Entry], Given[T] | None]) -> list[Given[T]]:
    return [given for entry in entries if (given := read(entry)) is not None]
