"""The parts of spec that say how many pods may be away, and where they are."""

import re
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, StrictBool, StrictInt, WithJsonSchema
from pydantic_core import PydanticCustomError

from semantic_router_operator.model.base import REFUSED, Model

_PERCENT: Final = r"^[0-9]+%$"
_MOST: Final = 2**31 - 1


def _count(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise PydanticCustomError(REFUSED, "is neither a number of pods nor a percentage")
    if isinstance(value, int) and not 0 <= value <= _MOST:
        raise PydanticCustomError(REFUSED, "is no number of pods; write 0 or more")
    if isinstance(value, str) and not re.fullmatch(_PERCENT, value):
        raise PydanticCustomError(REFUSED, "is no percentage; write a number, or one such as 50%")
    return value


Count = Annotated[
    int | str,
    BeforeValidator(_count),
    WithJsonSchema(
        {
            "x-kubernetes-int-or-string": True,
            "minimum": 0,
            "maximum": _MOST,
            "pattern": _PERCENT,
        }
    ),
]
"""A number of pods, or a percentage of them."""


class PodDisruptionBudget(Model):
    """A PodDisruptionBudget: how many pods a node drain may take at once."""

    enabled: StrictBool = Field(default=False, description="True makes the budget.")
    min_available: Count | None = Field(
        default=None, description="Pods that must stay, as a number or a percentage."
    )
    max_unavailable: Count | None = Field(
        default=None,
        description="Pods that may be away, instead of minAvailable; 1 when neither is said.",
    )


class TopologySpread(Model):
    """Short form of one topologySpreadConstraint over the router's own pods."""

    enabled: StrictBool | None = Field(default=None, description="True spreads the pods.")
    max_skew: StrictInt | None = Field(
        default=None, description="How many pods more than elsewhere; 1 by default."
    )
    topology_key: str | None = Field(
        default=None, description="Label of the nodes; kubernetes.io/hostname by default."
    )
    when_unsatisfiable: str | None = Field(
        default=None, description="ScheduleAnyway (default) or DoNotSchedule."
    )
