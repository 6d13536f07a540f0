"""spec.config.classifier: the router's models for domains and for personal data."""

from typing import Literal

from pydantic import Field, StrictBool

from semantic_router_operator.model.base import SnakeModel
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

_TOKEN_SPANS = "token_spans.v1"  # noqa: S105 - tokens of text
_MMBERT = f"({said('use_mmbert_32k')} && self.use_mmbert_32k)"
_LOCAL = f"{_MMBERT} && !{said('backend')}"
_ONLY_LOCAL = (
    "works only with the router's own mmbert32k; set use_mmbert_32k and remove backend, or "
    "remove this"
)


def _is_local(model: "PiiModel") -> bool:
    return bool(model.use_mmbert_32k) and model.backend is None


class CategoryModel(SnakeModel):
    """The model that tells the domain of a request."""

    model_id: str | None = Field(
        default=None, description="The model, as a path or a name that the router can download."
    )
    threshold: Fraction | None = Field(
        default=None, description="How sure the model must be, from 0 to 1, as text."
    )
    use_cpu: StrictBool | None = Field(
        default=None, description="Whether the model runs on the CPU; as hardware.profile says."
    )
    use_modernbert: StrictBool | None = Field(
        default=None, description="Whether the model is a ModernBERT."
    )
    category_mapping_path: str | None = Field(
        default=None, description="File in the pod with the labels of the model."
    )


class PiiModel(SnakeModel):
    """The model that finds personal data in a request."""

    model_id: str | None = Field(
        default=None, description="The model, as a path or a name that the router can download."
    )
    threshold: Fraction | None = Field(
        default=None, description="How sure the model must be, from 0 to 1, as text."
    )
    use_cpu: StrictBool | None = Field(
        default=None, description="Whether the model runs on the CPU; as hardware.profile says."
    )
    use_modernbert: StrictBool | None = Field(
        default=None, description="Whether the model is a ModernBERT."
    )
    use_mmbert_32k: StrictBool | None = Field(
        default=None, description="Whether the model is the router's own mmbert32k."
    )
    pii_mapping_path: str | None = Field(
        default=None, description="File in the pod with the labels of the model."
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

    CROSS_RULES = (
        CrossRule(
            code="PiiContract",
            message=f"finding personal data needs contract {_TOKEN_SPANS}; write it, or leave "
            "contract out",
            part="backend",
            holds=lambda model: (
                model.backend is None or model.backend.contract in (None, _TOKEN_SPANS)
            ),
            cel=f"!{said('backend')} || !has(self.backend.contract) || "
            f"self.backend.contract == '{_TOKEN_SPANS}'",
        ),
        CrossRule(
            code="PiiBackendOrLocal",
            message="excludes backend; keep one of them",
            part="use_mmbert_32k",
            holds=lambda model: model.backend is None or not model.use_mmbert_32k,
            cel=f"!{said('backend')} || !{_MMBERT}",
        ),
        CrossRule(
            code="PiiSequenceLength",
            message=_ONLY_LOCAL,
            part="max_sequence_length",
            holds=lambda model: not model.max_sequence_length or _is_local(model),
            cel=f"!{LENGTH_IS_SET} || ({_LOCAL})",
        ),
        CrossRule(
            code="PiiWindow",
            message=_ONLY_LOCAL,
            part="window",
            holds=lambda model: model.window is None or _is_local(model),
            cel=f"!{said('window')} || ({_LOCAL})",
        ),
        CrossRule(
            code="PiiWindowSize",
            message=FITS_MESSAGE,
            part="window",
            holds=lambda model: fits(model.window, model.max_sequence_length),
            cel=FITS_CEL,
        ),
    )


class Classifier(SnakeModel):
    """The router's own classification models."""

    category_model: CategoryModel | None = Field(
        default=None, description="The model that tells the domain of a request."
    )
    pii_model: PiiModel | None = Field(
        default=None, description="The model that finds personal data in a request."
    )
