"""spec.args as the router's own flag parser (Go's `flag`) reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_BOOLEAN: Final = frozenset(
    {"secure", "enable-api", "download-only", "management-remote-exposure", "validate-config"}
)
_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag: its name without dashes, its value, and its place in spec.args."""

    name: str
    value: str
    index: int

    @property
    def path(self) -> str:
        """Field path in the resource."""
        return f"spec.args[{self.index}]"


def parse(args: Sequence[str]) -> tuple[Flag, ...]:
    """The flags up to the first argument that is none, as Go's parser stops there.

    `-name` and `--name` are the same; a boolean flag takes a value only after `=`.
    """
    found: list[Flag] = []
    index = 0
    while index < len(args) and args[index].startswith("-") and args[index].strip("-"):
        name, equals, value = args[index].removeprefix("-").removeprefix("-").partition("=")
        start = index
        if not equals and name in _BOOLEAN:
            value = "true"
        elif not equals:
            index += 1
            value = args[index] if index < len(args) else ""
        found.append(Flag(name, value, start))
        index += 1
    return tuple(found)


def last(args: Sequence[str], name: str) -> Flag | None:
    """The flag of that name that counts: the last one."""
    return next((flag for flag in reversed(parse(args)) if flag.name == name), None)


def enabled(args: Sequence[str], name: str) -> bool:
    """Whether a boolean flag is on."""
    flag = last(args, name)
    return flag is not None and flag.value in _TRUE
