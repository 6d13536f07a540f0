"""Rules on decisions[].algorithm (canonical rules, G.1). Types and words are the schema's."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import each, mapping, mappings, sequence, text
from semantic_router_operator.validation.subject import Found, Subject

_SELECTORS: Final = ("static", "knn", "kmeans", "svm", "mlp", "router_dc", "automix", "hybrid")
_LOOPERS: Final = ("prompt", "confidence", "ratings", "remom", "fusion", "workflows")
_TYPES: Final = frozenset((*_SELECTORS, *_LOOPERS, "latency_aware", "multi_factor"))
_PROMPT_CANDIDATES: Final = 2
_WEIGHTS: Final = {"logprob_weight": 0.5, "margin_weight": 0.5}
_TOLERANCE: Final = 1e-6
_ENTAILMENT: Final = "automix_entailment"


class Chosen(NamedTuple):
    """An algorithm with what its checks look at."""

    path: str
    decision: Mapping[str, Any]
    block: Mapping[str, Any]
    """The settings of its type."""
    subject: Subject

    @property
    def candidates(self) -> set[str]:
        """The models that the decision names."""
        return {text(model) for _, model in each(self.decision, "modelRefs[].model")}


def mismatches(subject: Subject) -> Iterator[Found]:
    """There is at most one block of settings, and it is the type's."""
    for path, _, algorithm in _algorithms(subject):
        type_ = text(algorithm.get("type"))
        for block in sorted(set(algorithm) & _TYPES):
            if type_ and block != type_:
                yield Found(f"{path}.{block}", f"doesn't belong to type {type_}; remove it")


def odd_on_error(subject: Subject) -> Iterator[Found]:
    """on_error beside the type is fallback for prompt, and skip or fail for the others."""
    for path, _, algorithm in _algorithms(subject):
        words = ("fallback",) if algorithm.get("type") == "prompt" else ("skip", "fail")
        given = algorithm.get("on_error")
        if given and given not in words:
            choice = " or ".join(words)
            yield Found(f"{path}.on_error", f"is not a word for this type; write {choice}")


def incomplete(subject: Subject) -> Iterator[Found]:
    """Types have the settings that they can't do without, and none that contradict each other."""
    for path, decision, algorithm in _algorithms(subject):
        type_ = text(algorithm.get("type"))
        check = _CHECKS.get(type_)
        if check is not None:
            block = mapping(algorithm.get(type_))
            yield from check(Chosen(f"{path}.{type_}", decision, block, subject))


def _latency_aware(chosen: Chosen) -> Iterator[Found]:
    block = chosen.block
    if not block.get("tpot_percentile") and not block.get("ttft_percentile"):
        yield Found(chosen.path, "needs tpot_percentile or ttft_percentile; add one, from 1 to 100")


def _prompt(chosen: Chosen) -> Iterator[Found]:
    if not chosen.block:
        yield Found(chosen.path, "is needed by type prompt; add it with model and instructions")
    if len(chosen.candidates) < _PROMPT_CANDIDATES:
        place = chosen.path.removesuffix(".algorithm.prompt")
        yield Found(f"{place}.modelRefs", "type prompt chooses between models; name at least two")
    model = text(chosen.block.get("model"))
    formats = {
        text(mapping(provider).get("name")): text(mapping(provider).get("api_format"))
        for _, provider in chosen.subject.each("providers.models[]")
    }
    if formats.get(model) == "anthropic":
        yield Found(
            f"{chosen.path}.model", "is of format anthropic, which can't choose; name another"
        )
    if "" in (value for _, value in chosen.subject.each("global.integrations.looper.endpoint")):
        yield Found(chosen.path, "needs the looper's endpoint; set it")


def _confidence(chosen: Chosen) -> Iterator[Found]:
    block = chosen.block
    entailment = block.get("confidence_method") == _ENTAILMENT
    if entailment and not block.get("verifier_server_url"):
        yield Found(f"{chosen.path}.verifier_server_url", f"is needed by {_ENTAILMENT}; add it")
    for key in sorted(block):
        if key.startswith("verifier_") and not entailment:
            yield Found(f"{chosen.path}.{key}", f"is only for {_ENTAILMENT}; remove it")
    weights = mapping(block.get("hybrid_weights"))
    values = [weights.get(key, default) for key, default in _WEIGHTS.items()]
    if weights and _numbers(values) and abs(sum(values) - 1) > _TOLERANCE:
        yield Found(f"{chosen.path}.hybrid_weights", "must add up to 1; correct the two weights")


def _numbers(values: list[Any]) -> bool:
    return all(isinstance(x, int | float) for x in values)


def _remom(chosen: Chosen) -> Iterator[Found]:
    model = text(chosen.block.get("synthesis_model"))
    if model and model not in chosen.candidates:
        yield Found(
            f"{chosen.path}.synthesis_model",
            "must be one of the decision's modelRefs; add it there",
        )


def _fusion(chosen: Chosen) -> Iterator[Found]:
    seen: set[str] = set()
    for path, name in each(chosen.block, "analysis_overrides[].model", chosen.path):
        if text(name) in seen:
            yield Found(path, f"{paths.quoted(text(name))} is there twice; merge the two")
        seen.add(text(name))


def _workflows(chosen: Chosen) -> Iterator[Found]:
    path, block = chosen.path, chosen.block
    roles = sequence(block.get("roles"))
    if block.get("mode") == "dynamic":
        if not text(mapping(block.get("planner")).get("model")):
            yield Found(f"{path}.planner.model", "is needed in mode dynamic; add a model")
        if roles:
            yield Found(f"{path}.roles", "has no place in mode dynamic; remove it")
    elif block and not roles:
        yield Found(f"{path}.roles", "is needed in mode static; add a role")
    yield from _roles(chosen)


def _roles(chosen: Chosen) -> Iterator[Found]:
    seen: set[str] = set()
    for index, role in mappings(chosen.block.get("roles")):
        place, name = f"{chosen.path}.roles[{index}]", text(role.get("name"))
        if name and name in seen:
            yield Found(f"{place}.name", f"{paths.quoted(name)} is there twice; rename one")
        seen.add(name)
        models = [text(model) for model in sequence(role.get("models"))]
        if len(set(models)) != len(models):
            yield Found(f"{place}.models", "has a model twice; remove it")
        for number, model in enumerate(models):
            if model not in chosen.candidates:
                yield Found(
                    f"{place}.models[{number}]",
                    "must be one of the decision's modelRefs; add it there",
                )


_CHECKS: Final[Mapping[str, Callable[[Chosen], Iterator[Found]]]] = {
    "confidence": _confidence,
    "fusion": _fusion,
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
