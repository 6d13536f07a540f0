"""Paths into the CR and into the document, as text: `spec.config.routing.decisions[0].name`."""

import re
from collections.abc import Mapping
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_QUOTE_LIMIT: Final = 120
PASSED_ON: Final = "spec.config."
"""Below this the document has the keys of the CR, so the rest of a path is the same in both."""


def child(path: str, key: str) -> str:
    """The path of a key. A key that isn't a plain word is quoted: `labels["a.b"]`."""
    if not _PLAIN.fullmatch(key):
        return f"{path}[{quoted(key)}]"
    return f"{path}.{key}" if path else key


def item(path: str, index: int) -> str:
    """The path of a list item."""
    return f"{path}[{index}]"


def quoted(text: str) -> str:
    """`text` in quotes for a message: what can't be seen as an escape, a long one cut."""
    if len(text) > _QUOTE_LIMIT:
        text = f"{text[:_QUOTE_LIMIT]}..."
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape", "replace").decode()
        for char in text
    )
    return f'"{shown}"'


def trace(origins: Mapping[str, str], path: str) -> str:
    """The CR's path for a path of the document: that of its longest prefix in `origins`.

    What is left of the path is added where the origin is below spec.config. An unknown path is
    `spec`.
    """
    prefix = path
    while prefix not in origins:
        cut = max(prefix.rfind("."), prefix.rfind("["))
        if cut < 1:
            return "spec"
        prefix = prefix[:cut]
    origin = origins[prefix]
    return origin + path[len(prefix) :] if origin.startswith(PASSED_ON) else origin
