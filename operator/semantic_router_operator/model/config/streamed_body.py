"""spec.config.streamed_body: request bodies that come in pieces."""

from pydantic import Field, StrictBool

from semantic_router_operator.model.base import SnakeModel
from semantic_router_operator.model.config.values import Count


class StreamedBody(SnakeModel):
    """Request bodies that the gateway hands over in pieces."""

    enabled: StrictBool | None = Field(
        default=None, description="Whether bodies are taken in pieces."
    )
    max_bytes: Count | None = Field(
        default=None, description="Bytes that a body may have; 0 for the router's default."
    )
    timeout_sec: Count | None = Field(
        default=None, description="Seconds until a body must be whole; 0 for the router's default."
    )
