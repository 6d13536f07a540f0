"""Rules on providers.models, the default model and the model cards (canonical rules E, F, N)."""

from collections.abc import Iterator
from typing import Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import mapping, sequence, text
from semantic_router_operator.validation.subject import Found, Subject

_CARDS: Final = "routing.modelCards[].name"


def without_backend(subject: Subject) -> Iterator[Found]:
    """A model that the router's listener serves has a backend (newer loader)."""
    for path, model in subject.each("providers.models[]"):
        if not sequence(mapping(model).get("backend_refs")):
            yield Found(path, "has no backend_refs; give the model a backend")


def unknown_default(subject: Subject) -> Iterator[Found]:
    """The default is a model or a LoRA adapter of the CR."""
    known = subject.aliases
    for path, name in subject.each("providers.defaults.model"):
        if name not in known:
            yield Found(
                path,
                f"no entry of spec.vllmEndpoints has the model {paths.quoted(name)}; "
                "name one that is there, or leave this out",
            )


def duplicate_cards(subject: Subject) -> Iterator[Found]:
    """One card for each model."""
    seen: dict[str, str] = {}
    for path, name in subject.each(_CARDS):
        first = seen.setdefault(text(name), path)
        if first != path:
            origin = subject.candidate.origin(first)
            yield Found(path, f"{paths.quoted(text(name))} has a card already ({origin}); keep one")


def cards_without_model(subject: Subject) -> Iterator[Found]:
    """A card belongs to a provider model (newer loader)."""
    written = {endpoint.model for _, endpoint in subject.endpoints}
    for path, name in subject.each(_CARDS):
        if text(name) and text(name) not in written:
            yield Found(
                path,
                f"no entry of spec.vllmEndpoints has the model {paths.quoted(text(name))}; "
                "add one, or remove the card",
            )
