"""spec.config.complexity_rules[] and complexity_model: how hard a request is."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt

from semantic_router_operator.model.base import NullFreeList, SnakeModel, StringList
from semantic_router_operator.model.config.model_backend import ModelBackend
from semantic_router_operator.model.config.values import Fraction, Number
from semantic_router_operator.model.cross_rule import CrossRule, said

_CONTRACTS = ("score.v1", "label_distribution.v1")
_UPWARD = f"({said('hard_above')} || {said('easy_below')})"
_DOWNWARD = f"({said('hard_below')} || {said('easy_above')})"


class ComplexityCandidates(SnakeModel):
    """Examples of requests; a request counts as what it is more like."""

    candidates: StringList = Field(description="The examples.")


class ComposerCondition(SnakeModel):
    """A signal that a request may show."""

    type: str = Field(description="Kind of signal, such as domain.")
    name: str = Field(description="Name of the signal.")


class Composer(SnakeModel):
    """When the rule is asked at all."""

    operator: Literal["AND", "OR", "NOT"] = Field(description="How the conditions are joined.")
    conditions: Annotated[tuple[ComposerCondition, ...], NullFreeList] = Field(
        description="Signals that are asked for."
    )


class PrototypeScoring(SnakeModel):
    """Comparing with the centres of groups of examples rather than with each example."""

    enabled: StrictBool | None = Field(default=None, description="Whether examples are grouped.")
    cluster_similarity_threshold: Number | None = Field(
        default=None, description="How alike the examples of a group are, a number as text."
    )
    max_prototypes: StrictInt | None = Field(default=None, description="Most groups.")
    best_weight: Number | None = Field(
        default=None, description="Weight of the nearest group, a number as text."
    )
    top_m: StrictInt | None = Field(
        default=None, description="Nearest groups that count, besides the best."
    )
    margin_threshold: Number | None = Field(
        default=None, description="Least distance between the answers, a number as text."
    )


def _upward(rule: "ComplexityRule") -> bool:
    return rule.hard_above is not None or rule.easy_below is not None


def _downward(rule: "ComplexityRule") -> bool:
    return rule.hard_below is not None or rule.easy_above is not None


def _below(low: str | None, high: str | None) -> bool:
    return low is None or high is None or float(low) < float(high)


class ComplexityRule(SnakeModel):
    """One signal `name:easy`, `name:medium` or `name:hard`."""

    name: str = Field(description="Name of the signal, unique in this router.")
    description: str | None = Field(default=None, description="What the rule is for.")
    threshold: Fraction | None = Field(
        default=None,
        description="How far hard and easy must be apart, from 0 to 1, as text; between them is "
        "medium.",
    )
    hard: ComplexityCandidates | None = Field(default=None, description="Hard requests.")
    easy: ComplexityCandidates | None = Field(default=None, description="Easy requests.")
    composer: Composer | None = Field(default=None, description="When the rule is asked at all.")
    hard_above: Number | None = Field(
        default=None, description="Score above which a request is hard; with easy_below."
    )
    easy_below: Number | None = Field(
        default=None, description="Score below which a request is easy; with hard_above."
    )
    hard_below: Number | None = Field(
        default=None, description="Score below which a request is hard; with easy_above."
    )
    easy_above: Number | None = Field(
        default=None, description="Score above which a request is easy; with hard_below."
    )
    prototype_scoring: PrototypeScoring | None = Field(
        default=None, description="Comparing with the centres of groups of examples."
    )

    CROSS_RULES = (
        CrossRule(
            code="ComplexityThreshold",
            message="excludes hard_above, easy_below, hard_below and easy_above; keep threshold, "
            "or one pair of them",
            part="threshold",
            holds=lambda rule: rule.threshold is None or not (_upward(rule) or _downward(rule)),
            cel=f"!{said('threshold')} || !({_UPWARD} || {_DOWNWARD})",
        ),
        CrossRule(
            code="ComplexityDirection",
            message="hard_above and easy_below exclude hard_below and easy_above; keep one pair",
            holds=lambda rule: not (_upward(rule) and _downward(rule)),
            cel=f"!({_UPWARD} && {_DOWNWARD})",
        ),
        CrossRule(
            code="ComplexityUpwardPair",
            message="hard_above and easy_below belong together; write both",
            holds=lambda rule: (rule.hard_above is None) == (rule.easy_below is None),
            cel=f"{said('hard_above')} == {said('easy_below')}",
        ),
        CrossRule(
            code="ComplexityDownwardPair",
            message="hard_below and easy_above belong together; write both",
            holds=lambda rule: (rule.hard_below is None) == (rule.easy_above is None),
            cel=f"{said('hard_below')} == {said('easy_above')}",
        ),
        CrossRule(
            code="ComplexityUpwardOrder",
            message="must be below hard_above; lower it",
            part="easy_below",
            holds=lambda rule: _below(rule.easy_below, rule.hard_above),
            cel=f"!{said('easy_below')} || !{said('hard_above')} || "
            "double(self.easy_below) < double(self.hard_above)",
        ),
        CrossRule(
            code="ComplexityDownwardOrder",
            message="must be below easy_above; lower it",
            part="hard_below",
            holds=lambda rule: _below(rule.hard_below, rule.easy_above),
            cel=f"!{said('hard_below')} || !{said('easy_above')} || "
            "double(self.hard_below) < double(self.easy_above)",
        ),
    )


def _scores(model: "ComplexityModel") -> bool:
    return model.backend is None or model.backend.contract in _CONTRACTS


class ComplexityModel(SnakeModel):
    """A model outside the router that tells how hard a request is."""

    backend: ModelBackend | None = Field(default=None, description="The model that is asked.")

    CROSS_RULES = (
        CrossRule(
            code="ComplexityContract",
            message=f"contract must be {' or '.join(_CONTRACTS)}; write one of them",
            part="backend",
            holds=_scores,
            cel=f"!{said('backend')} || (has(self.backend.contract) && "
            f"self.backend.contract in {list(_CONTRACTS)})",
        ),
    )
