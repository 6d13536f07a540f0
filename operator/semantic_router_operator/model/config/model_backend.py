"""Where one of the router's own judgements is made outside the router, and how text is cut."""

from typing import Annotated, Literal

from pydantic import Field

from semantic_router_operator.model.base import SnakeModel
from semantic_router_operator.model.config.values import Count, Positive
from semantic_router_operator.model.cross_rule import CrossRule, said

DEFAULT_SEQUENCE_LENGTH = 512
"""Tokens that a model reads when max_sequence_length says nothing."""


class ModelBackend(SnakeModel):
    """A model outside the router that makes the judgement."""

    protocol: Literal["http_classify", "http_chat"] = Field(
        description="How the model is asked: by a classification API or by a chat."
    )
    contract: (
        Literal["score.v1", "label_distribution.v1", "token_spans.v1", "label_decision.v1"] | None
    ) = Field(default=None, description="What the model answers.")
    model: Annotated[str, Field(min_length=1)] = Field(
        description="Name of the model that is asked, such as one of spec.config.external_models."
    )
    deadline_ms: Positive | None = Field(
        default=None, description="Milliseconds that an answer may take."
    )


class Window(SnakeModel):
    """Long text is read in overlapping pieces."""

    size: Positive = Field(description="Tokens of a piece.")
    overlap: Count | None = Field(
        default=None, description="Tokens that a piece shares with the one before; below size."
    )

    CROSS_RULES = (
        CrossRule(
            code="WindowOverlap",
            message="must be below size; lower it",
            part="overlap",
            holds=lambda window: window.overlap is None or window.overlap < window.size,
            cel=f"!{said('overlap')} || self.overlap < self.size",
        ),
    )


def fits(window: Window | None, max_sequence_length: int | None) -> bool:
    """Whether a piece is no longer than what the model reads."""
    return window is None or window.size <= (max_sequence_length or DEFAULT_SEQUENCE_LENGTH)


LENGTH_IS_SET = f"({said('max_sequence_length')} && self.max_sequence_length > 0)"
FITS_CEL = (
    f"!{said('window')} || self.window.size <= "
    f"({LENGTH_IS_SET} ? self.max_sequence_length : {DEFAULT_SEQUENCE_LENGTH})"
)
"""`fits` in CEL, over an object with the fields window and max_sequence_length."""
FITS_MESSAGE = (
    "size must not be above max_sequence_length (512 when that is 0 or left out); lower it, or "
    "raise max_sequence_length"
)
