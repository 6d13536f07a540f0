"""Rules on routing.projections (canonical rules, H)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import each, mapping, mappings, sequence, text
from semantic_router_operator.validation.conditions import declares
from semantic_router_operator.validation.subject import Found, Subject

_BASE: Final = "routing.projections"
_BOUNDS: Final = ("lt", "lte", "gt", "gte")
_MULTI_EMIT_OUTPUTS: Final = 2
_PROJECTION_SOURCES: Final = ("score", "confidence")


def odd_partitions(subject: Subject) -> Iterator[Found]:
    """Members of a partition are all domains or all embeddings; the default is one of them."""
    for path, partition in _all(subject, "partitions"):
        members = [text(member) for member in sequence(partition.get("members"))]
        kinds = (subject.signal_names.get(kind, frozenset()) for kind in ("domains", "embeddings"))
        if members and not any(set(members) <= names for names in kinds):
            yield Found(f"{path}.members", "must be all domain signals or all embedding signals")
        if "default" in partition and partition["default"] not in members:
            yield Found(f"{path}.default", "is not one of the members; name one of them")
        soft = partition.get("semantics") == "softmax_exclusive"
        if soft and "temperature" not in partition:
            yield Found(f"{path}.temperature", "is needed by softmax_exclusive; add one above 0")


def odd_scores(subject: Subject) -> Iterator[Found]:
    """Inputs of a score are declared, and no score depends on itself."""
    scores = {text(score.get("name")): score for _, score in _all(subject, "scores")}
    outputs, edges = _outputs(subject), _edges(subject)
    for path, score in _all(subject, "scores"):
        for index, given in mappings(score.get("inputs")):
            message = _input_problem(subject, given, scores.keys() | outputs)
            if message:
                yield Found(f"{path}.inputs[{index}].name", message)
        name = text(score.get("name"))
        if name in _reached(name, edges):
            yield Found(f"{path}.inputs", "leads back to this score; break the circle")


def _input_problem(
    subject: Subject, given: Mapping[str, Any], projections: frozenset[str] | set[str]
) -> str | None:
    kind, name = text(given.get("type")).lower(), text(given.get("name"))
    if not kind or kind == "kb_metric":
        return None
    known = name in projections if kind == "projection" else declares(subject, kind, name)
    if known:
        return None
    return f"{paths.quoted(name)} is not declared; add the {kind}, or correct the name"


def _reached(start: str, edges: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Scores that a score's inputs lead to, through mappings as well."""
    reached: set[str] = set()
    waiting = list(edges.get(start, ()))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += edges.get(name, ())
    return reached


def _edges(subject: Subject) -> Mapping[str, tuple[str, ...]]:
    sources = {
        text(name): text(found.get("source"))
        for _, found in _all(subject, "mappings")
        for _, name in each(found, "outputs[].name")
    }
    return {
        text(score.get("name")): tuple(
            sources.get(text(given.get("name")), text(given.get("name")))
            for _, given in mappings(score.get("inputs"))
            if given.get("type") == "projection"
        )
        for _, score in _all(subject, "scores")
    }


def odd_value_sources(subject: Subject) -> Iterator[Found]:
    """What an input gives fits its type: a projection score or confidence, a kb_metric score."""
    allowed = {"projection": _PROJECTION_SOURCES, "kb_metric": ("score",)}
    for path, given in subject.each(f"{_BASE}.scores[].inputs[]"):
        kind, source = text(mapping(given).get("type")), mapping(given).get("value_source")
        words = allowed.get(kind, ("binary", "confidence", "raw"))
        if source is not None and kind and source not in words:
            yield Found(f"{path}.value_source", f"must be one of {', '.join(words)} for {kind}")


def odd_mappings(subject: Subject) -> Iterator[Found]:
    """A mapping has a declared score as source, and outputs with a bound each, named once."""
    scores = {text(score.get("name")) for _, score in _all(subject, "scores")}
    seen: set[str] = set()
    for path, found in _all(subject, "mappings"):
        source, outputs = text(found.get("source")), sequence(found.get("outputs"))
        if source and source not in scores:
            yield Found(f"{path}.source", f"{paths.quoted(source)} is no score; declare it")
        if found.get("method") == "multi_emit" and len(outputs) < _MULTI_EMIT_OUTPUTS:
            yield Found(f"{path}.outputs", "must be at least two for multi_emit; add one")
        for index, output in mappings(outputs):
            place, name = f"{path}.outputs[{index}]", text(output.get("name"))
            if not any(bound in output for bound in _BOUNDS):
                yield Found(place, f"has no bound; add one of {', '.join(_BOUNDS)}")
            if name and name in seen:
                yield Found(f"{place}.name", f"{paths.quoted(name)} is there twice; rename one")
            seen.add(name)


def _outputs(subject: Subject) -> frozenset[str]:
    return frozenset(subject.texts(f"{_BASE}.mappings[].outputs[].name"))


def _all(subject: Subject, kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    found = mapping(subject.routing.get("projections")).get(kind)
    return ((f"{_BASE}.{kind}[{index}]", member) for index, member in mappings(found))
