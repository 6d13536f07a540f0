"""Whether Go's regexp (RE2) can compile a pattern, as far as it can be told without Go.

Only what is surely refused is reported: Python's own `re` knows another language. Where this
finds nothing, the router may still refuse the pattern.
"""

import re
from typing import Final

_MISSING: Final = (
    (r"\(\?<?[=!]", "looks ahead or behind, which Go's regexp can't"),
    (r"\(\?>", "has an atomic group, which Go's regexp can't"),
    (r"\\[1-9]", "refers back to a group, which Go's regexp can't"),
    (r"\\[ZhHRXKGkgcyYeE]", "has an escape that Go's regexp doesn't know"),
    (r"([*+?]|\{\d+(,\d*)?\})\+", "has a possessive repetition, which Go's regexp can't"),
    (r"[*+?]\*|\?{3}", "repeats a repetition"),
    (r"(^|[(|])[*+]|(^|\|)\?", "repeats nothing"),
)
_REPEAT_LIMIT: Final = 1000
_CLASS: Final = re.compile(r"\[\^?\]?(\[:\^?\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)
_LITERAL: Final = re.compile(r"\\Q.*?(\\E|$)", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\[^1-9A-Za-z]|\\[pPx]\{\^?\w*\}", re.DOTALL)


def problem(pattern: str) -> str | None:
    """What Go surely refuses in a pattern, or None."""
    plain = _ESCAPED.sub("x", _LITERAL.sub("x", pattern))
    plain = _CLASS.sub("x", plain)
    if plain.endswith("\\"):
        return "ends with a backslash"
    if "[" in plain:
        return "has a [ without its ]"
    for odd, text in _MISSING:
        if re.search(odd, plain):
            return text
    if any(
        int(number) > _REPEAT_LIMIT for number in re.findall(r"(?<=[{,])\d{1,9}(?=[,}])", plain)
    ):
        return f"repeats more than {_REPEAT_LIMIT} times"
    return _unbalanced(plain)


def _unbalanced(plain: str) -> str | None:
    depth = 0
    for char in plain:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth < 0:
            return "has a ) without its ("
    return "has a ( without its )" if depth else None
