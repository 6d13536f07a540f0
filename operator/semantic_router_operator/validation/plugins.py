"""Rules on decisions[].plugins (canonical rules, G.2). Aliases are translated before."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import mapping, mappings, text
from semantic_router_operator.validation.subject import Found, Subject

_RAG_NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "milvus": ("collection",),
    "qdrant": ("collection",),
    "external_api": ("endpoint", "request_format"),
    "mcp": ("server_name", "tool_name"),
    "openai": ("vector_store_id", "api_key"),
    "hybrid": ("primary",),
}
"""What backend_config of a rag plugin must have, by backend."""
_LISTS: Final = ("allow_tools", "block_tools")
_UNBOUND: Final = (("tool_selection", "advanced_filtering"), ("memory", "reflection"))
"""Blocks whose keys the router's plugin decoder doesn't bind."""


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


def odd_settings(subject: Subject) -> Iterator[Found]:
    """A plugin's settings are complete and fit each other."""
    for path, plugin in _plugins(subject):
        check = _CHECKS.get(text(plugin.get("type")))
        if check is not None:
            yield from check(mapping(plugin.get("configuration")), f"{path}.configuration")


def ineffective(subject: Subject) -> Iterator[Found]:
    """Settings that the router loads and never reads."""
    for path, plugin in _plugins(subject):
        for type_, key in _UNBOUND:
            block = mapping(mapping(plugin.get("configuration")).get(key))
            if plugin.get("type") == type_ and block.keys() - {"enabled"}:
                yield Found(
                    f"{path}.configuration.{key}",
                    "has no effect here in today's router; set it in the router's global settings",
                )


def _rag(settings: Mapping[str, Any], path: str) -> Iterator[Found]:
    if settings.get("enabled") is not True:
        return
    backend = text(settings.get("backend"))
    if not backend:
        yield Found(f"{path}.backend", "is needed by an enabled rag plugin; add it")
    given = mapping(settings.get("backend_config"))
    for key in _RAG_NEEDS.get(backend, ()):
        if not given.get(key):
            yield Found(f"{path}.backend_config.{key}", f"is needed by backend {backend}; add it")


def _tools(settings: Mapping[str, Any], path: str) -> Iterator[Found]:
    mode = settings.get("mode", "passthrough")
    lists = [key for key in _LISTS if settings.get(key)]
    if mode == "filtered" and not lists:
        yield Found(f"{path}.mode", "filtered needs allow_tools or block_tools; add one")
    if mode != "filtered":
        for key in lists:
            yield Found(f"{path}.{key}", "is only for mode filtered; set that, or remove it")
    if settings.get("strip_tool_history") is True and mode != "none":
        yield Found(f"{path}.strip_tool_history", "is only for mode none; remove it")


_CHECKS: Final[Mapping[str, Callable[[Mapping[str, Any], str], Iterator[Found]]]] = {
    "rag": _rag,
    "tools": _tools,
}


def _plugins(subject: Subject) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, decision in subject.decisions:
        for index, plugin in mappings(decision.get("plugins")):
            yield f"{path}.plugins[{index}]", plugin
