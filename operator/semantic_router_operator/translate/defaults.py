"""The default model: which model answers when no decision matches."""

from collections.abc import Iterator
from dataclasses import dataclass

from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.resolution import Resolved
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.routing_block import mapping, text
from semantic_router_operator.translate.entries import Entry, ModelEntries, Models, outages

WAITING = "WaitingForBackends"
IN_ROUTING = "default_model"
"""Key of spec.config.routing that states the default; it isn't part of the router's routing."""
_ROUTING_PATH = "spec.config.routing.default_model"
_SPEC_PATH = "spec.defaultModel"


@dataclass(frozen=True, slots=True)
class Default:
    """The default model, a model or a LoRA adapter, and the path that states it."""

    name: str | None
    origin: str = "spec.vllmEndpoints"
    issues: tuple[Issue, ...] = ()


def default_model(router: SemanticRouter, models: Models, previous: str | None) -> Default:
    """What the CR states, else the first entry with a backend, in the order written.

    The default before stays while its model is only temporarily unresolved, so that a pod that
    restarts doesn't move traffic (contract: backends, rules for all kinds). A declared address
    counts only when no model has anything better. A default that would be left with nothing is a
    WaitingForBackends error; one that names no entry at all is left for validation.
    """
    routing = text(mapping(router.spec.config.routing).get(IN_ROUTING))
    stated = router.spec.default_model
    if routing and stated and routing != stated:
        text_ = f"differs from {_SPEC_PATH}; keep one of them"
        return Default(stated, _SPEC_PATH, (Issue("InvalidConfig", _ROUTING_PATH, text_),))
    if stated or routing:
        return _stated(stated or routing, _SPEC_PATH if stated else _ROUTING_PATH, models)
    before = models.get(previous or "")
    if before is not None and _stays(before):
        return _of(before, before.entries[0])
    return _first(models, before)


def _stated(name: str, path: str, models: Models) -> Default:
    outage = outages(models).get(name)
    if outage is None:
        return Default(name, path)
    text_ = f"{paths.quoted(name)} can't be the default now: {outage}; {ADVICE}"
    return Default(name, path, (Issue(WAITING, path, text_),))


ADVICE = "make one of its backends available, or name another model"


def _stays(model: ModelEntries) -> bool:
    found = any(isinstance(entry.resolution, Resolved) for entry in model.active)
    return not found and any(entry.temporary for entry in model.active)


def _of(model: ModelEntries, entry: Entry) -> Default:
    origin = f"{entry.path}.model"
    if model.serving:
        return Default(model.name, origin)
    text_ = f"{model.outage} and is the default model; {ADVICE} in {_SPEC_PATH}"
    return Default(model.name, origin, (Issue(WAITING, origin, text_),))


def _first(models: Models, before: ModelEntries | None) -> Default:
    written = sorted(_active(models), key=lambda pair: pair[1].index)
    for model, entry in written:
        if entry.targets:
            return _of(model, entry)
    for model, entry in written:
        if entry.declared:
            return _of(model, entry)
    return Default(None) if before is None else _of(before, before.entries[0])


def _active(models: Models) -> Iterator[tuple[ModelEntries, Entry]]:
    for model in models.values():
        for entry in model.active:
            yield model, entry
