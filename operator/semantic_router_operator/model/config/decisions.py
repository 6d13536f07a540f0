"""spec.config.decisions[]: which request goes to which models."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt

from semantic_router_operator.model.base import NullFreeList, PassThrough, SnakeModel, StringList
from semantic_router_operator.model.config.values import Count, Duration, StatusCode

SignalType = Literal[
    "keyword",
    "embedding",
    "domain",
    "fact_check",
    "user_feedback",
    "reask",
    "preference",
    "language",
    "context",
    "structure",
    "complexity",
    "modality",
    "authz",
    "jailbreak",
    "pii",
    "kb",
    "conversation",
    "event",
    "projection",
]
Operator = Literal["AND", "OR", "NOT"]


class RuleCondition(SnakeModel):
    """A signal that a request may show."""

    type: SignalType = Field(description="Kind of signal.")
    name: str = Field(
        description="Name of the signal, as spec.config.routing.signals declares it; a "
        "complexity signal as rule:easy, rule:medium or rule:hard."
    )


class DecisionRules(SnakeModel):
    """When the decision is taken. Nested conditions are written in spec.config.routing."""

    operator: Operator = Field(description="How the conditions are joined.")
    conditions: Annotated[tuple[RuleCondition, ...], NullFreeList] = Field(
        description="Signals that are asked for."
    )
    on_unknown: Literal["no_match", "match", "fail_request"] | None = Field(
        default=None, description="What a signal that can't be told counts as."
    )


class DecisionModel(SnakeModel):
    """A model that the decision may choose."""

    model: str = Field(description="Name of the model, as in spec.vllmEndpoints[].model.")
    lora_name: str | None = Field(default=None, description="LoRA adapter of that model.")
    use_reasoning: StrictBool | None = Field(
        default=None, description="Whether the model is to reason."
    )
    reasoning_effort: str | None = Field(
        default=None, description="How much it is to reason, such as low, medium or high."
    )
    reasoning_mode: Literal["enabled", "disabled", "adaptive"] | None = Field(
        default=None, description="Whether it reasons, for models that know modes."
    )


class DecisionReliability(SnakeModel):
    """Time limits and retries of the decision's requests."""

    total_timeout: Duration | None = Field(
        default=None, description="Time for a request in all, such as 60s."
    )
    per_try_timeout: Duration | None = Field(default=None, description="Time for each try.")
    idle_timeout: Duration | None = Field(
        default=None, description="Time that a stream may be silent."
    )
    first_byte_timeout: Duration | None = Field(
        default=None, description="Time until the first byte of the answer."
    )
    retry_count: Annotated[StrictInt, Field(ge=0, le=5)] | None = Field(
        default=None, description="Retries of a failed request; needs retry_on."
    )
    retry_on: str | None = Field(
        default=None, description="Envoy retry conditions, comma-separated, such as 5xx,reset."
    )
    retriable_status_codes: Annotated[tuple[StatusCode, ...], NullFreeList] = Field(
        default=(), description="Status codes that are retried as well."
    )
    retry_back_off_base: Duration | None = Field(
        default=None, description="Wait before the first retry."
    )
    retry_back_off_max: Duration | None = Field(
        default=None, description="Longest wait between retries."
    )
    retry_after_max: Duration | None = Field(
        default=None, description="Longest Retry-After of a backend that is obeyed."
    )


class DecisionFallback(SnakeModel):
    """Trying the decision's other models when one fails."""

    enabled: StrictBool | None = Field(default=None, description="Whether others are tried.")
    max_attempts: Count | None = Field(default=None, description="Most models that are tried.")
    total_timeout: Duration | None = Field(
        default=None, description="Time for all attempts, such as 120s."
    )
    per_attempt_timeout: Duration | None = Field(default=None, description="Time for each attempt.")
    retryable_status_codes: Annotated[tuple[StatusCode, ...], NullFreeList] = Field(
        default=(), description="Status codes that count as a failure."
    )


class Decision(SnakeModel):
    """One decision: a rule on signals, and the models for requests that it matches."""

    name: str = Field(description="Name of the decision, unique in this router.")
    description: str | None = Field(default=None, description="What the decision is for.")
    priority: StrictInt | None = Field(
        default=None, description="The highest wins when several match."
    )
    rules: DecisionRules = Field(description="When the decision is taken.")
    model_refs: Annotated[tuple[DecisionModel, ...], NullFreeList] = Field(
        default=(), alias="modelRefs", description="Models that the decision may choose."
    )
    algorithm: PassThrough | None = Field(
        default=None,
        description="How a model is chosen: type, and a block of the type's name; passed on whole.",
    )
    plugins: Annotated[tuple[PassThrough, ...], NullFreeList] = Field(
        default=(),
        description="What else happens to a request: type and configuration; passed on whole.",
    )
    preferred_endpoints: StringList = Field(
        default=(), description="Deprecated: the router has no such setting; it is ignored."
    )
    reliability: DecisionReliability | None = Field(
        default=None, description="Time limits and retries of the decision's requests."
    )
    fallback: DecisionFallback | None = Field(
        default=None, description="Trying the decision's other models when one fails."
    )
