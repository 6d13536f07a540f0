"""spec.config.prompt_guard: detection of jailbreaks."""

from typing import Literal

from pydantic import Field, StrictBool

from semantic_router_operator.model.base import SnakeModel, StringList
from semantic_router_operator.model.config.model_backend import (
    FITS_CEL,
    FITS_MESSAGE,
    LENGTH_IS_SET,
    ModelBackend,
    Window,
    fits,
)
from semantic_router_operator.model.config.values import Count, Fraction
from semantic_router_operator.model.cross_rule import CrossRule, said

_LOCAL = f"!{said('backend')} && (!has(self.variant) || self.variant == 'mmbert32k')"
_ONLY_LOCAL = "works only with the router's own mmbert32k; remove it, or remove backend and variant"


def _is_local(guard: "PromptGuard") -> bool:
    """Whether the router's own mmbert32k judges; it is the router's default variant."""
    return guard.backend is None and guard.variant in (None, "mmbert32k")


class PromptGuard(SnakeModel):
    """A model that tells requests that try to break the rules of a model."""

    enabled: StrictBool = Field(default=True, description="False switches the guard off.")
    model_id: str = Field(
        default="models/mmbert32k-jailbreak-detector-merged",
        description="The router's own model, as a path or a name that it can download.",
    )
    threshold: Fraction = Field(
        default="0.7", description="How sure the model must be, from 0 to 1, as text."
    )
    use_cpu: StrictBool | None = Field(
        default=None, description="Whether the model runs on the CPU; as hardware.profile says."
    )
    variant: Literal["candle", "mmbert32k"] | None = Field(
        default=None, description="Kind of the router's own model; mmbert32k by default."
    )
    jailbreak_mapping_path: str | None = Field(
        default=None, description="File in the pod with the labels of the model."
    )
    positive_labels: StringList = Field(
        default=(), description="Labels of the model that mean a jailbreak."
    )
    on_error: Literal["allow", "block"] | None = Field(
        default=None, description="What happens to a request when the model fails."
    )
    backend: ModelBackend | None = Field(
        default=None, description="A model outside the router that judges instead."
    )
    max_sequence_length: Count | None = Field(
        default=None, description="Tokens that the router's own mmbert32k reads."
    )
    window: Window | None = Field(
        default=None, description="How the router's own mmbert32k reads long text, in pieces."
    )
    protocol: Literal["http_chat", "http_classify"] | None = Field(
        default=None, description="Deprecated: write backend instead."
    )

    CROSS_RULES = (
        CrossRule(
            code="PromptGuardSequenceLength",
            message=_ONLY_LOCAL,
            part="max_sequence_length",
            holds=lambda guard: not guard.max_sequence_length or _is_local(guard),
            cel=f"!{LENGTH_IS_SET} || ({_LOCAL})",
        ),
        CrossRule(
            code="PromptGuardWindow",
            message=_ONLY_LOCAL,
            part="window",
            holds=lambda guard: guard.window is None or _is_local(guard),
            cel=f"!{said('window')} || ({_LOCAL})",
        ),
        CrossRule(
            code="PromptGuardWindowSize",
            message=FITS_MESSAGE,
            part="window",
            holds=lambda guard: fits(guard.window, guard.max_sequence_length),
            cel=FITS_CEL,
        ),
    )
