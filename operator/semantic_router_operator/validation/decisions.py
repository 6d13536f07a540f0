"""Rules on routing.decisions (canonical rules, G)."""

import json
from collections.abc import Iterator
from typing import Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import (
    algorithm_models,
    each,
    mapping,
    mappings,
    text,
)
from semantic_router_operator.validation.subject import Found, Subject

_ANNOTATION_KEYS: Final = 32
_ANNOTATION_BYTES: Final = 4096


def nameless(subject: Subject) -> Iterator[Found]:
    """A decision has a name."""
    for path, decision in subject.decisions:
        if not text(decision.get("name")):
            yield Found(path, "has no name; add one")


def duplicates(subject: Subject) -> Iterator[Found]:
    """The name is unique."""
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
        if not name:
            yield Found(path, "names no model; add its name")
        elif name not in known:
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
