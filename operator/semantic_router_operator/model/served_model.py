"""What an endpoint says of its model: reasoning, adapters, price, reliability."""

from typing import Annotated, Literal

from pydantic import Field, StrictInt

from semantic_router_operator.model.base import (
    DURATION_PATTERN,
    Model,
    NullFreeList,
    StringList,
    StringMap,
)

Effort = Literal["enabled", "disabled", "adaptive"]
Decimal = Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)?$")]
Count = Annotated[StrictInt, Field(ge=0)]
Percent = Annotated[StrictInt, Field(ge=0, le=100)]
_Duration = Annotated[str, Field(pattern=DURATION_PATTERN)]


class Reasoning(Model):
    """How reasoning is switched on: a known family, or the parameters of one."""

    family: str | None = Field(
        default=None, description="Name in the router's catalogue; excludes the other fields."
    )
    type: (
        Literal[
            "chat_template_kwargs",
            "reasoning_effort",
            "reasoning_mode",
            "top_level_reasoning_effort",
        ]
        | None
    ) = Field(default=None, description="Where the router writes the reasoning parameter.")
    parameter: str | None = Field(default=None, description="Name of the reasoning parameter.")
    activation_parameter: str | None = Field(
        default=None, description="Parameter that switches reasoning on."
    )
    default: str | None = Field(default=None, description="Level used when none is asked for.")
    disabled: str | None = Field(default=None, description="Value that switches reasoning off.")
    effort_flags: StringMap = Field(
        default_factory=dict, description="Flag sent for each effort level."
    )
    levels: StringList = Field(default=(), description="Effort levels that the model knows.")
    modes: Annotated[tuple[Effort, ...], NullFreeList] = Field(
        default=(), description="Modes that the model knows."
    )
    default_mode: Effort | None = Field(
        default=None, description="Mode used when none is asked for."
    )


class LoRA(Model):
    """A LoRA adapter of the model; its name can be used wherever a model's name can."""

    name: str = Field(min_length=1, max_length=100, description="Name of the adapter.")
    description: str | None = Field(
        default=None, max_length=500, description="What the adapter is good for."
    )


class Pricing(Model):
    """Price of the model, as decimal numbers in text, per million tokens."""

    currency: str | None = Field(default=None, description="ISO 4217 code, such as USD.")
    prompt_per_1m: Decimal | None = Field(
        default=None, alias="promptPer1m", description="Input tokens."
    )
    completion_per_1m: Decimal | None = Field(
        default=None,
        alias="completionPer1m",
        description="Output tokens.",
    )
    cached_input_per_1m: Decimal | None = Field(
        default=None,
        alias="cachedInputPer1m",
        description="Input tokens read from the provider's cache.",
    )
    cache_write_per_1m: Decimal | None = Field(
        default=None,
        alias="cacheWritePer1m",
        description="Tokens written to the provider's cache.",
    )


class Reliability(Model):
    """Load balancing, retries and health checks between the backends of the model."""

    lb_policy: Literal["round_robin", "least_request"] | None = Field(
        default=None, description="Load balancing between the backends."
    )
    retry_count: Annotated[StrictInt, Field(ge=0, le=5)] | None = Field(
        default=None, description="Retries of a failed request; needs retryOn."
    )
    retry_on: str | None = Field(
        default=None, description="Envoy retry conditions, comma-separated, such as 5xx,reset."
    )
    consecutive_5xx: Count | None = Field(
        default=None, alias="consecutive5xx", description="Errors before a backend is ejected."
    )
    base_ejection_time: _Duration | None = Field(
        default=None, description="How long a backend is ejected first, such as 30s."
    )
    max_ejection_percent: Percent | None = Field(
        default=None, description="At most this part of the backends is ejected."
    )
    health_check_path: Annotated[str, Field(pattern="^/")] | None = Field(
        default=None, description="Path that is asked for the backend's health."
    )
    health_check_interval: _Duration | None = Field(
        default=None, description="Time between health checks, such as 10s."
    )
    health_check_timeout: _Duration | None = Field(
        default=None, description="Time that a health check may take, such as 2s."
    )
