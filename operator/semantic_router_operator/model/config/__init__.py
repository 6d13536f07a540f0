"""spec.config: what the router itself is told, beyond its backends. One module per block.

Keys are snake_case on the wire, but for decisions[].modelRefs. A block that the CR doesn't give is
None, and so is a field that it doesn't give and that has no default. The API server fills in
the defaults of a block that is given: they can't be told from what the user wrote, so a default
here is always one that may be written into the document.
"""

from typing import Annotated, Literal

from pydantic import Field

from semantic_router_operator.model.base import NullFreeList, PassThrough, SnakeModel
from semantic_router_operator.model.config.api import Api
from semantic_router_operator.model.config.classifier import Classifier
from semantic_router_operator.model.config.complexity import ComplexityModel, ComplexityRule
from semantic_router_operator.model.config.decisions import Decision
from semantic_router_operator.model.config.embedding_models import EmbeddingModels
from semantic_router_operator.model.config.external_models import ExternalModel
from semantic_router_operator.model.config.observability import Observability
from semantic_router_operator.model.config.prompt_guard import PromptGuard
from semantic_router_operator.model.config.response_cache import ResponseCache
from semantic_router_operator.model.config.streamed_body import StreamedBody
from semantic_router_operator.model.config.tools import Tools
from semantic_router_operator.model.cross_rule import CrossRule, said


class ReasoningFamily(SnakeModel):
    """A reasoning family of the old generation; becomes the inline reasoning of its models."""

    type: str | None = Field(default=None, description="Where the parameter is written.")
    parameter: str | None = Field(default=None, description="Name of the parameter.")


class Config(SnakeModel):
    """spec.config: what the router itself is told, beyond its backends."""

    routing: PassThrough | None = Field(
        default=None, description="The router's own routing block, passed on whole."
    )
    decisions: Annotated[tuple[Decision, ...], NullFreeList] = Field(
        default=(), description="Which request goes to which models; laid over routing.decisions."
    )
    strategy: Literal["priority", "confidence"] | None = Field(
        default=None, description="How a decision is chosen when several match."
    )
    reasoning_effort: str | None = Field(
        default=None, description="Reasoning effort used where a decision names none."
    )
    default_reasoning_effort: Literal["low", "medium", "high"] | None = Field(
        default=None, description="Deprecated: write reasoning_effort instead."
    )
    reasoning_families: Annotated[dict[str, ReasoningFamily], NullFreeList] = Field(
        default_factory=dict,
        description="Deprecated: write vllmEndpoints[].reasoning {type, parameter} instead.",
    )
    complexity_rules: Annotated[tuple[ComplexityRule, ...], NullFreeList] = Field(
        default=(), description="How hard a request is: signals of type complexity."
    )
    complexity_model: ComplexityModel | None = Field(
        default=None, description="A model outside the router that tells how hard a request is."
    )
    embedding_models: EmbeddingModels | None = Field(
        default=None, description="The models that turn text into vectors."
    )
    prompt_guard: PromptGuard | None = Field(default=None, description="Detection of jailbreaks.")
    classifier: Classifier | None = Field(
        default=None, description="The router's models for domains and for personal data."
    )
    external_models: Annotated[tuple[ExternalModel, ...], NullFreeList] = Field(
        default=(), description="Models outside the router that it asks for its own judgements."
    )
    model_deployments: PassThrough | None = Field(
        default=None, description="The router's own models as deployments; passed on whole."
    )
    model_admission: PassThrough | None = Field(
        default=None, description="Which of these models may be loaded; passed on whole."
    )
    response_cache: ResponseCache | None = Field(
        default=None, description="Answers that are kept and given again."
    )
    semantic_cache: ResponseCache | None = Field(
        default=None, description="Deprecated: write response_cache instead; it is the same block."
    )
    tools: Tools | None = Field(default=None, description="Choice of tools out of spec.toolsDb.")
    api: Api | None = Field(default=None, description="The router's own API.")
    observability: Observability | None = Field(
        default=None, description="How the router can be watched."
    )
    streamed_body: StreamedBody | None = Field(
        default=None, description="Request bodies that come in pieces."
    )

    CROSS_RULES = (
        CrossRule(
            code="TwoResponseCaches",
            message="is the same block as response_cache; keep response_cache and remove this",
            part="semantic_cache",
            holds=lambda config: config.response_cache is None or config.semantic_cache is None,
            cel=f"!{said('response_cache')} || !{said('semantic_cache')}",
        ),
    )
