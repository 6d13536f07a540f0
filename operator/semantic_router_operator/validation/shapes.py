"""Rules on the shape of the routing block, which reaches us unchecked.

The other rules read what has the right shape and pass over the rest.
"""

from collections.abc import Iterator
from typing import Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import (
    NEWER_TOP_LEVEL,
    TOP_LEVEL,
    mapping,
    sequence,
)
from semantic_router_operator.validation.signals import COLLECTIONS
from semantic_router_operator.validation.subject import Found, Subject

_TYPES: Final = {"list": list, "object": dict, "text": str, "true or false": bool}
_SHAPES: Final = (
    ("signals", "object"),
    *((f"signals.{name}", "list") for name in COLLECTIONS),
    *((f"signals.{name}[]", "object") for name in COLLECTIONS),
    *((f"signals.{name}[].name", "text") for name in COLLECTIONS),
    ("projections", "object"),
    ("projections.mappings", "list"),
    ("projections.mappings[]", "object"),
    ("projections.mappings[].outputs", "list"),
    ("projections.mappings[].outputs[]", "object"),
    ("modelCards", "list"),
    ("modelCards[]", "object"),
    ("modelCards[].name", "text"),
    ("modelCards[].loras", "list"),
    ("modelCards[].loras[]", "object"),
    ("modelCards[].loras[].name", "text"),
    ("decisions", "list"),
    ("decisions[]", "object"),
    ("decisions[].name", "text"),
    ("decisions[].description", "text"),
    ("decisions[].rules", "object"),
    ("decisions[].modelRefs", "list"),
    ("decisions[].modelRefs[]", "object"),
    ("decisions[].modelRefs[].model", "text"),
    ("decisions[].modelRefs[].lora_name", "text"),
    ("decisions[].modelRefs[].use_reasoning", "true or false"),
    ("decisions[].algorithm", "object"),
    ("decisions[].algorithm.type", "text"),
    ("decisions[].plugins", "list"),
    ("decisions[].plugins[]", "object"),
    ("decisions[].plugins[].type", "text"),
    ("decisions[].plugins[].configuration", "object"),
    ("decisions[].annotations", "object"),
    ("strategy", "text"),
)
_REJECTED: Final = (
    ("models", "write spec.vllmEndpoints and routing.modelCards instead"),
    ("signals.category_kb", "it was removed from the router; use signals.kb"),
    ("signals.taxonomy", "it was removed from the router; use signals.kb"),
    ("signals.structure[].feature.normalize_by", "it was removed from the router"),
    ("decisions[].modelSelectionAlgorithm", "write algorithm instead"),
    ("decisions[].tool_scope", "it was removed from the router; use the plugin tools"),
    ("decisions[].allow_tools", "it was removed from the router; use the plugin tools"),
    ("decisions[].block_tools", "it was removed from the router; use the plugin tools"),
)
"""Keys for which the loader refuses the whole document (canonical rules, B)."""


def wrong_types(subject: Subject) -> Iterator[Found]:
    """Lists, objects and texts where the router's typed reader wants them."""
    for pattern, wanted in _SHAPES:
        for path, value in subject.each(f"routing.{pattern}"):
            if not isinstance(value, _TYPES[wanted]):
                article = "" if wanted in ("text", "true or false") else "a "
                yield Found(path, f"is not {article}{wanted}; the router can't read it otherwise")
    for path, decision in subject.decisions:
        yield from _tree(decision.get("rules"), f"{path}.rules")


def _tree(node: object, path: str) -> Iterator[Found]:
    for key in ("type", "name", "operator"):
        value = mapping(node).get(key, "")
        if not isinstance(value, str):
            yield Found(f"{path}.{key}", "is not text; write it in quotes")
    children = mapping(node).get("conditions", [])
    if not isinstance(children, list):
        yield Found(f"{path}.conditions", "is not a list; the router can't read it otherwise")
    for index, child in enumerate(sequence(children)):
        place = f"{path}.conditions[{index}]"
        if not isinstance(child, dict):
            yield Found(place, "is not an object; write type and name")
        yield from _tree(child, place)


def rejected_keys(subject: Subject) -> Iterator[Found]:
    """Keys that the router once had and now refuses."""
    for pattern, advice in _REJECTED:
        for path, _ in subject.each(f"routing.{pattern}"):
            yield Found(path, f"the router refuses this key: {advice}")


def unknown_keys(subject: Subject) -> Iterator[Found]:
    """Keys that we don't know are passed on, not silently (field case SR-12)."""
    text = "is passed on, but not known here; a router that doesn't know it either refuses it"
    for key in subject.routing:
        if key not in (*TOP_LEVEL, *NEWER_TOP_LEVEL, "models"):
            yield Found(paths.child("routing", key), text)
    for key in subject.signals:
        if key not in (*COLLECTIONS, "category_kb", "taxonomy"):
            yield Found(paths.child("routing.signals", key), text)
