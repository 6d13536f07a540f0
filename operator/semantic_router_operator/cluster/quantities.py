"""Kubernetes quantities as numbers, so that `1000m` equals `1` (field case OP-03)."""

import re
from decimal import Decimal

_QUANTITY = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))"
    r"(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?[0-9]{1,3}))?"
)

_FACTORS = {
    **{letter + "i": Decimal(1024) ** power for power, letter in enumerate("KMGTPE", start=1)},
    **{letter: Decimal(1000) ** power for power, letter in enumerate("kMGTPE", start=1)},
    **{letter: Decimal(1000) ** -power for power, letter in enumerate("mun", start=1)},
}


def quantity(value: object) -> Decimal | None:
    """The number that a quantity (`2`, `0.5`, `1024Mi`, `1e3`) stands for, None for any other text.

    The grammar is that of k8s.io/apimachinery `resource.Quantity`.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    match = _QUANTITY.fullmatch(str(value))
    if match is None:
        return None
    number = Decimal(match["number"])
    if match["exponent"]:
        return number.scaleb(int(match["exponent"]))
    return number * _FACTORS[match["suffix"]] if match["suffix"] else number
