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
    sequence,
    text,
)
from semantic_router_operator.translate.blocks import deprecated

_OPERATORS: Final = ("AND", "OR", "NOT")
_RETIRED_PLUGIN: Final = "image_gen"
_GONE: Final = "is not known to today's router and left out; remove it"


def respelled(routing: dict[str, Any], origins: dict[str, str]) -> tuple[Issue, ...]:
    """Changes a fresh copy of the routing block in place and says what was left out of it.

    `origins` learns where plugins have moved that come after one that is left out.
    """
    for _, rule in mappings(mapping(routing.get("signals")).get("complexity")):
        _conditions(rule.get("composer"))
    for _, decision in mappings(routing.get("decisions")):
        _conditions(decision.get("rules"))
        for _, plugin in mappings(decision.get("plugins")):
            _replace(plugin, "type", PLUGIN_ALIASES.get(text(plugin.get("type"))))
    return tuple(_retired(routing, origins))


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


def _retired(routing: dict[str, Any], origins: dict[str, str]) -> Iterator[Issue]:
    gone = []
    for index, card in mappings(routing.get("modelCards")):
        gone += _without(card, "quality_score", f"routing.modelCards[{index}]")
    for index, decision in mappings(routing.get("decisions")):
        path = f"routing.decisions[{index}]"
        contract = mapping(decision.get("output_contract_spec"))
        gone += _without(contract, "on_violation", f"{path}.output_contract_spec")
        normalize = mapping(contract.get("normalize"))
        gone += _without(normalize, "field_order", f"{path}.output_contract_spec.normalize")
    yield from (deprecated(paths.trace(origins, path), _GONE) for path in gone)
    for index, decision in mappings(routing.get("decisions")):
        yield from _plugins(decision, f"routing.decisions[{index}].plugins", origins)


def _without(node: Any, key: str, path: str) -> list[str]:
    if key not in node:
        return []
    del node[key]
    return [paths.child(path, key)]


def _plugins(decision: Any, path: str, origins: dict[str, str]) -> Iterator[Issue]:
    plugins = sequence(decision.get("plugins"))
    kept = [i for i, x in enumerate(plugins) if mapping(x).get("type") != _RETIRED_PLUGIN]
    if len(kept) == len(plugins):
        return
    came_from = [paths.trace(origins, paths.item(path, index)) for index in range(len(plugins))]
    for index in range(len(plugins)):
        if index not in kept:
            yield deprecated(came_from[index], _GONE)
    decision["plugins"] = [plugins[index] for index in kept]
    origins |= {paths.item(path, new): came_from[old] for new, old in enumerate(kept)}
