"""Rules that the document's schema checks: one for each kind of flaw (canonical rules, A, B, N)."""

from collections.abc import Callable, Iterator
from typing import Final

from semantic_router_operator.model.paths import PASSED_ON
from semantic_router_operator.validation.schema_check import Flaw
from semantic_router_operator.validation.subject import Found, Subject

_PASSED_ON: Final = (
    "is passed on, but not known here; a router that doesn't know it either refuses it"
)
_OURS: Final = "is not a key of the router's document"


def wrong_types(subject: Subject) -> Iterator[Found]:
    """Every value has the type that the router reads."""
    return _of(subject, "WrongType")


def unknown_values(subject: Subject) -> Iterator[Found]:
    """Words are one of those that the router knows."""
    return _of(subject, "UnknownValue")


def unlikely_values(subject: Subject) -> Iterator[Found]:
    """Words that the router takes without knowing them."""
    return _of(subject, "UnlikelyValue")


def out_of_range(subject: Subject) -> Iterator[Found]:
    """Numbers are in their range."""
    return _of(subject, "ValueOutOfRange")


def odd_formats(subject: Subject) -> Iterator[Found]:
    """Durations and paths are written as the router reads them."""
    return _of(subject, "InvalidFormat")


def missing_keys(subject: Subject) -> Iterator[Found]:
    """What the router can't do without is there and not empty."""
    return _of(subject, "MissingKey")


def rejected_keys(subject: Subject) -> Iterator[Found]:
    """No key that the router once had and now refuses."""
    return _of(subject, "RejectedKey")


def unknown_keys(subject: Subject) -> Iterator[Found]:
    """A key of the user that is not known here is passed on, not silently (field case SR-12)."""
    for flaw in _flaws(subject, "UnknownKey", lambda flaw: _is_users(subject, flaw)):
        hint = f"; did you mean {flaw.message}?" if flaw.message else ""
        yield Found(flaw.path, f"{_PASSED_ON}{hint}")


def foreign_keys(subject: Subject) -> Iterator[Found]:
    """Of its own accord the operator writes no key that the router doesn't know."""
    for flaw in _flaws(subject, "UnknownKey", lambda flaw: not _is_users(subject, flaw)):
        yield Found(flaw.path, f"{flaw.path} {_OURS}; please report this")


def _is_users(subject: Subject, flaw: Flaw) -> bool:
    return subject.candidate.origin(flaw.path).startswith(PASSED_ON)


def _flaws(subject: Subject, code: str, wanted: Callable[[Flaw], bool]) -> Iterator[Flaw]:
    return (flaw for flaw in subject.flaws if flaw.code == code and wanted(flaw))


def _of(subject: Subject, code: str) -> Iterator[Found]:
    """The flaws of a code. Where the CR's path doesn't end as the document's does, the message
    begins with the document's key."""
    for flaw in _flaws(subject, code, lambda _: True):
        origin, key = subject.candidate.origin(flaw.path), flaw.path.rpartition(".")[2]
        same = origin.startswith(PASSED_ON) or _plain(origin).endswith(_plain(key))
        yield Found(flaw.path, flaw.message if same else f"{key} {flaw.message}")


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()
