"""Rules on decisions[].plugins (canonical rules, G.2). Aliases are translated before."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import mapping, mappings, text
from semantic_router_operator.validation.subject import Found, Subject

_TYPES: Final = (
    "context_compression",
    "fast_response",
    "hallucination",
    "header_mutation",
    "memory",
    "rag",
    "request_params",
    "response_cache",
    "response_jailbreak",
    "router_replay",
    "shadow_dispatch",
    "system_prompt",
    "tool_selection",
    "tools",
)
_REQUIRED: Final = (("fast_response", "message"),)
"""Fields without which the loader refuses the plugin."""


def unknown_types(subject: Subject) -> Iterator[Found]:
    """A plugin has a type that the router knows."""
    for path, plugin in _plugins(subject):
        type_ = text(plugin.get("type"))
        if type_ not in _TYPES:
            known = ", ".join(_TYPES)
            yield Found(f"{path}.type", f"{paths.quoted(type_)} is no plugin; use one of {known}")


def duplicates(subject: Subject) -> Iterator[Found]:
    """A decision has a type of plugin once; semantic-cache and response_cache are the same."""
    for path, decision in subject.decisions:
        seen: set[str] = set()
        for index, plugin in mappings(decision.get("plugins")):
            type_ = text(plugin.get("type"))
            if type_ and type_ in seen:
                place = f"{path}.plugins[{index}].type"
                yield Found(place, f"{paths.quoted(type_)} is there twice; merge the two")
            seen.add(type_)


def incomplete(subject: Subject) -> Iterator[Found]:
    """`configuration` is there, empty if need be, with what the type requires."""
    for path, plugin in _plugins(subject):
        if "configuration" not in plugin:
            yield Found(
                f"{path}.configuration", "is missing; add it, {} if there is nothing to set"
            )
            continue
        settings = mapping(plugin["configuration"])
        for type_, key in _REQUIRED:
            if plugin.get("type") == type_ and not text(settings.get(key)):
                yield Found(f"{path}.configuration.{key}", f"is needed by plugin {type_}; add it")


def _plugins(subject: Subject) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, decision in subject.decisions:
        for index, plugin in mappings(decision.get("plugins")):
            yield f"{path}.plugins[{index}]", plugin
