"""`routing.modelCards`: the user's cards, completed, and a card for every other model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.routing_block import sequence, text
from semantic_router_operator.translate.agreement import CONFLICT, Given, agreed, disagreement
from semantic_router_operator.translate.entries import Entry, ModelEntries, Models

_CARDS = "routing.modelCards"


@dataclass(frozen=True, slots=True)
class Cards:
    """All cards, with the origin of each."""

    cards: tuple[Any, ...]
    origins: Mapping[str, str] = field(default_factory=dict)


def model_cards(models: Models, users: object) -> Cards:
    """The user's cards in their order, then one for each further model that serves, by name.

    A card of a model that is left out is left out with it. A card that belongs to no entry stays:
    that is for validation to say. The user's fields win; LoRA adapters are the union of both.
    """
    cards: list[Any] = []
    origins: dict[str, str] = {}
    for index, card in enumerate(sequence(users)):
        name = _name(card)
        if name in models and not models[name].serving:
            continue
        origins[paths.item(_CARDS, len(cards))] = f"spec.config.{paths.item(_CARDS, index)}"
        cards.append(_completed(card, models[name]) if name in models else card)
    named = {_name(card) for card in cards}
    for name, model in models.items():
        if model.serving and name not in named:
            origins[paths.item(_CARDS, len(cards))] = model.serving[0].entry.path
            cards.append(_completed({"name": name}, model))
    return Cards(tuple(cards), origins)


def _name(card: object) -> str:
    return text(card.get("name")) if isinstance(card, dict) else ""


def _completed(card: Mapping[str, Any], model: ModelEntries) -> dict[str, Any]:
    ours = _loras(model)
    if not ours or not isinstance(card.get("loras", []), list):
        return dict(card)
    users = card.get("loras", [])
    theirs = {_name(lora) for lora in users}
    merged = [
        *(
            {**ours.get(_name(lora), {}), **lora} if isinstance(lora, dict) else lora
            for lora in users
        ),
        *(lora for name, lora in ours.items() if name not in theirs),
    ]
    return {**card, "loras": merged}


def _loras(model: ModelEntries) -> dict[str, dict[str, str]]:
    found = {}
    for name in sorted(model.loras):
        given = agreed(model, partial(_description, name)).given
        found[name] = {"name": name, **({"description": given.value} if given else {})}
    return found


def _description(name: str, entry: Entry) -> Given[str] | None:
    for index, lora in enumerate(entry.endpoint.loras):
        if lora.name == name and lora.description:
            return Given(lora.description, paths.item(f"{entry.path}.loras", index))
    return None


def lora_issues(model: ModelEntries) -> tuple[Issue, ...]:
    """LoRA adapters that two entries, or one entry twice, describe differently."""
    between = [agreed(model, partial(_description, name)).issues for name in sorted(model.loras)]
    within = (issue for entry in model.entries for issue in _repeated(model, entry))
    return (*(issue for issues in between for issue in issues), *within)


def _repeated(model: ModelEntries, entry: Entry) -> list[Issue]:
    issues = []
    for index, lora in enumerate(entry.endpoint.loras):
        given = _description(lora.name, entry)
        if given and lora.description and lora.description != given.value:
            path = paths.item(f"{entry.path}.loras", index)
            issues.append(Issue(CONFLICT, path, disagreement(model.name, given.path)))
    return issues
