"""Rules on routing.decisions (canonical rules, G)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import (
    algorithm_models,
    each,
    mapping,
    mappings,
    sequence,
    text,
)
from semantic_router_operator.validation.subject import Found, Subject, tree_nodes

_ANNOTATION_KEYS: Final = 32
_ANNOTATION_BYTES: Final = 4096
_CANDIDATES: Final = "decision.candidates"


def duplicates(subject: Subject) -> Iterator[Found]:
    """A decision's name is unique."""
    seen: dict[str, str] = {}
    for path, decision in subject.decisions:
        name = text(decision.get("name"))
        first = seen.setdefault(name, path)
        if name and first != path:
            origin = subject.candidate.origin(first)
            yield Found(
                f"{path}.name", f"{paths.quoted(name)} is the name of {origin}, too; rename one"
            )


def unknown_models(subject: Subject) -> Iterator[Found]:
    """Where a decision names a model, there is an entry that has it, as a model or adapter."""
    known = subject.aliases
    for path, name in _named(subject):
        if name and name not in known:
            yield Found(
                path,
                f"no entry of spec.vllmEndpoints has the model {paths.quoted(name)}; "
                "add one, or correct the name",
            )


def _named(subject: Subject) -> Iterator[tuple[str, str]]:
    for path, decision in subject.decisions:
        for index, ref in mappings(decision.get("modelRefs")):
            yield f"{path}.modelRefs[{index}].model", text(ref.get("model"))
        for place, name in each(decision, "candidateIterations[].models[].model", path):
            yield place, text(name)
        for place, name in algorithm_models(decision.get("algorithm")):
            yield f"{path}.algorithm.{place}", name


def unknown_loras(subject: Subject) -> Iterator[Found]:
    """lora_name is an adapter of the model beside it."""
    loras = subject.loras
    for path, decision in subject.decisions:
        for index, ref in mappings(decision.get("modelRefs")):
            name, model = text(ref.get("lora_name")), text(ref.get("model"))
            if name and name not in loras.get(model, ()):
                yield Found(
                    f"{path}.modelRefs[{index}].lora_name",
                    f"model {paths.quoted(model)} has no LoRA adapter {paths.quoted(name)}; add "
                    "it to vllmEndpoints[].loras of that model, or correct the name",
                )


def large_annotations(subject: Subject) -> Iterator[Found]:
    """Annotations are few and small; size is counted in bytes of compact JSON."""
    for path, value in subject.each("routing.decisions[].annotations"):
        size = len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())
        if len(mapping(value)) > _ANNOTATION_KEYS or size > _ANNOTATION_BYTES:
            yield Found(
                path,
                f"has more than {_ANNOTATION_KEYS} keys or {_ANNOTATION_BYTES} bytes; shorten it",
            )


def modality_without_models(subject: Subject) -> Iterator[Found]:
    """A decision on modality BOTH has a model for text and one for images, or one for both.

    The model card says which a model is: ar, diffusion or omni.
    """
    kinds = {
        text(card.get("name")): text(card.get("modality")).lower()
        for _, card in mappings(subject.routing.get("modelCards"))
    }
    for path, decision in subject.decisions:
        if not any(_is_both(node) for _, node in tree_nodes(decision.get("rules"), path)):
            continue
        refs = mappings(decision.get("modelRefs"))
        has = {kinds.get(text(ref.get("model")), "") for _, ref in refs}
        if "omni" not in has and not {"ar", "diffusion"} <= has:
            yield Found(
                f"{path}.modelRefs",
                "modality BOTH needs a model of modality ar and one of diffusion, or one of omni; "
                "name them here and set modality in their model cards",
            )


def _is_both(node: Mapping[str, Any]) -> bool:
    return text(node.get("type")).lower() == "modality" and node.get("name") == "BOTH"


def odd_iterations(subject: Subject) -> Iterator[Found]:
    """What an iteration goes through is there, and its outputs are its variable."""
    for path, decision in subject.decisions:
        for index, iteration in mappings(decision.get("candidateIterations")):
            yield from _iteration(iteration, decision, f"{path}.candidateIterations[{index}]")


def _iteration(
    iteration: Mapping[str, Any], decision: Mapping[str, Any], path: str
) -> Iterator[Found]:
    source = iteration.get("source")
    if source == "models" and not sequence(iteration.get("models")):
        yield Found(f"{path}.models", "is needed by source models; add a model")
    if source == _CANDIDATES and not sequence(decision.get("modelRefs")):
        yield Found(f"{path}.source", "needs modelRefs in the decision; add them, or write models")
    for index, output in mappings(iteration.get("outputs")):
        if output.get("value") != iteration.get("variable"):
            yield Found(f"{path}.outputs[{index}].value", "must be the variable of the iteration")


def odd_emits(subject: Subject) -> Iterator[Found]:
    """A decision emits retention once, and doesn't drop what it keeps."""
    for path, decision in subject.decisions:
        seen: set[str] = set()
        for index, emit in mappings(decision.get("emits")):
            place, kind = f"{path}.emits[{index}]", text(emit.get("kind"))
            if kind and kind in seen:
                yield Found(f"{place}.kind", f"{kind} is there twice; keep one")
            seen.add(kind)
            retention = mapping(emit.get("retention"))
            if retention.get("drop") is True and retention.get("ttl_turns"):
                yield Found(f"{place}.retention.drop", "contradicts ttl_turns; keep one of them")


def retries_without_condition(subject: Subject) -> Iterator[Found]:
    """retry_count above 0 needs retry_on, and status codes need retriable-status-codes in it."""
    for path, found in subject.each("routing.decisions[].reliability"):
        reliability = mapping(found)
        conditions = text(reliability.get("retry_on"))
        if reliability.get("retry_count") and not conditions:
            yield Found(
                f"{path}.retry_on", "is needed when retry_count is above 0; add it, such as 5xx"
            )
        codes = sequence(reliability.get("retriable_status_codes"))
        if codes and "retriable-status-codes" not in conditions:
            yield Found(
                f"{path}.retry_on", "must have retriable-status-codes, since there are such codes"
            )
