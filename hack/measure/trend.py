"""Whether a row of samples grows, and what a run of some length can tell of that."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from measure.figures import slope
from measure.gauges import Sample

WARM_UP = 1 / 3
"""This part of a run isn't looked at: caches fill, the allocator finds its size."""
MIB_PER_HOUR = 1.0
"""Target of a long run."""
MIB_NOISE = 2.0
"""Resident memory wanders by so much without a leak: less than that in a run tells nothing."""
COUNT_NOISE = 5.0
"""The same for descriptors and tasks: what is alive at the moment comes and goes."""


@dataclass(frozen=True, slots=True)
class Trend:
    """The line of the least squares through what came after the warm-up."""

    per_hour: float
    hours: float
    """Between the first and the last sample that count."""
    mean: float

    @property
    def growth(self) -> float:
        """Along the line, from its begin to its end."""
        return self.per_hour * self.hours


def trend(samples: Sequence[Sample], value: Callable[[Sample], float]) -> Trend:
    """Of one value over the samples, the warm-up left out."""
    counted = after_warm_up(samples)
    if not counted:
        return Trend(0.0, 0.0, 0.0)
    hours = [(one.at - counted[0].at) / 3600 for one in counted]
    values = [value(one) for one in counted]
    points = list(zip(hours, values, strict=True))
    return Trend(slope(points), hours[-1], sum(values) / len(values))


def after_warm_up(samples: Sequence[Sample]) -> Sequence[Sample]:
    """The samples that count."""
    if not samples:
        return samples
    first, last = samples[0].at, samples[-1].at
    return [one for one in samples if one.at >= first + (last - first) * WARM_UP]


def most_per_hour(hours: float) -> float:
    """MiB in an hour that resident memory may grow in a look of so many hours: the target, where
    the look is long enough to tell it from noise."""
    return max(MIB_PER_HOUR, MIB_NOISE / hours) if hours else MIB_NOISE
