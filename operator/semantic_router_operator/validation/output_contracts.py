"""Rules on decisions[].output_contract_spec (canonical rules, G)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model.routing_block import each, mapping, sequence, text
from semantic_router_operator.validation.subject import Found, Subject

_PARTS: Final = {
    "choice": "choice_set",
    "structured_json": "json_schema",
    "reference_selection": "reference",
}
"""The part that belongs to a type and to no other."""
_NEEDED: Final = (
    ("choice", "choice_set", "values"),
    ("structured_json", "json_schema", "schema_ref"),
)
_CHOICE: Final = "{choice}"


def odd_contracts(subject: Subject) -> Iterator[Found]:
    """A contract has the part of its type and no other's; its parts fit each other."""
    for path, found in subject.each("routing.decisions[].output_contract_spec"):
        contract = mapping(found)
        kind = text(contract.get("type"))
        if kind in _PARTS:
            yield from _parts(contract, kind, path)
        yield from _details(contract, kind, path)


def _parts(contract: Mapping[str, Any], kind: str, path: str) -> Iterator[Found]:
    for owner, part in _PARTS.items():
        if part in contract and owner != kind:
            yield Found(f"{path}.{part}", f"doesn't belong to type {kind}; remove it")
    for owner, part, key in _NEEDED:
        if owner == kind and not mapping(contract.get(part)).get(key):
            yield Found(f"{path}.{part}.{key}", f"is needed by type {kind}; add it")


def _details(contract: Mapping[str, Any], kind: str, path: str) -> Iterator[Found]:
    render = mapping(contract.get("render"))
    if render.get("mode") == "template" and _CHOICE not in text(render.get("template")):
        yield Found(f"{path}.render.template", f"must have {_CHOICE} in it; add it")
    sources = [text(source) for source in sequence(mapping(contract.get("extract")).get("sources"))]
    if len(set(sources)) != len(sources):
        yield Found(f"{path}.extract.sources", "has one twice; remove it")
    if kind != "reference_selection":
        for place, _ in each(contract, "postprocess[]", path):
            yield Found(place, "is only for type reference_selection; remove it")
