"""Rules on providers.models, the default model and the model cards (canonical rules E, F, N)."""

import ipaddress
from collections.abc import Iterator
from typing import Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import text
from semantic_router_operator.validation.subject import Found, Subject

_REFS: Final = "providers.models[].backend_refs[]"
_WEIGHTS: Final = (1, 100)
_CARDS: Final = "routing.modelCards[].name"


def weights(subject: Subject) -> Iterator[Found]:
    """A ref has a weight from 1 to 100: the router takes 0 for 1 (field case SR-09)."""
    low, high = _WEIGHTS
    for path, weight in subject.each(f"{_REFS}.weight"):
        if type(weight) is not int or not low <= weight <= high:
            yield Found(
                path,
                f"is a weight that is not from {low} to {high}; write another",
            )


def https_to_address(subject: Subject) -> Iterator[Found]:
    """The newer router refuses https to an IP literal (contract, semantics 7 and 8)."""
    for path, ref in subject.each(_REFS):
        url = text(ref.get("base_url"))
        plain = text(ref.get("endpoint")) if ref.get("protocol") == "https" else ""
        authority = url.removeprefix("https://") if url.startswith("https://") else plain
        if authority and _is_address(authority.partition("/")[0]):
            yield Found(path, "the router refuses https to an IP address; use a DNS name, or http")


def _is_address(authority: str) -> bool:
    if authority.startswith("["):
        return True
    try:
        ipaddress.ip_address(authority.partition(":")[0])
    except ValueError:
        return False
    return True


def duplicate_refs(subject: Subject) -> Iterator[Found]:
    """Names of the refs of one model are unique; the newer loader normalises them."""
    seen: set[tuple[str, str]] = set()
    for path, name in subject.each(f"{_REFS}.name"):
        key = (path.partition(".backend_refs")[0], text(name).strip().casefold())
        if key in seen:
            shown = paths.quoted(text(name))
            yield Found(
                path.removesuffix(".name"), f"gives a second backend_ref {shown}; rename the entry"
            )
        seen.add(key)


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
    for path, card in subject.each("routing.modelCards[]"):
        name = text(card.get("name")) if isinstance(card, dict) else ""
        if not name:
            yield Found(path, "has no name; add the name of a model")
        elif name not in written:
            yield Found(
                f"{path}.name",
                f"no entry of spec.vllmEndpoints has the model {paths.quoted(name)}; "
                "add one, or remove the card",
            )
