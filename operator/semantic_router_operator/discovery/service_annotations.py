"""What the annotations of a discovered Service say about itself.

They have the lowest precedence, and none of them can name a host, a header or a credential: who may
annotate a Service must not be able to redirect a key.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from semantic_router_operator import names
from semantic_router_operator.discovery import addresses
from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.discovery.service_ports import Scheme
from semantic_router_operator.model.facts import ServiceFacts
from semantic_router_operator.model.resolution import Note

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Hints:
    """The legal annotations of a Service, and a note for each illegal one."""

    protocol: Scheme | None
    base_path: str | None
    port: int | None
    api_version: str | None
    chat_path: str | None
    notes: tuple[Note, ...]


def hints(entry: Entry, part: str, service: ServiceFacts) -> Hints:
    """Reads them. A bad value is ignored and noted."""
    notes: list[Note] = []

    def read(key: str, check: Callable[[str], _T]) -> _T | None:
        text = service.annotations.get(key)
        if text is None:
            return None
        try:
            return check(text.strip())
        except addresses.AddressError as error:
            notes.append(
                entry.note(
                    "BadAnnotation",
                    part,
                    f"{service.ref}: annotation {key} is ignored: {error}; correct or remove it",
                )
            )
            return None

    return Hints(
        protocol=read(names.SERVICE_ANNOTATION_PROTOCOL, _protocol),
        base_path=read(names.SERVICE_ANNOTATION_BASE_PATH, addresses.base_path),
        port=read(names.SERVICE_ANNOTATION_PORT, addresses.port),
        api_version=read(names.SERVICE_ANNOTATION_API_VERSION, _version),
        chat_path=read(names.SERVICE_ANNOTATION_CHAT_PATH, _chat_path),
        notes=tuple(notes),
    )


def _protocol(text: str) -> Scheme:
    match text.lower():
        case "http":
            return "http"
        case "https":
            return "https"
        case _:
            msg = "the protocol is neither http nor https"
            raise addresses.AddressError(msg)


def _version(text: str) -> str:
    if not text or not all(char.isascii() and (char.isalnum() or char in "-._") for char in text):
        msg = "a version is made of letters, digits, dots and dashes"
        raise addresses.AddressError(msg)
    return text


def _chat_path(text: str) -> str:
    path = addresses.base_path(text)
    if not path:
        msg = "the path is empty"
        raise addresses.AddressError(msg)
    return path
