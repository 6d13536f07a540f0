"""Rules on the condition trees of decisions: `decisions[].rules` (canonical rules, G)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import each, mapping, mappings, sequence, text
from semantic_router_operator.validation.subject import Found, Subject

_COLLECTIONS: Final[Mapping[str, str]] = {
    "authz": "role_bindings",
    "classifier": "classifiers",
    "complexity": "complexity",
    "context": "context",
    "conversation": "conversation",
    "domain": "domains",
    "embedding": "embeddings",
    "event": "events",
    "fact_check": "fact_check",
    "input_modality": "input_modality",
    "jailbreak": "jailbreak",
    "kb": "kb",
    "keyword": "keywords",
    "language": "language",
    "metadata": "metadata",
    "modality": "modality",
    "pii": "pii",
    "preference": "preferences",
    "reask": "reasks",
    "safety": "safety",
    "structure": "structure",
    "user_feedback": "user_feedbacks",
}
"""Type of a condition -> collection of signals that declares its name."""
_PROJECTION: Final = "projection"
_LEVELS: Final = ("easy", "medium", "hard")
_OPERATORS: Final = ("AND", "OR", "NOT")
_CLASSIFIER_ONLY: Final = ("label", "on_error")
Node = tuple[str, Mapping[str, Any]]


def unknown_types(subject: Subject) -> Iterator[Found]:
    """A condition has a type that the router knows."""
    for path, leaf in _leaves(subject):
        type_ = _type(leaf)
        if not type_:
            yield Found(path, "has neither type nor operator; add type and name")
        elif type_ not in _COLLECTIONS and type_ != _PROJECTION:
            known = ", ".join(sorted((*_COLLECTIONS, _PROJECTION)))
            yield Found(
                f"{path}.type", f"{paths.quoted(type_)} is no condition type; use one of {known}"
            )


def unknown_signals(subject: Subject) -> Iterator[Found]:
    """A condition names a signal that is declared.

    Without any `signals.domains` the router declares a domain itself. A complexity condition
    names `<signal>:<level>`, an authz condition a role binding or its role, a projection
    condition an output of a mapping.
    """
    for path, leaf in _leaves(subject):
        type_, name = _type(leaf), text(leaf.get("name"))
        if type_ not in _COLLECTIONS and type_ != _PROJECTION:
            continue
        if not name:
            yield Found(path, "has no name; add the name of a signal")
        elif not _declared(subject, type_, name):
            yield Found(f"{path}.name", _undeclared(type_, name))


def _declared(subject: Subject, type_: str, name: str) -> bool:
    match type_:
        case "projection":
            return name in _texts(subject.routing, "projections.mappings[].outputs[].name")
        case "domain" if not sequence(subject.signals.get("domains")):
            return True
        case "complexity":
            return name.rpartition(":")[0] in ("", *_texts(subject.signals, "complexity[].name"))
        case "authz":
            roles = _texts(subject.signals, "role_bindings[].role")
            return name in roles | _texts(subject.signals, "role_bindings[].name")
        case _:
            return name in _texts(subject.signals, f"{_COLLECTIONS[type_]}[].name")


def _undeclared(type_: str, name: str) -> str:
    where = "projections.mappings[].outputs"
    if type_ != _PROJECTION:
        where = f"signals.{_COLLECTIONS[type_]}"
    return f"{paths.quoted(name)} is not declared; add it to routing.{where}, or correct the name"


def _texts(value: object, pattern: str) -> frozenset[str]:
    return frozenset(text(found) for _, found in each(value, pattern))


def odd_complexity(subject: Subject) -> Iterator[Found]:
    """A complexity condition says which level."""
    for path, leaf in _leaves(subject):
        name = text(leaf.get("name"))
        signal, _, level = name.rpartition(":")
        if _type(leaf) == "complexity" and name and (not signal or level not in _LEVELS):
            yield Found(
                f"{path}.name", f"must be <signal>:<level> with a level of {', '.join(_LEVELS)}"
            )


def odd_classifiers(subject: Subject) -> Iterator[Found]:
    """A classifier condition has label and predicate; label and on_error are its alone."""
    for path, leaf in _leaves(subject):
        if _type(leaf) == "classifier":
            for key in ("label", "predicate"):
                if not leaf.get(key):
                    yield Found(path, f"has no {key}, which a classifier condition needs; add it")
        else:
            for key in _CLASSIFIER_ONLY:
                if leaf.get(key):
                    yield Found(
                        f"{path}.{key}", "is only for conditions of type classifier; remove it"
                    )


def never_matching(subject: Subject) -> Iterator[Found]:
    """Trees that the router takes and that match no request."""
    for path, node in _nodes(subject):
        children = len(sequence(node.get("conditions")))
        operator = text(node.get("operator")).upper()
        if operator == "OR" and not children:
            yield Found(path, "OR without conditions matches no request; add a condition")
        if operator == "NOT" and children != 1:
            yield Found(
                path, "NOT matches no request unless it has exactly one condition; nest the rest"
            )


def unknown_operators(subject: Subject) -> Iterator[Found]:
    """The router takes an operator that it doesn't know for OR."""
    for path, node in _nodes(subject):
        operator = text(node.get("operator")).upper()
        if not _is_leaf(node) and operator not in _OPERATORS:
            yield Found(
                f"{path}.operator", "is not AND, OR or NOT, and works as OR; write one of them"
            )


def _type(leaf: Mapping[str, Any]) -> str:
    return text(leaf.get("type")).lower()


def _is_leaf(node: Mapping[str, Any]) -> bool:
    return bool(node.get("type")) or ("operator" not in node and "conditions" not in node)


def _leaves(subject: Subject) -> Iterator[Node]:
    return ((path, node) for path, node in _nodes(subject) if _is_leaf(node))


def _nodes(subject: Subject) -> Iterator[Node]:
    """Every node of every tree. An empty `rules` is as none: it matches every request."""
    for path, decision in subject.decisions:
        rules = mapping(decision.get("rules"))
        if rules:
            yield from _below(rules, f"{path}.rules")


def _below(node: Mapping[str, Any], path: str) -> Iterator[Node]:
    yield path, node
    for index, child in mappings(node.get("conditions")):
        yield from _below(child, f"{path}.conditions[{index}]")
