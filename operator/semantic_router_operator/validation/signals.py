"""Rules on routing.signals (canonical rules, H)."""

import re
from collections.abc import Iterator
from typing import Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import mappings, text
from semantic_router_operator.validation.subject import Found, Subject

COLLECTIONS: Final = (
    "keywords",
    "embeddings",
    "domains",
    "fact_check",
    "user_feedbacks",
    "reasks",
    "preferences",
    "language",
    "context",
    "structure",
    "complexity",
    "modality",
    "role_bindings",
    "jailbreak",
    "pii",
    "kb",
    "conversation",
    "events",
    "metadata",
    "classifiers",
    "safety",
    "hallucination",
    "input_modality",
)
"""Signal collections of both dialects; the last three are the newer router's."""
_LANGUAGE: Final = re.compile("[a-z]{2}")


def nameless(subject: Subject) -> Iterator[Found]:
    """A signal has a name."""
    for path, signal in _signals(subject):
        if not signal:
            yield Found(path, "has no name; add one that decisions can refer to")


def duplicates(subject: Subject) -> Iterator[Found]:
    """A name is unique in its collection."""
    seen: set[tuple[str, str]] = set()
    for path, name in _signals(subject):
        key = (path.partition("[")[0], name)
        if name and key in seen:
            yield Found(
                f"{path}.name", f"{paths.quoted(name)} is there twice; rename or remove one"
            )
        seen.add(key)


def odd_languages(subject: Subject) -> Iterator[Found]:
    """A language signal is named after the language."""
    for path, name in subject.each("routing.signals.language[].name"):
        if text(name) and not _LANGUAGE.fullmatch(text(name)):
            yield Found(path, "is no ISO 639-1 code in lower case; write one, such as en")


def _signals(subject: Subject) -> Iterator[tuple[str, str]]:
    for collection in COLLECTIONS:
        for index, signal in mappings(subject.signals.get(collection)):
            yield f"routing.signals.{collection}[{index}]", text(signal.get("name"))
