"""`routing`: spec.config.routing passed on whole, without models that nothing serves now."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.routing_block import (
    TOP_LEVEL,
    algorithm_models,
    mapping,
    mappings,
    sequence,
    text,
)
from semantic_router_operator.translate.credentials import replaced
from semantic_router_operator.translate.defaults import ADVICE, IN_ROUTING, WAITING
from semantic_router_operator.translate.entries import Models, outages
from semantic_router_operator.translate.model_cards import model_cards
from semantic_router_operator.translate.respelling import respelled
from semantic_router_operator.translate.routing_overlay import overlay
from semantic_router_operator.translate.text import copied

_ROUTING: Final = "spec.config.routing"


@dataclass(frozen=True, slots=True)
class Routing:
    """The routing block of the document."""

    value: Mapping[str, Any]
    origins: Mapping[str, str] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()


def routing(router: SemanticRouter, models: Models) -> Routing:
    """Every key that the user gives, known or not, with the CR's other lists and our model cards.

    It is written even when it says nothing, since a document without `routing` and `global` is
    no document (canonical rules, A; field case SR-15).
    """
    given = mapping(router.spec.config.routing)
    copy = copied({k: v for k, v in given.items() if k != IN_ROUTING}, "routing", _ROUTING)
    block: dict[str, Any] = copy.value
    origins = {"routing": _ROUTING, **copy.origins}
    issues = [*copy.issues, *overlay(router.spec.config, block, origins)]
    issues += respelled(block, origins)
    issues += replaced(router.spec, block, "routing", origins)
    if router.spec.config.strategy and "strategy" not in block:
        block["strategy"] = router.spec.config.strategy
        origins["routing.strategy"] = "spec.config.strategy"
    gone = outages(models)
    origins |= _prune(block, gone, origins, issues)
    issues += _held_algorithms(block, gone, origins)
    if isinstance(block.get("modelCards", []), list):
        cards = model_cards(models, block.get("modelCards"))
        block["modelCards"] = list(cards.cards)
        origins |= cards.origins
    return Routing(_ordered(block), origins, tuple(issues))


def _ordered(block: Mapping[str, Any]) -> dict[str, Any]:
    rest = sorted(set(block) - set(TOP_LEVEL))
    return {key: block[key] for key in (*TOP_LEVEL, *rest) if key in block}


def _prune(
    block: Mapping[str, Any],
    gone: Mapping[str, str],
    origins: Mapping[str, str],
    issues: list[Issue],
) -> dict[str, str]:
    """Takes refs to models that nothing serves out of `block`; the origins of refs that moved.

    A decision that names other models too loses only that ref, with a warning. One that would be
    left with nothing keeps it and holds the candidate back, because dropping the decision would
    change what traffic matches (contract, backends.md).
    """
    moved: dict[str, str] = {}
    for holder, path, key in _ref_lists(block):
        refs = sequence(holder[key])
        kept = [index for index, ref in enumerate(refs) if _model(ref) not in gone]
        here = f"{path}.{key}"
        lost = [index for index in range(len(refs)) if index not in kept]
        essential = key != "model_scores" and not kept
        for index in lost:
            origin = paths.trace(origins, paths.item(here, index))
            issues.append(_lost(_model(refs[index]), origin, gone, essential=essential))
        if lost and not essential:
            moved |= {
                paths.item(here, new): paths.trace(origins, paths.item(here, old))
                for new, old in enumerate(kept)
            }
            holder[key] = [refs[index] for index in kept]
    return moved


def _ref_lists(block: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Every non-empty list of model refs: (what holds it, the holder's path, the key)."""
    holders: list[tuple[Any, str, str]] = []
    for index, decision in mappings(block.get("decisions")):
        path = f"routing.decisions[{index}]"
        holders.append((decision, path, "modelRefs"))
        for number, iteration in mappings(decision.get("candidateIterations")):
            holders.append((iteration, f"{path}.candidateIterations[{number}]", "models"))
    for index, domain in mappings(mapping(block.get("signals")).get("domains")):
        holders.append((domain, f"routing.signals.domains[{index}]", "model_scores"))
    return (holder for holder in holders if sequence(holder[0].get(holder[2])))


def _model(ref: object) -> str:
    return text(mapping(ref).get("model"))


def _lost(name: str, path: str, gone: Mapping[str, str], *, essential: bool) -> Issue:
    shown = paths.quoted(name)
    if not essential:
        text_ = f"{shown} is left out for now: {gone[name]}"
        return Issue("ModelLeftOut", path, text_, "warning")
    text_ = f"{shown} is all that is named here, and {gone[name]}; {ADVICE}"
    return Issue(WAITING, path, text_)


def _held_algorithms(
    block: Mapping[str, Any], gone: Mapping[str, str], origins: Mapping[str, str]
) -> list[Issue]:
    """An algorithm can't do without a model that it names."""
    return [
        Issue(
            WAITING,
            paths.trace(origins, f"routing.decisions[{index}].algorithm.{path}"),
            f"{paths.quoted(name)} can't be used now: {gone[name]}; {ADVICE}",
        )
        for index, decision in mappings(block.get("decisions"))
        for path, name in algorithm_models(decision.get("algorithm"))
        if name in gone
    ]
