"""What is made of measured numbers: quantiles, slopes, and targets that are met or missed."""

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """One line of a report. `met` None: told, but nothing is promised about it."""

    what: str
    found: str
    limit: str = ""
    met: bool | None = None


def at_most(what: str, found: float, limit: float, unit: str) -> Target:
    """A number that mustn't be greater than the limit; one that isn't there (nan) is a miss."""
    return Target(what, f"{found:,.1f} {unit}", f"<= {limit:,.1f} {unit}", met=found <= limit)


def report(targets: Iterable[Target]) -> int:
    """Prints a line for each; 1 when one is missed, else 0."""
    rows = list(targets)
    for row in rows:
        verdict = {None: "", True: "met", False: "MISSED"}[row.met]
        print(f"{row.what:54} {row.found:>22} {row.limit:>16}  {verdict}".rstrip())
    return 1 if any(row.met is False for row in rows) else 0


def quantile(values: Iterable[float], part: float) -> float:
    """The value that `part` of all don't exceed, by the nearest rank; nan for no value."""
    ordered = sorted(values)
    if not ordered:
        return math.nan
    return ordered[max(0, math.ceil(len(ordered) * part) - 1)]


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Of the line with the least squares, y for each x; 0 where all x are the same."""
    count = len(points)
    if count < 2:
        return 0.0
    x_mean = sum(x for x, _ in points) / count
    y_mean = sum(y for _, y in points) / count
    spread = sum((x - x_mean) ** 2 for x, _ in points)
    if spread == 0:
        return 0.0
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / spread


def number(
    kind: Callable[[str], float], *, least: float, most: float = math.inf
) -> Callable[[str], float]:
    """An argparse type for `int` or `float` with bounds; argparse ends with exit code 2."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most or math.isinf(value):
            bounds = f"at least {least:g}" + (f" and at most {most:g}" if most < math.inf else "")
            message = f"{text!r} is not a number of {bounds}"
            raise argparse.ArgumentTypeError(message)
        return value

    return read
