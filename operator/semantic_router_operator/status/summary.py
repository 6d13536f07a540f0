"""Ready, Reconciling and Stalled: exactly one of them is True, whatever the evidence.

Ready means that the spec is met, Stalled that somebody must act first, Reconciling that what is
missing may come by itself. kstatus reads them so: Reconciling -> InProgress, Stalled -> Failed,
Ready -> Current.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from semantic_router_operator.model.canonical import Accepted
from semantic_router_operator.model.status import Finding
from semantic_router_operator.status import reasons, wording
from semantic_router_operator.status.backends import unhelpable
from semantic_router_operator.status.conditions import (
    config_accepted,
    degraded,
    gateway_reason,
    resources_applied,
    rolled_back,
    unserved,
)
from semantic_router_operator.status.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between the spec and Ready. `stalled`: it won't go away by itself."""

    reason: str
    message: str
    stalled: bool = False


def summary(evidence: Evidence) -> tuple[Finding, Finding, Finding]:
    """Ready, Reconciling, Stalled. What somebody must act on is told before what we wait for."""
    found = sorted(_blocks(evidence), key=lambda block: not block.stalled)
    if found:
        return blocked(found[0])
    return (_ready(evidence), *_settled())


def blocked(block: Block, *, ready: str = "False") -> tuple[Finding, Finding, Finding]:
    """The three conditions of a router that isn't ready: `ready` is "False", or "Unknown" when the
    pass could not find out."""
    text = wording.bounded(block.message)
    told = Finding("Ready", "Unknown" if ready == "Unknown" else "False", block.reason, text)
    if block.stalled:
        return (
            told,
            Finding("Reconciling", "False", reasons.STALLED, "work stopped; see Stalled"),
            Finding("Stalled", "True", block.reason, text),
        )
    return (
        told,
        Finding("Reconciling", "True", block.reason, text),
        Finding("Stalled", "False", reasons.NOT_STALLED, "nobody needs to act"),
    )


def _settled() -> tuple[Finding, Finding]:
    return (
        Finding("Reconciling", "False", reasons.UP_TO_DATE, "nothing is left to be done"),
        Finding("Stalled", "False", reasons.NOT_STALLED, "nobody needs to act"),
    )


def _ready(evidence: Evidence) -> Finding:
    if evidence.rollout.stage == "empty":
        return Finding("Ready", "True", reasons.SCALED_TO_ZERO, evidence.rollout.message)
    partial = degraded(evidence)
    if partial.status == "True":
        text = wording.bounded(f"{partial.reason}: {partial.message}")
        return Finding("Ready", "True", reasons.DEGRADED, text)
    return Finding("Ready", "True", reasons.RUNNING, "the router runs as specified")


def _blocks(evidence: Evidence) -> Iterator[Block]:
    yield from _config(evidence)
    yield from (Block(*told, stalled=True) for told in rolled_back(evidence))
    yield from _resources(evidence)
    yield from _references(evidence)
    yield from _workload(evidence)


def _config(evidence: Evidence) -> Iterator[Block]:
    """A rejected document. The user must act, unless it waits for something of the cluster."""
    if evidence.rejection is None:
        return
    finding = config_accepted(evidence)
    gateway = evidence.gateway
    for_gateway = gateway is not None and gateway.reason == evidence.rejection
    waits = for_gateway or evidence.rejection in reasons.WAITING
    if evidence.rejection == reasons.WAITING_FOR_BACKENDS and unhelpable(evidence.backends):
        yield Block(reasons.BACKENDS_INVALID, finding.message, stalled=True)
    else:
        yield Block(finding.reason, finding.message, stalled=not waits)


def _resources(evidence: Evidence) -> Iterator[Block]:
    finding = resources_applied(evidence)
    if finding.status != "True":
        final = finding.reason in {reasons.NAME_CONFLICT, reasons.OBJECT_REJECTED}
        yield Block(finding.reason, finding.message, stalled=final)


def _references(evidence: Evidence) -> Iterator[Block]:
    """A Gateway that is gone for certain, and models that nothing serves."""
    gateway = evidence.gateway
    if gateway is not None and not gateway.uncertain:
        yield Block(gateway_reason(evidence), gateway.message)
    if (missing := unserved(evidence)) is not None:
        final = missing.reason == reasons.BACKENDS_INVALID
        yield Block(missing.reason, missing.message, stalled=final)


def _workload(evidence: Evidence) -> Iterator[Block]:
    match evidence.verdict:
        case Accepted(config) if config.digest != evidence.observed.live_digest:
            if evidence.observed.rollback is not None:
                return
            text = "the accepted configuration isn't in the live ConfigMap yet"
            yield Block(reasons.CONFIG_PENDING, text)
    rollout = evidence.rollout
    if not rollout.done:
        yield Block(rollout.reason, rollout.message, stalled=rollout.stalled)
