"""The one writer of the router's YAML: block style, two spaces, every text in double quotes.

The router's reader resolves scalars again (contract: a name `007` became the number 7), so a
text is never written plain. A YAML 1.1 reader and a YAML 1.2 reader see the same values.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from semantic_router_operator.model.canonical import EnvReference

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_SIMPLE_KEY_LIMIT: Final = 250
"""Characters; readers look for the colon of a `key: value` line in its first 1024 bytes only."""
_RESERVED: Final = frozenset(
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf")
)
_ESCAPED: Final = re.compile(
    '["\\\\\x00-\x1f\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f'
    "\ufe00-\ufe0f\ufeff\ufff0-\uffff\U000e0000-\U000e0fff]"
)
"""Quotes, control characters, line ends of YAML 1.1 and what a reader can't see on a screen.

An explicit list: the Unicode tables of Python differ from version to version, the bytes must not.
"""
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def dump(document: Mapping[str, Any]) -> str:
    """The document as YAML in the given order of keys, ending with a line end.

    A `$` of a text is doubled, since the router expands `$NAME` in values, never in keys
    (canonical rules, C); an EnvReference is left as it is. Values are text, bool, int, finite
    float, list and dict; anything else is a bug and raises TypeError.
    """
    return "\n".join(_map(document, "")) + "\n"


def _map(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, member in value.items():
        name = _key(key)
        if len(name) > _SIMPLE_KEY_LIMIT:
            yield f"{indent}? {name}"
            name = ""
        if isinstance(member, dict) and member:
            yield f"{indent}{name}:"
            yield from _map(member, f"{indent}  ")
        elif isinstance(member, list) and member:
            yield f"{indent}{name}:"
            yield from _list(member, f"{indent}  ")
        else:
            yield f"{indent}{name}: {_scalar(member)}"


def _list(value: Sequence[Any], indent: str) -> Iterator[str]:
    for member in value:
        if isinstance(member, dict) and member:
            lines = _map(member, f"{indent}  ")
        elif isinstance(member, list) and member:
            lines = _list(member, f"{indent}  ")
        else:
            yield f"{indent}- {_scalar(member)}"
            continue
        first = next(lines)
        yield f"{indent}- {first[len(indent) + 2 :]}"
        yield from lines


def _scalar(value: object) -> str:
    match value:
        case str():
            return _quoted(value if isinstance(value, EnvReference) else value.replace("$", "$$"))
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float(value)
        case dict() | list():
            return "{}" if isinstance(value, dict) else "[]"
        case _:
            problem = f"no YAML for {type(value).__name__}"
            raise TypeError(problem)


def _float(value: float) -> str:
    """With a point, without which a YAML 1.1 reader takes `1e+21` for text."""
    mantissa, exponent, power = repr(value).partition("e")
    return f"{mantissa if '.' in mantissa else f'{mantissa}.0'}{exponent}{power}"


def _key(key: str) -> str:
    if _PLAIN_KEY.fullmatch(key) and key.lower() not in _RESERVED:
        return key
    return _quoted(key)


def _quoted(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
