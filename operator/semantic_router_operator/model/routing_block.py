"""Reading spec.config.routing, which nobody has checked: any part may be missing or of any shape.

What doesn't have the wanted shape reads as empty. The rules in validation/ report it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from semantic_router_operator.model import paths

TOP_LEVEL: Final = ("modelCards", "signals", "projections", "decisions", "strategy")
"""Keys of `routing` in the order in which a person reads them; both dialects know them."""
NEWER_TOP_LEVEL: Final = ("candidate_requirements", "data_policy", "fallback", "model_bindings")
"""Further keys that today's router knows."""

PLUGIN_ALIASES: Final[Mapping[str, str]] = {
    "semantic-cache": "response_cache",
    "semantic_cache": "response_cache",
    "response-cache": "response_cache",
}
"""Other spellings of plugin types that the router's loader understands (canonical rules, A.3)."""

_ALGORITHM_MODELS: Final = (
    "prompt.model",
    "remom.synthesis_model",
    "fusion.model",
    "fusion.analysis_models[]",
    "fusion.analysis_overrides[].model",
    "workflows.roles[].models[]",
    "workflows.final.model",
    "workflows.planner.model",
)
"""Fields of `decisions[].algorithm` that name a model (canonical field table)."""


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is a map."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> Sequence[Any]:
    """The value if it is a list."""
    return value if isinstance(value, list) else ()


def mappings(value: object) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The maps in a list, each with its index."""
    return ((index, x) for index, x in enumerate(sequence(value)) if isinstance(x, dict))


def text(value: object) -> str:
    """The value if it is text."""
    return value if isinstance(value, str) else ""


def algorithm_models(algorithm: object) -> Iterator[tuple[str, str]]:
    """The models that an algorithm names: (path below the algorithm, name)."""
    for pattern in _ALGORITHM_MODELS:
        yield from ((path, text(name)) for path, name in each(algorithm, pattern) if text(name))


def each(value: object, pattern: str, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value at a path such as `decisions[].modelRefs[].model`: (its path, the value).

    A part that is absent or has another shape gives none. `path` is put in front.
    """
    steps = pattern.replace("[]", ".[]").split(".")
    yield from _follow(value, steps, path)


def _follow(value: object, steps: Sequence[str], path: str) -> Iterator[tuple[str, Any]]:
    if not steps:
        yield path, value
    elif steps[0] == "[]":
        for index, member in enumerate(sequence(value)):
            yield from _follow(member, steps[1:], paths.item(path, index))
    elif steps[0] in mapping(value):
        yield from _follow(mapping(value)[steps[0]], steps[1:], paths.child(path, steps[0]))
