"""The whole document, put together from its parts; and its bytes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import (
    Candidate,
    CanonicalConfig,
    Held,
    Issue,
)
from semantic_router_operator.model.resolution import Discovery
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.translate.agreement import CONFLICT, Given
from semantic_router_operator.translate.backend_refs import credentials
from semantic_router_operator.translate.defaults import WAITING, Default, default_model
from semantic_router_operator.translate.entries import Models, by_model
from semantic_router_operator.translate.global_block import Global, global_block
from semantic_router_operator.translate.listeners import listeners
from semantic_router_operator.translate.model_cards import lora_issues
from semantic_router_operator.translate.models import (
    ProviderModel,
    provider_model,
    setting_issues,
)
from semantic_router_operator.translate.reasoning import default_effort, family_problems
from semantic_router_operator.translate.routing import Routing, routing
from semantic_router_operator.translate.startup import startup_part
from semantic_router_operator.translate.text import unwritable
from semantic_router_operator.translate.tools_db import tools_db
from semantic_router_operator.translate.yaml_writer import dump

VERSION: Final = "v0.3"
_INVALID: Final = "InvalidConfig"
Defaults = Mapping[str, Given[str] | None]
"""The keys of `providers.defaults`."""


def translate(
    router: SemanticRouter, discovery: Discovery, *, previous_default: str | None
) -> Candidate | Held:
    """The router's canonical document (version v0.3, the newer dialect) for a CR.

    Pure: the same spec, discovery and previous default give the same document, in whatever order
    the entries of spec.vllmEndpoints stand. Held carries every error that was found, so the user
    sees all of them at once: ConflictingModelSettings, InvalidConfig or, when nothing is wrong
    but a backend is missing that can't be done without, WaitingForBackends.
    """
    models = by_model(router, discovery)
    default = default_model(router, models, previous_default)
    served = _served(router, models, default)
    effort, effort_issues = default_effort(router)
    block, rest, tools = routing(router, models), global_block(router.spec), tools_db(router.spec)
    defaults = {
        "model": Given(default.name, default.origin) if default.name else None,
        "reasoning_effort": effort,
    }
    document = _document(router, _providers(defaults, served), block, rest)
    origins = {**_origins(defaults, served), **block.origins, **rest.origins}
    issues = (
        *_model_issues(router, models, served),
        *default.issues,
        *effort_issues,
        *block.issues,
        *rest.issues,
        *tools.issues,
        *_odd_text(document, origins),
    )
    env = {key for model in models.values() for key in credentials(model).values()} | {*rest.env}
    ordered = tuple(sorted(env, key=lambda variable: variable.name))
    return _decided(Candidate(document, ordered, origins, tools=tools.text), issues)


def render(candidate: Candidate) -> CanonicalConfig:
    """The bytes of a candidate. `restart_digest` is over what the router reads at its start alone:
    the table STARTUP of model/rollout.py."""
    document = candidate.document
    text = dump(document)
    fixed = dump(startup_part(document))
    settings = dump(_without_backends(document))
    return CanonicalConfig(
        text=text,
        digest=names.digest(text.encode()),
        restart_digest=names.digest(fixed.encode()),
        env=candidate.env,
        tools=candidate.tools,
        default_model=document.get("providers", {}).get("defaults", {}).get("model"),
        settings_digest=names.digest(settings.encode()),
    )


def _without_backends(document: Mapping[str, Any]) -> Mapping[str, Any]:
    providers = document.get("providers") or {}
    models = [{**model, "backend_refs": []} for model in providers.get("models") or ()]
    return {**document, "providers": {**providers, "models": models}}


def _decided(draft: Candidate, issues: tuple[Issue, ...]) -> Candidate | Held:
    issues = tuple(dict.fromkeys(issues))
    errors = tuple(issue for issue in issues if issue.severity == "error")
    warnings = tuple(issue for issue in issues if issue.severity == "warning")
    candidate = replace(draft, notes=warnings)
    if not errors:
        return candidate
    codes = {issue.code for issue in errors}
    if CONFLICT in codes:
        return Held(CONFLICT, issues, candidate)
    return Held(WAITING if codes == {WAITING} else _INVALID, issues, candidate)


def _served(router: SemanticRouter, models: Models, default: Default) -> list[ProviderModel]:
    """The models that something serves: the default first, the others by name.

    The newer router's default cluster is the first model of the list (contract, semantics 7);
    otherwise the order has no meaning, so that the order of the entries makes no other bytes.
    """
    families = router.spec.config.reasoning_families
    chosen = default.name or ""
    ordered = sorted(
        (model for model in models.values() if model.serving),
        key=lambda model: (model.name != chosen and chosen not in model.loras, model.name),
    )
    return [provider_model(model, families) for model in ordered]


def _providers(defaults: Defaults, served: list[ProviderModel]) -> dict[str, Any]:
    said = {key: given.value for key, given in defaults.items() if given}
    return {
        **({"defaults": said} if said else {}),
        **({"models": [dict(model.value) for model in served]} if served else {}),
    }


def _document(
    router: SemanticRouter, providers: dict[str, Any], block: Routing, rest: Global
) -> dict[str, Any]:
    """Only what the CR says: no empty parts, but always `routing`."""
    return {
        "version": VERSION,
        "listeners": listeners(router),
        **({"providers": providers} if providers else {}),
        "routing": dict(block.value),
        **({"global": dict(rest.value)} if rest.value else {}),
    }


def _origins(defaults: Defaults, served: list[ProviderModel]) -> dict[str, str]:
    found = {"providers": "spec.vllmEndpoints", "listeners": "spec"}
    found |= {f"providers.defaults.{key}": given.path for key, given in defaults.items() if given}
    for index, model in enumerate(served):
        item = paths.item("providers.models", index)
        found |= {f"{item}.{key}" if key else item: path for key, path in model.origins.items()}
    return found


def _model_issues(
    router: SemanticRouter, models: Models, served: list[ProviderModel]
) -> Iterator[Issue]:
    families = router.spec.config.reasoning_families
    yield from family_problems(router.spec.config)
    for model in models.values():
        yield from setting_issues(model, families)
        yield from lora_issues(model)
        if not model.serving:
            text = f"{model.outage}; it is left out of the router's configuration for now"
            yield Issue("ModelLeftOut", model.entries[0].path, text, "warning")
    for provider in served:
        yield from provider.issues


def _odd_text(document: dict[str, Any], origins: Mapping[str, str]) -> Iterator[Issue]:
    for path, problem in unwritable(document):
        yield Issue("InvalidText", paths.trace(origins, path), problem)
