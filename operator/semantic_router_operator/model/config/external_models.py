"""spec.config.external_models[]: models that the router asks for its own judgements."""

from typing import Annotated, Literal

from pydantic import Field

from semantic_router_operator.model.base import SnakeModel
from semantic_router_operator.model.config.values import Port, Positive

_Name = Annotated[str, Field(min_length=1)]


class LLMEndpoint(SnakeModel):
    """Where the model is."""

    address: _Name = Field(description="Host name or address.")
    port: Port = Field(description="Port.")
    protocol: Literal["http", "https"] | None = Field(
        default=None, description="Protocol; http by default."
    )


class ExternalModel(SnakeModel):
    """A model outside the router that it asks for its own judgements, not for answers."""

    name: _Name = Field(description="Name by which backend.model of a block means it.")
    model_role: _Name = Field(
        description="What it is asked for: guardrail, classification, scoring, preference, "
        "memory_rewrite or memory_extraction."
    )
    llm_model_name: _Name = Field(description="Name of the model at its server.")
    llm_endpoint: LLMEndpoint = Field(description="Where the model is.")
    llm_timeout_seconds: Positive | None = Field(
        default=None, description="Seconds that an answer may take."
    )
