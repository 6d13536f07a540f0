"""`history NAME`: the recorded revisions of a router, and what differs between them."""

import argparse
import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.cli.live_router import Kept, LiveRouter, Session, told
from semantic_router_operator.cli.manifest_yaml import dump
from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model.manifests import Revision

_LIMIT: Final = 2
"""Revisions that --diff compares."""


def run(options: argparse.Namespace) -> int:
    """The exit code."""

    async def work(session: Session) -> str:
        router = await session.router(options.name)
        if options.revision is not None:
            return _whole(router.the(options.revision))
        return _difference(router, options.diff) if options.diff else table(router)

    return told(options, work)


def table(router: LiveRouter) -> str:
    """One line for each revision, the newest last."""
    if not router.history:
        return f"{router.title} has no recorded revision yet\n"
    head = ("REVISION", "RECORDED", "STATE", "CONFIGURATION", "IMAGE")
    lines = [head, *(_line(router, kept) for kept in router.history)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    padded = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
    return "\n".join(padded) + "\n"


def _line(router: LiveRouter, kept: Kept) -> tuple[str, str, str, str, str]:
    revision = kept.revision
    words = (("running", router.running), ("last good", router.last_good))
    state = ", ".join(word for word, number in words if number == revision.number)
    digest = revision.config.digest.removeprefix("sha256:")[:12]
    return str(revision.number), kept.created, state or "-", digest, _image(revision) or "-"


def _image(revision: Revision) -> str:
    containers = ((revision.template or {}).get("spec") or {}).get("containers") or ()
    found = (item.get("image", "") for item in containers if item.get("name") == names.CONTAINER)
    return str(next(found, ""))


def _difference(router: LiveRouter, numbers: list[int]) -> str:
    if len(numbers) > _LIMIT:
        message = f"--diff: compares two revisions, {len(numbers)} are given; keep two"
        raise InvalidSpec(message)
    if len(numbers) < _LIMIT and router.running is None:
        message = f"{router.title} runs no recorded revision; give --diff two numbers"
        raise InvalidSpec(message)
    first, second = (*numbers, router.running or 0)[:_LIMIT]
    text = "".join(difference(router.the(first), router.the(second)))
    return text or f"revisions {first} and {second} don't differ\n"


def difference(old: Revision, new: Revision) -> Iterator[str]:
    """Unified diffs, one for each part that differs."""
    for (part, before), (_, after) in zip(_parts(old), _parts(new), strict=True):
        yield from difflib.unified_diff(
            before.splitlines(keepends=True),
            after.splitlines(keepends=True),
            f"revision {old.number}: {part}",
            f"revision {new.number}: {part}",
        )


def _whole(revision: Revision) -> str:
    return "".join(f"# {part}\n{text.rstrip()}\n" for part, text in _parts(revision))


def _parts(revision: Revision) -> tuple[tuple[str, str], ...]:
    return (
        (names.CONFIG_KEY, revision.config.text),
        (names.TOOLS_KEY, _indented(revision.config.tools)),
        ("pod template", _pods(revision.template)),
    )


def _indented(tools: str) -> str:
    try:
        return json.dumps(json.loads(tools or "[]"), indent=2, ensure_ascii=False) + "\n"
    except ValueError:
        return tools


def _pods(template: Mapping[str, Any] | None) -> str:
    return "not recorded\n" if template is None else dump(template)
