"""When a revision counts as failed, so that the one before runs again (docs/adr/0013)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from semantic_router_operator.model.manifests import DeploymentFacts, RevisionFacts
from semantic_router_operator.model.status import PROOF, Goodness
from semantic_router_operator.objects.deployment import LEAST_DEADLINE


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the spec asks for: digests of its pod template, and of its document without backends."""

    template: str
    settings: str


def timed_out(
    wanted: Candidate, live: DeploymentFacts, history: Sequence[RevisionFacts], known: Goodness
) -> int | None:
    """The revision to go back to when the Deployment has given up on the wanted pods. Going back
    helps only where the last good revision is there and has other pods."""
    if not live.timed_out or live.template_digest != wanted.template:
        return None
    good = _the(known.last_good, history)
    if good is None or good.template_digest in {"", wanted.template}:
        return None
    return good.number


PATIENCE_SECONDS: Final = LEAST_DEADLINE
"""For how long lost pods may be away unless spec.progressDeadlineSeconds says. They have run, so
that what a first start loads is no reason to wait."""


def lost(
    wanted: Candidate,
    live: DeploymentFacts,
    history: Sequence[RevisionFacts],
    known: Goodness,
    *,
    patience: int | None,
) -> tuple[int, datetime] | None:
    """The revision to go back to when every pod was lost soon after new settings reached them, and
    the time at which they have been away for too long: `patience` is spec.progressDeadlineSeconds.
    While some are left it isn't the settings: all pods read the same."""
    if not live.has_lost_all_pods or known.since is None or known.away_since is None:
        return None
    good = _the(known.previous_good, history)
    if good is None or good.settings_digest in {"", wanted.settings}:
        return None
    if not good.template_digest == wanted.template == live.template_digest:
        return None
    if not known.since <= known.away_since <= known.since + PROOF:
        return None
    return good.number, known.away_since + timedelta(seconds=patience or PATIENCE_SECONDS)


def _the(number: int | None, history: Sequence[RevisionFacts]) -> RevisionFacts | None:
    return next((item for item in history if item.number == number), None)
