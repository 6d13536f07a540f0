"""How the demo's lines look: pure functions of text and width."""

import difflib
import shlex
import textwrap
from collections.abc import Iterator, Sequence

BOLD, DIM, GREEN, RED = "1", "2", "32", "31"
NARROWEST, WIDEST = 80, 120


def fitting(columns: int) -> int:
    """The width to write for, on a terminal of so many columns."""
    return max(NARROWEST, min(columns, WIDEST))


def command_line(arguments: Sequence[str], width: int) -> str:
    """`$ kubectl ...`, ready to be pasted; broken between arguments where it is too long."""
    lines, line = [], "$ kubectl"
    for argument in map(quoted, arguments):
        if len(line) + 1 + len(argument) > width - 2 and line.strip() not in {"", "$ kubectl"}:
            lines.append(f"{line} \\")
            line = f"    {argument}"
        else:
            line = f"{line} {argument}"
    return "\n".join([*lines, line])


def quoted(argument: str) -> str:
    """The argument as a person would type it: `--type=json`, `-p='[...]'`."""
    flag, equals, value = argument.partition("=")
    if argument.startswith("-") and equals:
        return f"{flag}={shlex.quote(value)}"
    return shlex.quote(argument)


def clipped(text: str, width: int) -> Iterator[str]:
    """The lines of a command's output, indented by two; one that is too long ends with `…`."""
    for line in text.rstrip().splitlines():
        full = f"  {line}".rstrip()
        yield full if len(full) <= width else f"{full[: width - 1]}…"


def wrapped(text: str, width: int) -> str:
    """Prose."""
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def changed_lines(before: str, after: str) -> list[str]:
    """What differs, as in `diff`: `- ` gone, `+ ` new, and the nearest lines above for context."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def painted(text: str, code: str, *, colour: bool) -> str:
    """The text in a colour, where there are colours."""
    return f"\033[{code}m{text}\033[0m" if colour else text
