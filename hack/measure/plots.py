"""The samples of a soak as a picture: four small plots, one above the other's time."""

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from measure.gauges import Sample
from measure.trend import after_warm_up, trend

mpl.use("Agg")

MEMORY = "resident memory, MiB"
PLOTS: tuple[tuple[str, Callable[[Sample], float]], ...] = (
    (MEMORY, lambda one: one.resident),
    ("file descriptors", lambda one: one.descriptors),
    ("asyncio tasks", lambda one: one.tasks),
    ("queue depth", lambda one: one.queue),
)


def draw(samples: Sequence[Sample], path: Path) -> None:
    """Writes a PNG. Raises OSError when it can't be written."""
    figure = Figure(figsize=(11, 7), layout="constrained")
    began = samples[0].at
    counted = after_warm_up(samples)
    minutes = [(one.at - began) / 60 for one in samples]
    for place, (title, value) in enumerate(PLOTS, start=1):
        axes = figure.add_subplot(2, 2, place)
        axes.plot(minutes, [value(one) for one in samples], linewidth=0.9)
        found = trend(samples, value)
        ends = [(counted[0].at - began) / 60, (counted[-1].at - began) / 60]
        middle = found.mean
        line = [middle - found.growth / 2, middle + found.growth / 2]
        axes.plot(ends, line, linestyle="--", color="tab:red")
        axes.set_title(f"{title}: {found.per_hour:+.1f} per hour", fontsize=10)
        axes.set_xlabel("minutes", fontsize=9)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    figure.savefig(path, format="png", dpi=100)
