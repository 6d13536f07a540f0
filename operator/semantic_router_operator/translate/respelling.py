"""Words of the user's routing block that both dialects understand, in the spelling that both do.

The August loader takes aliases and any case; the newer one has closed lists. Keys that the newer
loader rejects and that nothing replaces are left out with a warning (field table, aug-only).
"""

from collections.abc import Iterator
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.routing_block import (
    PLUGIN_ALIASES,
    mapping,
    mappings,
    text,
)

_OPERATORS: Final = ("AND", "OR", "NOT")
_RETIRED_PLUGIN: Final = "image_gen"
_GONE: Final = "is not known to today's router and left out; remove it"


def respelled(routing: dict[str, Any]) -> tuple[Issue, ...]:
    """Changes a fresh copy of the routing block in place and says what was left out of it."""
    for _, decision in mappings(routing.get("decisions")):
        _conditions(decision.get("rules"))
        for _, plugin in mappings(decision.get("plugins")):
            _replace(plugin, "type", PLUGIN_ALIASES.get(text(plugin.get("type"))))
    return tuple(_retired(routing))


def _conditions(node: Any) -> None:
    if not isinstance(node, dict):
        return
    _replace(node, "type", text(node.get("type")).lower())
    operator = text(node.get("operator")).upper()
    _replace(node, "operator", operator if operator in _OPERATORS else None)
    for _, child in mappings(node.get("conditions")):
        _conditions(child)


def _replace(node: Any, key: str, value: str | None) -> None:
    if value:
        node[key] = value


def _retired(routing: dict[str, Any]) -> Iterator[Issue]:
    base = "spec.config.routing"
    for index, card in mappings(routing.get("modelCards")):
        yield from _without(card, "quality_score", f"{base}.modelCards[{index}]")
    for index, decision in mappings(routing.get("decisions")):
        path = f"{base}.decisions[{index}]"
        contract = mapping(decision.get("output_contract_spec"))
        yield from _without(contract, "on_violation", f"{path}.output_contract_spec")
        normalize = mapping(contract.get("normalize"))
        yield from _without(normalize, "field_order", f"{path}.output_contract_spec.normalize")
        yield from _plugins(decision, f"{path}.plugins")


def _without(node: Any, key: str, path: str) -> Iterator[Issue]:
    if key in node:
        del node[key]
        yield Issue("Deprecated", paths.child(path, key), _GONE, "warning")


def _plugins(decision: Any, path: str) -> Iterator[Issue]:
    retired = [i for i, x in mappings(decision.get("plugins")) if x.get("type") == _RETIRED_PLUGIN]
    for index in reversed(retired):
        del decision["plugins"][index]
        yield Issue("Deprecated", paths.item(path, index), _GONE, "warning")
