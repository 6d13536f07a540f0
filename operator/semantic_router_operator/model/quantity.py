"""Kubernetes resource quantities: `500m`, `2.85Gi`, `1e3`.

The API server keeps them in thousandths, rounded up, and prints them in a canonical spelling; two
spellings of one amount are the same amount (field case OP-03).
"""

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Final

_FORM: Final = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))"
    r"(?P<suffix>[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?"
)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_LONGEST: Final = 64
_LARGEST: Final = 2**63 - 1


def milli(value: object) -> int:
    """The amount in thousandths, rounded up as the API server does. May be negative.

    `value` is a text or a number as YAML gives it. Raises ValueError, with a text that says what
    is wrong and doesn't repeat the value, when it is no quantity.
    """
    text = spelled(value)
    match = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        msg = "is not a quantity such as 500m, 2 or 1.5Gi"
        raise ValueError(msg)
    amount = Fraction(Decimal(match["number"])) * _factor(match["suffix"] or "")
    if abs(amount) > _LARGEST:
        msg = "is larger than Kubernetes can count"
        raise ValueError(msg)
    return math.ceil(amount * 1000)


def spelled(value: object) -> str:
    """A quantity as text; an integer or a decimal number of YAML becomes one, a text stays."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return ""
    return value if isinstance(value, str) else str(value)


def _factor(suffix: str) -> Fraction:
    if suffix in _BINARY:
        return Fraction(1024 ** _BINARY[suffix])
    return Fraction(10) ** (_DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:] or 0))
