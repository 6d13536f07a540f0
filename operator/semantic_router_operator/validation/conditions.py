"""Rules on the condition trees of decisions: `decisions[].rules` (canonical rules, G)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import sequence, text
from semantic_router_operator.validation.subject import Found, Node, Subject

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
_OUTPUTS: Final = "routing.projections.mappings[].outputs[].name"


def typeless(subject: Subject) -> Iterator[Found]:
    """A condition is a leaf with a type, or has an operator."""
    for path, leaf in leaves_of(subject):
        if "type" not in leaf and leaf:
            yield Found(path, "has neither type nor operator; add type and name")


def unknown_signals(subject: Subject) -> Iterator[Found]:
    """A condition names a signal that is declared.

    Without any `signals.domains` the router declares a domain itself. A complexity condition
    names `<signal>:<level>`, an authz condition a role binding or its role, a projection
    condition an output of a mapping.
    """
    for path, leaf in leaves_of(subject):
        type_, name = _type(leaf), text(leaf.get("name"))
        if type_ not in _COLLECTIONS and type_ != _PROJECTION:
            continue
        if not name:
            yield Found(path, "has no name; add the name of a signal")
        elif not declares(subject, type_, name):
            yield Found(f"{path}.name", _undeclared(type_, name))


def declares(subject: Subject, type_: str, name: str) -> bool:
    """Whether something of that condition type has that name."""
    names = subject.signal_names
    match type_:
        case "projection":
            return name in subject.known(_OUTPUTS)
        case "domain" if not sequence(subject.signals.get("domains")):
            return True
        case "complexity":
            signal = name.rpartition(":")[0]
            return not signal or signal in names.get("complexity", ())
        case "authz":
            roles = subject.known("routing.signals.role_bindings[].role")
            return name in roles or name in names.get("role_bindings", ())
        case _:
            return name in names.get(_COLLECTIONS.get(type_, ""), ())


def _undeclared(type_: str, name: str) -> str:
    where = "projections.mappings[].outputs"
    if type_ != _PROJECTION:
        where = f"signals.{_COLLECTIONS[type_]}"
    return f"{paths.quoted(name)} is not declared; add it to routing.{where}, or correct the name"


def odd_complexity(subject: Subject) -> Iterator[Found]:
    """A complexity condition says which level."""
    for path, leaf in leaves_of(subject):
        name = text(leaf.get("name"))
        signal, _, level = name.rpartition(":")
        if _type(leaf) == "complexity" and name and (not signal or level not in _LEVELS):
            yield Found(
                f"{path}.name", f"must be <signal>:<level> with a level of {', '.join(_LEVELS)}"
            )


def never_matching(subject: Subject) -> Iterator[Found]:
    """Trees that the router takes and that match no request."""
    for path, node in subject.nodes:
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
    for path, node in subject.nodes:
        operator = text(node.get("operator")).upper()
        if not _is_leaf(node) and operator not in _OPERATORS:
            yield Found(
                f"{path}.operator", "is not AND, OR or NOT, and works as OR; write one of them"
            )


def _type(leaf: Mapping[str, Any]) -> str:
    return text(leaf.get("type")).lower()


def _is_leaf(node: Mapping[str, Any]) -> bool:
    return bool(node.get("type")) or ("operator" not in node and "conditions" not in node)


def leaves_of(subject: Subject) -> Iterator[Node]:
    """Every condition of every decision that isn't a tree of others: (path, condition)."""
    return ((path, node) for path, node in subject.nodes if _is_leaf(node))
