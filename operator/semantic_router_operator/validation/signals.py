"""Rules on routing.signals (canonical rules, H)."""

from collections.abc import Iterator
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import each, mapping, sequence, text
from semantic_router_operator.validation.go_regex import problem
from semantic_router_operator.validation.subject import Found, Subject

_CODES: Final = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu "
    "cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi "
    "ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks "
    "ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl "
    "nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl "
    "sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve "
    "vi vo wa wo xh yi yo za zh zu "
)
"""ISO 639-1."""
_LANGUAGES: Final = frozenset(_CODES.split())
_SOURCE_NEEDS: Final = {"regex": "pattern", "keyword_set": "keywords", "sequence": "sequences"}
_PREDICATE_FORMS: Final = ("equals", "in", "exists")
_SEQUENCE_LENGTH: Final = 2
_MODEL_TYPE: Final = "global.model_catalog.embeddings.semantic.embedding_config.model_type"


def duplicates(subject: Subject) -> Iterator[Found]:
    """A signal's name is unique in its collection."""
    for collection in subject.signals:
        seen: set[str] = set()
        for path, signal in subject.signal(collection):
            name = text(signal.get("name"))
            if name and name in seen:
                yield Found(
                    f"{path}.name", f"{paths.quoted(name)} is there twice; rename or remove one"
                )
            seen.add(name)


def odd_languages(subject: Subject) -> Iterator[Found]:
    """A language signal is named after the language, by its ISO 639-1 code."""
    for path, signal in subject.signal("language"):
        name = text(signal.get("name"))
        if name and name not in _LANGUAGES:
            yield Found(f"{path}.name", "is no ISO 639-1 code in lower case; write one, such as en")


def image_queries(subject: Subject) -> Iterator[Found]:
    """An image can only be looked up with a multimodal embedding model."""
    multimodal = "multimodal" in subject.texts(_MODEL_TYPE)
    for path, signal in subject.signal("embeddings"):
        if signal.get("query_modality") == "image" and not multimodal:
            yield Found(
                f"{path}.query_modality",
                "needs the embedding model type multimodal; set it in "
                "spec.config.embedding_models.embedding_config.model_type, or write text",
            )


def odd_structures(subject: Subject) -> Iterator[Found]:
    """A structure's feature fits its source, and the source has what its type reads."""
    for path, signal in subject.signal("structure"):
        feature = mapping(signal.get("feature"))
        kind, source = feature.get("type"), mapping(feature.get("source"))
        place = f"{path}.feature.source"
        needed = _SOURCE_NEEDS.get(text(source.get("type")))
        if needed and not source.get(needed):
            yield Found(f"{place}.{needed}", f"is needed by source {source['type']}; add it")
        if kind == "sequence" and source.get("type") not in (None, "sequence"):
            yield Found(f"{place}.type", "must be sequence for a feature of type sequence")
        if source.get("type") == "text_bytes" and kind not in (None, "count"):
            yield Found(f"{path}.feature.type", "must be count for a source of type text_bytes")
        if kind == "exists" and "predicate" in signal:
            yield Found(f"{path}.predicate", "has no place with type exists; remove it")
        yield from _short_sequences(source, place)


def _short_sequences(source: Any, place: str) -> Iterator[Found]:
    for path, members in each(source, "sequences[]", place):
        if len(sequence(members)) < _SEQUENCE_LENGTH:
            yield Found(path, "is no sequence; write at least two texts")


def odd_patterns(subject: Subject) -> Iterator[Found]:
    """The pattern of a structure is a regular expression that Go can compile."""
    for path, pattern in subject.each("routing.signals.structure[].feature.source.pattern"):
        found = problem(text(pattern))
        if found:
            yield Found(path, f"{found}; correct the pattern")


def odd_roles(subject: Subject) -> Iterator[Found]:
    """Only messages have a role."""
    for path, source in subject.each("routing.signals.conversation[].feature.source"):
        if "role" in mapping(source) and source.get("type") != "message":
            yield Found(f"{path}.role", "is only for a source of type message; remove it")


def odd_metadata(subject: Subject) -> Iterator[Found]:
    """A metadata key stands once, whatever its case, and is compared in exactly one way."""
    seen: set[str] = set()
    for path, signal in subject.signal("metadata"):
        key = text(signal.get("key"))
        if key != key.strip():
            yield Found(f"{path}.key", "has space around it; remove it")
        elif key and key.casefold() in seen:
            yield Found(f"{path}.key", f"{paths.quoted(key)} is there twice; merge the two signals")
        seen.add(key.casefold())
        forms = [form for form in _PREDICATE_FORMS if form in mapping(signal.get("predicate"))]
        if "predicate" in signal and len(forms) != 1:
            yield Found(
                f"{path}.predicate", f"needs exactly one of {', '.join(_PREDICATE_FORMS)}; keep one"
            )


def unknown_bases(subject: Subject) -> Iterator[Found]:
    """Where the document lists knowledge bases, a kb signal names one of them and its group.

    Without a list the router has its own; labels stand in the base's files.
    """
    if not any(subject.each("global.model_catalog.kbs")):
        return
    bases = {
        text(mapping(base).get("name")): mapping(base)
        for _, base in subject.each("global.model_catalog.kbs[]")
    }
    for path, signal in subject.signal("kb"):
        name, target = text(signal.get("kb")), mapping(signal.get("target"))
        if name and name not in bases:
            yield Found(
                f"{path}.kb", f"{paths.quoted(name)} is not declared; add it, or correct it"
            )
        elif target.get("kind") == "group":
            group = text(target.get("value"))
            if group not in mapping(bases.get(name, {}).get("groups")):
                yield Found(
                    f"{path}.target.value", f"{paths.quoted(group)} is no group of that base"
                )
