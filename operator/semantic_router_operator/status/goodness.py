"""Which revisions are good, from pass to pass."""

from dataclasses import replace
from datetime import datetime

from semantic_router_operator.model.status import PROOF, Assessment, Goodness


def revisions_after(assessment: Assessment, known: Goodness, *, now: datetime) -> Goodness:
    """The last good revision is the one with which the router was Ready last. While only new
    settings tell it from the good one before, that one is remembered as well."""
    recorded = assessment.recorded
    running = recorded.number or known.running
    known = _renumbered(known, recorded.former, recorded.number)
    if assessment.went_back:
        return Goodness(running, running)
    ready = any(f.type == "Ready" and f.status == "True" for f in assessment.findings)
    if not ready or running == known.last_good:
        return replace(known, running=running)
    if recorded.change == "backends":
        return replace(known, running=running, last_good=running)
    if recorded.change != "settings":
        return Goodness(running, running)
    fresh = known.since is not None and now - known.since < PROOF
    before = known.previous_good if fresh else known.last_good
    return Goodness(running, running, before, now)


def _renumbered(known: Goodness, former: int | None, number: int | None) -> Goodness:
    """What is recorded once more has a new number, under which it is still the good one."""
    if former is None:
        return known
    return replace(
        known,
        last_good=number if known.last_good == former else known.last_good,
        previous_good=number if known.previous_good == former else known.previous_good,
    )
