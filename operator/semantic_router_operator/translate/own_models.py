"""`global.model_catalog`: the router's own models, whose blocks differ from the CR's.

What a CR says of a model and what the router assumes of it can exclude each other: the router lays
its defaults under the document, so that a model of another kind must say so (canonical rules, A.8
and J). The Go operator wrote a zeroed block and thereby the same.
"""

from collections.abc import Iterator
from typing import Any, Final

from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.config.classifier import CategoryModel, PiiModel
from semantic_router_operator.model.router import Spec
from semantic_router_operator.translate.blocks import Block, deprecated, written
from semantic_router_operator.translate.credentials import INVALID, knows, userinfo

_MODULES: Final = "global.model_catalog.modules"
_OWN: Final = "mmbert32k"
"""What the names of the models begin with that the router assumes, such as
models/mmbert32k-pii-detector-merged. The CR of the older generation can't say more of a model than
its name, and the Go operator took every model for another kind (use_mmbert_32k false)."""


def embedding_models(spec: Spec) -> Block | None:
    """`embeddings.semantic`: the models that turn text into vectors."""
    models = spec.config.embedding_models
    if models is None:
        return None
    origin = "spec.config.embedding_models"
    place = "global.model_catalog.embeddings.semantic"
    block = written(models, place, origin, numbers=("min_score_threshold",))
    if models.endpoint is None:
        return block
    issues = [*userinfo(f"{origin}.endpoint.base_url", models.endpoint.base_url)]
    variable = models.endpoint.api_key_env
    if variable and not knows(spec, variable):
        text = "names a variable that spec.env doesn't have; add it there"
        issues.append(Issue("UnknownVariable", f"{origin}.endpoint.api_key_env", text, "warning"))
    return Block(place, block.value, block.origins, (*block.issues, *issues))


def prompt_guard(spec: Spec) -> Block | None:
    """`modules.prompt_guard`. A backend excludes the variant that the router assumes."""
    guard = spec.config.prompt_guard
    if guard is None:
        return None
    origin, issues = "spec.config.prompt_guard", []
    block = written(
        guard, f"{_MODULES}.prompt_guard", origin, numbers=("threshold",), without=("protocol",)
    )
    if guard.protocol is not None:
        advice = (
            "has no effect: the router's own model judges; write backend {protocol, model} and "
            "that model in spec.config.external_models instead"
            if guard.backend is None
            else "has no effect beside backend; remove it"
        )
        issues.append(deprecated(f"{origin}.protocol", advice))
    if guard.backend is not None:
        if guard.variant is not None:
            issues.append(Issue(INVALID, f"{origin}.variant", "excludes backend; keep one of them"))
        block.value["variant"] = ""
    return Block(block.path, block.value, block.origins, (*block.issues, *issues))


def classifiers(spec: Spec) -> Iterator[Block]:
    """`modules.classifier.domain` and `.pii`."""
    given = spec.config.classifier
    if given is None:
        return
    if given.category_model is not None:
        yield _domain(given.category_model)
    if given.pii_model is not None:
        yield _pii(given.pii_model)


def _domain(model: CategoryModel) -> Block:
    origin = "spec.config.classifier.category_model"
    block = written(model, f"{_MODULES}.classifier.domain", origin, numbers=("threshold",))
    if model.use_modernbert or _is_foreign(model.model_id):
        _not_mmbert(block.value)
    return block


def _pii(model: PiiModel) -> Block:
    origin = "spec.config.classifier.pii_model"
    block = written(
        model,
        f"{_MODULES}.classifier.pii",
        origin,
        numbers=("threshold",),
        without=("use_modernbert",),
    )
    if model.use_modernbert or model.backend is not None or _is_foreign(model.model_id):
        _not_mmbert(block.value)
    if model.use_modernbert is None:
        return block
    advice = "write use_mmbert_32k: false instead; the router tells other kinds of models by itself"
    issue = deprecated(f"{origin}.use_modernbert", advice)
    return Block(block.path, block.value, block.origins, (*block.issues, issue))


def _is_foreign(model_id: str | None) -> bool:
    """Whether the CR names a model that isn't the router's own mmbert32k, such as a LoRA one."""
    return bool(model_id) and _OWN not in str(model_id).lower()


def _not_mmbert(block: dict[str, Any]) -> None:
    """The router takes a model for its own mmbert32k unless the document says otherwise."""
    block.setdefault("use_mmbert_32k", False)
