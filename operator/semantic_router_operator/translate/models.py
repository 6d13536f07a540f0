"""`providers.models[]`: one provider model for all entries of the same name."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from pydantic import BaseModel

from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.config import ReasoningFamily
from semantic_router_operator.translate.agreement import Agreed, Given, agreed
from semantic_router_operator.translate.backend_refs import BackendRefs, backend_refs
from semantic_router_operator.translate.entries import Entry, ModelEntries
from semantic_router_operator.translate.reasoning import problems, reasoning_of

_SETTINGS: Final[Mapping[str, str]] = {
    "provider_model_id": "providerModelId",
    "catalog": "catalog",
    "api_format": "apiFormat",
    "pricing": "pricing",
    "reliability": "reliability",
}
"""Fields of an entry that belong to the model: name here and in the document, name in the CR."""
_ORDER: Final = (
    "provider_model_id",
    "catalog",
    "api_format",
    "reasoning",
    "pricing",
    "reliability",
)


@dataclass(frozen=True, slots=True)
class ProviderModel:
    """One item of `providers.models`, before its index is known."""

    value: Mapping[str, Any]
    origins: Mapping[str, str] = field(default_factory=dict)
    """Paths relative to the item, "" for the item itself."""
    issues: tuple[Issue, ...] = ()


def provider_model(model: ModelEntries, families: Mapping[str, ReasoningFamily]) -> ProviderModel:
    """The provider model of a model that has something to serve it."""
    settings = _settings(model, families)
    api_format = settings["api_format"].given
    refs = backend_refs(model, api_format.value if api_format else None)
    said = {name: settings[name].given for name in _ORDER}
    return ProviderModel(
        value={
            "name": model.name,
            **{name: given.value for name, given in said.items() if given},
            "backend_refs": [dict(ref) for ref in refs.refs],
        },
        origins={**_origins(model, refs), **_setting_origins(said)},
        issues=refs.issues,
    )


def setting_issues(
    model: ModelEntries, families: Mapping[str, ReasoningFamily]
) -> tuple[Issue, ...]:
    """What is wrong or out of date in the model's settings, whether it is served now or not."""
    settings = _settings(model, families).values()
    return (
        *(issue for setting in settings for issue in setting.issues),
        *(issue for entry in model.entries for issue in problems(entry, families)),
        *(issue for entry in model.entries for issue in _prices(entry)),
    )


def _settings(
    model: ModelEntries, families: Mapping[str, ReasoningFamily]
) -> Mapping[str, Agreed[Any]]:
    return {
        **{name: agreed(model, partial(_setting, name)) for name in _SETTINGS},
        "reasoning": agreed(model, partial(reasoning_of, families=families)),
    }


def _setting(name: str, entry: Entry) -> Given[Any] | None:
    value = getattr(entry.endpoint, name)
    if isinstance(value, BaseModel):
        value = _numbers(value.model_dump(exclude_none=True))
    return Given(value, f"{entry.path}.{_SETTINGS[name]}") if value else None


def _numbers(given: dict[str, Any]) -> dict[str, Any]:
    """Prices are decimal text in the CR and floats in the document, by field."""
    return {key: float(value) if key.endswith("_per_1m") else value for key, value in given.items()}


def _prices(entry: Entry) -> list[Issue]:
    pricing = entry.endpoint.pricing
    given = _numbers(pricing.model_dump(exclude_none=True)) if pricing else {}
    return [
        Issue("InvalidValue", f"{entry.path}.pricing", "is too big a number; write a smaller one")
        for value in given.values()
        if isinstance(value, float) and not math.isfinite(value)
    ]


def _origins(model: ModelEntries, refs: BackendRefs) -> dict[str, str]:
    first = model.serving[0].entry.path
    sources = enumerate(refs.sources)
    return {
        "": first,
        "name": f"{first}.model",
        **{paths.item("backend_refs", index): entry.path for index, entry in sources},
    }


def _setting_origins(said: Mapping[str, Given[Any] | None]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, given in said.items():
        if given is None:
            continue
        found[name] = given.path
        if isinstance(given.value, dict) and not given.path.endswith("Family"):
            found |= {f"{name}.{key}": f"{given.path}.{_camel(key)}" for key in given.value}
    return found


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)
