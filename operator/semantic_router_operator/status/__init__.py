"""Findings of a pass -> conditions, phase, backends and Events.

Facts come in (evidence.py), one pure check judges each condition (conditions.py), summary.py makes
Ready, Reconciling and Stalled of them, publish.py writes the status object, events.py compares two
of them, record.py reads one back. docs/conditions.md tells users what each reason means.
"""

from semantic_router_operator.status.assessment import (
    assess,
    assess_failure,
    assess_invalid,
    assess_suspended,
)
from semantic_router_operator.status.events import events
from semantic_router_operator.status.publish import publish
from semantic_router_operator.status.record import goodness, last_known, previous_default
from semantic_router_operator.status.workload import rollout

__all__ = [
    "assess",
    "assess_failure",
    "assess_invalid",
    "assess_suspended",
    "events",
    "goodness",
    "last_known",
    "previous_default",
    "publish",
    "rollout",
]
