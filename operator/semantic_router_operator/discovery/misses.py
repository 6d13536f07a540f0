"""How a look-up that found nothing reads to a user: reason, text, and whether it is final."""

from dataclasses import dataclass
from typing import Literal

from semantic_router_operator.model.facts import (
    Absent,
    KindNotInstalled,
    Missing,
    NoAnswer,
    NotAllowed,
)


@dataclass(frozen=True, slots=True)
class Miss:
    """`uncertain`: the object may be there, the cluster just could not be asked."""

    reason: Literal["NotFound", "KindNotInstalled", "Forbidden", "Unreachable"]
    text: str
    uncertain: bool


def explained(what: str, missing: Missing) -> Miss:
    """`what` is the object as a message names it: `Service models/vllm-a`."""
    match missing:
        case Absent():
            text = f"{what} does not exist; create it, or correct the name and namespace"
            return Miss("NotFound", text, uncertain=False)
        case KindNotInstalled(kind=kind):
            text = f"{what} can't exist: the cluster doesn't serve kind {kind}; install it"
            return Miss("KindNotInstalled", text, uncertain=False)
        case NotAllowed(message=message):
            text = f"the operator may not read {what} ({message}); allow it, or use another backend"
            return Miss("Forbidden", text, uncertain=True)
        case NoAnswer():
            text = f"the API server did not say whether there is {what}; it is asked again"
            return Miss("Unreachable", text, uncertain=True)
