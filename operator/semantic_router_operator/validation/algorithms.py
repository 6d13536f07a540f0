"""Rules on decisions[].algorithm (canonical rules, G.1)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import each, mapping, sequence, text
from semantic_router_operator.validation.subject import Found, Subject

_TYPES: Final = (
    "static",
    "knn",
    "kmeans",
    "svm",
    "mlp",
    "router_dc",
    "automix",
    "hybrid",
    "latency_aware",
    "multi_factor",
    "prompt",
    "confidence",
    "ratings",
    "remom",
    "fusion",
    "workflows",
)
_PROMPT_CANDIDATES: Final = 2


def without_type(subject: Subject) -> Iterator[Found]:
    """An algorithm has a type."""
    for path, _, algorithm in _algorithms(subject):
        if not text(algorithm.get("type")):
            yield Found(path, f"has no type; add one of {', '.join(_TYPES)}")


def unknown_types(subject: Subject) -> Iterator[Found]:
    """The type is one that the router knows, in lower case."""
    for path, _, algorithm in _algorithms(subject):
        type_ = text(algorithm.get("type"))
        if type_ and type_ not in _TYPES:
            known = ", ".join(_TYPES)
            yield Found(
                f"{path}.type", f"{paths.quoted(type_)} is no algorithm; use one of {known}"
            )


def mismatches(subject: Subject) -> Iterator[Found]:
    """There is at most one block of settings, and it is the type's."""
    for path, _, algorithm in _algorithms(subject):
        type_ = text(algorithm.get("type"))
        for block in sorted(set(algorithm) & set(_TYPES)):
            if type_ and block != type_:
                yield Found(f"{path}.{block}", f"doesn't belong to type {type_}; remove it")


def incomplete(subject: Subject) -> Iterator[Found]:
    """Types that can't do without certain settings."""
    for path, decision, algorithm in _algorithms(subject):
        type_ = text(algorithm.get("type"))
        check = _NEEDS.get(type_)
        if check is not None:
            yield from check(decision, mapping(algorithm.get(type_)), f"{path}.{type_}")


def _latency_aware(_: Mapping[str, Any], block: Mapping[str, Any], path: str) -> Iterator[Found]:
    if not block.get("tpot_percentile") and not block.get("ttft_percentile"):
        yield Found(path, "needs tpot_percentile or ttft_percentile; add one, from 1 to 100")


def _prompt(decision: Mapping[str, Any], block: Mapping[str, Any], path: str) -> Iterator[Found]:
    for key in ("model", "instructions"):
        if not text(block.get(key)):
            yield Found(path, f"needs {key}; add it")
    candidates = {text(model) for _, model in each(decision, "modelRefs[].model")}
    if len(candidates) < _PROMPT_CANDIDATES:
        place = path.removesuffix(".algorithm.prompt")
        yield Found(f"{place}.modelRefs", "type prompt chooses between models; name at least two")


def _remom(decision: Mapping[str, Any], block: Mapping[str, Any], path: str) -> Iterator[Found]:
    if not block:
        return
    if not sequence(block.get("breadth_schedule")):
        yield Found(f"{path}.breadth_schedule", "is needed; add a list of numbers, such as [3, 1]")
    model = text(block.get("synthesis_model"))
    if model and model not in {text(name) for _, name in each(decision, "modelRefs[].model")}:
        yield Found(
            f"{path}.synthesis_model", "must be one of the decision's modelRefs; add it there"
        )


def _workflows(_: Mapping[str, Any], block: Mapping[str, Any], path: str) -> Iterator[Found]:
    mode = text(block.get("mode"))
    if mode == "static" and not sequence(block.get("roles")):
        yield Found(f"{path}.roles", "is needed in mode static; add a role")
    if mode == "dynamic" and not text(mapping(block.get("planner")).get("model")):
        yield Found(f"{path}.planner.model", "is needed in mode dynamic; add a model")
    if mode == "dynamic" and sequence(block.get("roles")):
        yield Found(f"{path}.roles", "has no place in mode dynamic; remove it")


_Check = Callable[[Mapping[str, Any], Mapping[str, Any], str], Iterator[Found]]
_NEEDS: Final[Mapping[str, _Check]] = {
    "latency_aware": _latency_aware,
    "prompt": _prompt,
    "remom": _remom,
    "workflows": _workflows,
}


def _algorithms(
    subject: Subject,
) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    for path, decision in subject.decisions:
        if isinstance(decision.get("algorithm"), dict):
            yield f"{path}.algorithm", decision, mapping(decision["algorithm"])
