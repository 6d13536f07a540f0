"""`global`: every block of spec.config that isn't routing, over what the hardware profile says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from semantic_router_operator.model.base import Model
from semantic_router_operator.model.canonical import Issue, SecretEnv
from semantic_router_operator.model.hardware import model_placement
from semantic_router_operator.model.router import Spec
from semantic_router_operator.translate.blocks import Block, written
from semantic_router_operator.translate.credentials import replaced
from semantic_router_operator.translate.own_models import (
    classifiers,
    embedding_models,
    prompt_guard,
)
from semantic_router_operator.translate.response_cache import response_cache
from semantic_router_operator.translate.text import copied

_MIRRORED: Final = (
    ("streamed_body", "global.router.streamed_body", ()),
    ("api", "global.services.api", ("sample_rate", "duration_buckets")),
    ("observability", "global.services.observability", ("rate",)),
    ("tools", "global.integrations.tools", ("similarity_threshold",)),
    ("complexity_model", "global.model_catalog.modules.complexity", ()),
)
"""Blocks that the document has field for field: name in spec.config, place, numbers."""
_PASSED_ON: Final = (
    ("model_deployments", "global.model_catalog.deployments"),
    ("model_admission", "global.model_catalog.admission"),
)
"""Blocks that the CRD leaves to the router."""
_ORDER: Final = ("router", "services", "stores", "integrations", "model_catalog")


@dataclass(frozen=True, slots=True)
class Global:
    """The block `global`; empty when the CR says nothing that belongs there."""

    value: Mapping[str, Any]
    origins: Mapping[str, str]
    issues: tuple[Issue, ...]
    env: tuple[SecretEnv, ...]


def global_block(spec: Spec) -> Global:
    """Only what the CR says, and the placement of models where the profile decides it.

    The CR's own values win over the profile's.
    """
    blocks = list(_blocks(spec))
    value: dict[str, Any] = {}
    origins = {"global": "spec.hardware.profile"}
    for block in (block for block in blocks if block.value):
        _lay(value, block)
        origins |= block.origins
    whole = _over(value, model_placement(spec.hardware.profile))
    return Global(
        {key: whole[key] for key in _ORDER if key in whole},
        origins,
        tuple(issue for block in blocks for issue in block.issues),
        tuple(variable for block in blocks for variable in block.env),
    )


def _blocks(spec: Spec) -> Iterator[Block]:
    for name, place, numbers in _MIRRORED:
        model = getattr(spec.config, name)
        if isinstance(model, Model):
            yield written(model, place, f"spec.config.{name}", numbers=numbers)
    for single in (response_cache(spec), embedding_models(spec), prompt_guard(spec)):
        if single is not None:
            yield single
    yield from classifiers(spec)
    if spec.config.external_models:
        yield _external_models(spec)
    for name, place in _PASSED_ON:
        given = getattr(spec.config, name)
        if given is not None:
            origin = f"spec.config.{name}"
            copy = copied(given, place, origin)
            origins = {place: origin, **copy.origins}
            secrets = replaced(spec, copy.value, place, origins)
            yield Block(place, copy.value, origins, (*copy.issues, *secrets))


def _external_models(spec: Spec) -> Block:
    place, origin = "global.model_catalog.external", "spec.config.external_models"
    blocks = [
        written(model, f"{place}[{index}]", f"{origin}[{index}]")
        for index, model in enumerate(spec.config.external_models)
    ]
    return Block(place, [block.value for block in blocks], {place: origin})


def _lay(value: dict[str, Any], block: Block) -> None:
    _, *steps, last = block.path.split(".")
    for step in steps:
        value = value.setdefault(step, {})
    value[last] = block.value


def _over(upper: Mapping[str, Any], lower: Mapping[str, Any]) -> dict[str, Any]:
    """Both maps, merged at every depth; where both say something, `upper` counts."""
    merged = dict(upper)
    for key, below in lower.items():
        above = upper.get(key)
        if isinstance(above, Mapping) and isinstance(below, Mapping):
            merged[key] = _over(above, below)
        else:
            merged.setdefault(key, below)
    return merged
