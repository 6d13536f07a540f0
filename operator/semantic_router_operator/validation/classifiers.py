"""Rules on signals.classifiers, and on conditions that ask one (canonical rules, G and H)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import each, mapping, sequence, text
from semantic_router_operator.validation.conditions import leaves_of
from semantic_router_operator.validation.subject import Found, Subject

_LOCAL_LABELS: Final = 2
_LOCAL_LOWEST: Final = 0.5
_ONLY: Final = {"local": ("model_path",), "llm": ("model", "instructions")}
"""Settings of each type; the other type can't have them."""
_ROLE: Final = "classification"


def odd_classifiers(subject: Subject) -> Iterator[Found]:
    """A classifier has the settings of its type, and no colon in a name or label.

    local: model_path and exactly two labels, and there is one local definition overall; llm: a
    model of global.model_catalog.external, and instructions.
    """
    local = 0
    for path, signal in subject.signal("classifiers"):
        kind = text(signal.get("type"))
        local += kind == "local"
        if kind == "local" and local > 1:
            yield Found(f"{path}.type", "is the second local one, and there can be only one")
        if kind in _ONLY:
            yield from _settings(signal, kind, path)
        for place, name in (*each(signal, "name", path), *each(signal, "labels[]", path)):
            if ":" in text(name):
                yield Found(place, "has a colon, which separates name and label; write another")


def _settings(signal: Mapping[str, Any], kind: str, path: str) -> Iterator[Found]:
    for owner, keys in _ONLY.items():
        for key in keys:
            if owner == kind and not signal.get(key):
                yield Found(f"{path}.{key}", f"is needed by a classifier of type {kind}; add it")
            if owner != kind and key in signal:
                yield Found(f"{path}.{key}", f"is only for type {owner}; remove it")
    labels = sequence(signal.get("labels"))
    if kind == "local" and labels and len(labels) != _LOCAL_LABELS:
        yield Found(f"{path}.labels", "must be exactly two for a classifier of type local")


def unusable_models(subject: Subject) -> Iterator[Found]:
    """The model of an llm classifier is an external one for classification, with its address."""
    external = [mapping(model) for _, model in subject.each("global.model_catalog.external[]")]
    known = {text(model.get("name")): model for model in external}
    for path, signal in subject.signal("classifiers"):
        name = text(signal.get("model"))
        if signal.get("type") == "llm" and name:
            message = _unusable(known.get(name), name)
            if message:
                yield Found(f"{path}.model", message)


def _unusable(model: Mapping[str, Any] | None, name: str) -> str | None:
    shown = paths.quoted(name)
    if model is None:
        return f"{shown} is no external model; add it to spec.config.external_models"
    if model.get("model_role") != _ROLE:
        return f"{shown} has not the role {_ROLE}; give it that, or name another model"
    endpoint = mapping(model.get("llm_endpoint"))
    missing = [key for key in ("address", "port") if not endpoint.get(key)]
    missing += [] if model.get("llm_model_name") else ["llm_model_name"]
    return f"{shown} has no {' and no '.join(missing)}; add it there" if missing else None


def odd_conditions(subject: Subject) -> Iterator[Found]:
    """A classifier condition has a label of the classifier and a predicate on its score.

    For a local classifier that is gte of at least 0.5. label and on_error are classifiers' alone.
    """
    declared = {text(signal.get("name")): signal for _, signal in subject.signal("classifiers")}
    for path, leaf in leaves_of(subject):
        if text(leaf.get("type")).lower() == "classifier":
            yield from _condition(leaf, path, declared.get(text(leaf.get("name")), {}))
            continue
        for key in ("label", "on_error"):
            if leaf.get(key):
                yield Found(f"{path}.{key}", "is only for conditions of type classifier; remove it")


def _condition(leaf: Mapping[str, Any], path: str, signal: Mapping[str, Any]) -> Iterator[Found]:
    for key in ("label", "predicate"):
        if not leaf.get(key):
            yield Found(f"{path}.{key}", "is needed by a classifier condition; add it")
    label, labels = text(leaf.get("label")), sequence(signal.get("labels"))
    if label and labels and label not in labels:
        yield Found(f"{path}.label", f"{paths.quoted(label)} is no label of that classifier")
    predicate = mapping(leaf.get("predicate"))
    if signal.get("type") == "local" and predicate and not _fits_local(predicate):
        yield Found(
            f"{path}.predicate", f"must be gte of at least {_LOCAL_LOWEST} for a local classifier"
        )


def _fits_local(predicate: Mapping[str, Any]) -> bool:
    bound = predicate.get("gte")
    return set(predicate) == {"gte"} and isinstance(bound, int | float) and bound >= _LOCAL_LOWEST
