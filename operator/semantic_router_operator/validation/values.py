"""Rules on single values: ranges and closed lists, as two tables (canonical rules, G and H)."""

from collections.abc import Iterator
from typing import Final

from semantic_router_operator.validation.subject import Found, Subject

_INFINITE: Final = float("inf")
_ALGORITHM: Final = "decisions[].algorithm"
_RANGES: Final = (
    ("signals.reasks[].threshold", 0, 1),
    ("signals.reasks[].lookback_turns", 0, _INFINITE),
    ("signals.language[].threshold", 0, 1),
    ("decisions[].tier", 0, _INFINITE),
    (f"{_ALGORITHM}.confidence.threshold", 0, 1),
    (f"{_ALGORITHM}.confidence.cost_quality_tradeoff", 0, 1),
    (f"{_ALGORITHM}.latency_aware.tpot_percentile", 1, 100),
    (f"{_ALGORITHM}.latency_aware.ttft_percentile", 1, 100),
    (f"{_ALGORITHM}.remom.breadth_schedule[]", 1, _INFINITE),
    (f"{_ALGORITHM}.fusion.grounding.min_score", 0, 1),
    ("decisions[].plugins[].configuration.similarity_threshold", 0, 1),
    ("decisions[].emits[].retention.ttl_turns", 0, _INFINITE),
)
_MMLU: Final = (
    "biology",
    "business",
    "chemistry",
    "computer science",
    "economics",
    "engineering",
    "health",
    "history",
    "law",
    "math",
    "other",
    "philosophy",
    "physics",
    "psychology",
)
_MODES: Final = ("apply", "observe", "bypass")
_LISTS: Final = (
    ("strategy", ("", "priority", "confidence")),
    ("signals.keywords[].operator", ("AND", "OR", "NOR")),
    ("signals.keywords[].method", ("regex", "bm25", "ngram")),
    ("signals.domains[].mmlu_categories[]", _MMLU),
    ("signals.modality[].name", ("AR", "DIFFUSION", "BOTH")),
    ("signals.embeddings[].query_modality", ("text", "image")),
    ("signals.structure[].feature.type", ("exists", "count", "density", "sequence")),
    ("signals.conversation[].feature.type", ("exists", "count")),
    ("signals.classifiers[].type", ("local", "llm")),
    ("signals.kb[].target.kind", ("label", "group")),
    ("signals.kb[].match", ("best", "threshold")),
    ("projections.partitions[].semantics", ("exclusive", "softmax_exclusive")),
    ("projections.scores[].method", ("weighted_sum",)),
    ("projections.mappings[].method", ("threshold_bands", "multi_emit")),
    ("decisions[].adaptations.mode", _MODES),
    ("decisions[].adaptations.adaptation.mode", _MODES),
    ("decisions[].adaptations.protection.mode", _MODES),
    ("decisions[].emits[].kind", ("retention",)),
    (
        "decisions[].output_contract_spec.type",
        ("choice", "structured_json", "reference_selection"),
    ),
)


def out_of_range(subject: Subject) -> Iterator[Found]:
    """Numbers are numbers, and in their range."""
    for pattern, low, high in _RANGES:
        for path, value in subject.each(f"routing.{pattern}"):
            wanted = f"from {low} to {high}" if high != _INFINITE else f"of at least {low}"
            if isinstance(value, bool) or not isinstance(value, int | float):
                yield Found(path, f"is not a number; write one {wanted}, without quotes")
            elif not low <= value <= high:
                yield Found(path, f"is out of range; write a number {wanted}")


def unknown_values(subject: Subject) -> Iterator[Found]:
    """Words are one of those that the router knows."""
    for pattern, known in _LISTS:
        for path, value in subject.each(f"routing.{pattern}"):
            if value not in known:
                choice = ", ".join(word for word in known if word)
                yield Found(path, f"is not a value that the router knows; write one of {choice}")
