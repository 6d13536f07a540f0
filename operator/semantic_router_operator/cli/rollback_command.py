"""`rollback NAME [--to REV]`: an earlier revision runs until the spec changes."""

import argparse
import contextlib
from typing import Final

from semantic_router_operator import names
from semantic_router_operator.cli.live_router import LiveRouter, Session, told
from semantic_router_operator.errors import ApiConflict, InvalidSpec

ATTEMPTS: Final = 5


def run(options: argparse.Namespace) -> int:
    """The exit code."""

    async def work(session: Session) -> str:
        for _ in range(ATTEMPTS - 1):
            with contextlib.suppress(ApiConflict):
                return await _tried(session, options)
        return await _tried(session, options)

    return told(options, work)


async def _tried(session: Session, options: argparse.Namespace) -> str:
    """One attempt. Raises ApiConflict when the router changed between the read and the write: its
    status does so often, and only a look tells whether its spec has."""
    router = await session.router(options.name)
    value, text = _undone(router) if options.undo else _wish(router, options.to)
    if options.dry_run:
        return f"{router.title}: {text} (dry run, nothing was changed)\n"
    await session.annotate(router, value)
    return f"{router.title}: {text}\n"


def _wish(router: LiveRouter, to: int | None) -> tuple[str, str]:
    number = router.the(to if to is not None else target(router)).number
    if number == router.running:
        message = f"{router.title} runs revision {number} already"
        raise InvalidSpec(message)
    generation = router.body["metadata"]["generation"]
    return f"{number}@{generation}", f"revision {number} is to run until the spec changes"


def target(router: LiveRouter) -> int:
    """The last good revision when another one runs, else the one before. Raises InvalidSpec."""
    running = router.running
    if running is None:
        message = f"{router.title} runs no recorded revision yet; there is nothing to go back to"
        raise InvalidSpec(message)
    recorded = [kept.revision.number for kept in router.history]
    if router.last_good in recorded and router.last_good != running:
        return router.last_good or running
    older = [number for number in recorded if number < running]
    if not older:
        message = f"{router.title} has no revision before {running}; there is nothing to go back to"
        raise InvalidSpec(message)
    return max(older)


def _undone(router: LiveRouter) -> tuple[None, str]:
    annotations = router.body["metadata"].get("annotations") or {}
    if names.ANNOTATION_ROLLBACK_TO not in annotations:
        message = (
            f"{router.title} has no rollback to undo; one that the operator made by itself ends "
            "with the next change of the spec"
        )
        raise InvalidSpec(message)
    return None, "what the spec asks for is to run"
