"""spec.config.complexity_rules and spec.config.decisions, laid over spec.config.routing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.config import Config
from semantic_router_operator.model.config.complexity import ComplexityRule
from semantic_router_operator.model.config.decisions import Decision
from semantic_router_operator.model.routing_block import mapping, text
from semantic_router_operator.translate.blocks import deprecated, written

_SCORES: Final = (
    "threshold",
    "hard_above",
    "easy_below",
    "hard_below",
    "easy_above",
    "cluster_similarity_threshold",
    "best_weight",
    "margin_threshold",
)


@dataclass(frozen=True, slots=True)
class _Laid:
    """One list of the CR and where it goes."""

    models: Sequence[Decision | ComplexityRule]
    place: str
    origin: str
    numbers: tuple[str, ...] = ()


def overlay(config: Config, block: dict[str, Any], origins: dict[str, str]) -> tuple[Issue, ...]:
    """Lays both lists over a fresh copy of the routing block, in place (contract,
    operator-behaviour.md 6: complexity_rules, then decisions).

    One that has the name of another in the block takes its place, the others follow those of the
    block. A block of the wrong shape is left as it is: validation reports it.
    """
    issues: list[Issue] = []
    if config.complexity_rules:
        place, origin = "routing.signals.complexity", "spec.config.complexity_rules"
        laid = _Laid(config.complexity_rules, place, origin, _SCORES)
        issues += _lay(block.setdefault("signals", {}), "complexity", laid, origins)
    if config.decisions:
        laid = _Laid(config.decisions, "routing.decisions", "spec.config.decisions")
        issues += _lay(block, "decisions", laid, origins)
    return (*issues, *_preferences(config.decisions))


def _lay(holder: Any, key: str, laid: _Laid, origins: dict[str, str]) -> Iterator[Issue]:
    members = holder.setdefault(key, []) if isinstance(holder, dict) else None
    if not isinstance(members, list):
        return
    if members:
        words = f"is laid over spec.config.{laid.place}, by name; write all of them in one place"
        yield Issue("TwoPlaces", laid.origin, words, "warning")
    replaced = {text(mapping(member).get("name")): at for at, member in enumerate(members)}
    for index, model in enumerate(laid.models):
        at = replaced.pop(model.name, len(members))
        place = paths.item(laid.place, at)
        block = written(
            model,
            place,
            paths.item(laid.origin, index),
            numbers=laid.numbers,
            without=("preferred_endpoints",),
        )
        _forget(origins, place)
        origins |= block.origins
        members[at : at + 1] = [block.value]
        yield from block.issues


def _forget(origins: dict[str, str], place: str) -> None:
    """What is replaced no longer tells where anything comes from."""
    for path in [path for path in origins if path.startswith(place)]:
        del origins[path]


def _preferences(decisions: Sequence[Decision]) -> Iterator[Issue]:
    words = (
        "has no effect: the router chooses among the endpoints of a model by weight; "
        "set spec.vllmEndpoints[].weight, or give the endpoints models of their own"
    )
    for index, decision in enumerate(decisions):
        if decision.preferred_endpoints:
            yield deprecated(f"spec.config.decisions[{index}].preferred_endpoints", words)
