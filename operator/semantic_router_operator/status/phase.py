"""status.phase: the state in one word, for people and for scripts of the Go operator."""

from collections.abc import Iterable
from typing import Literal, get_args

from semantic_router_operator.model.status import Finding

Phase = Literal["Pending", "Progressing", "Running", "Degraded"]


PHASES: tuple[Phase, ...] = get_args(Phase)


def phase(findings: Iterable[Finding]) -> Phase:
    """Pending while no pod answers (also when none is wanted), then Degraded while something is
    partial, Running when the spec is met, else Progressing."""
    true = {finding.type for finding in findings if finding.status == "True"}
    if "Available" not in true:
        return "Pending"
    if "Degraded" in true:
        return "Degraded"
    return "Running" if "Ready" in true else "Progressing"
