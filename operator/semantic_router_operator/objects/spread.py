"""How the router's pods spread over nodes and zones."""

from collections.abc import Mapping
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.router import SemanticRouter

_PATH: Final = "spec.topologySpreadConstraints"
_WAYS: Final = ("ScheduleAnyway", "DoNotSchedule")


def constraints(router: SemanticRouter) -> list[dict[str, Any]]:
    """spec.topologySpreadConstraints, then the one of spec.topologySpread unless it is there.

    A constraint without labelSelector would count no pod at all; it gets that of our pods. Each
    pair of topologyKey and whenUnsatisfiable may be there once.
    """
    ours = {"matchLabels": names.selector_labels(router.name)}
    given = router.spec.topology_spread_constraints
    result = [dict(sorted({"labelSelector": ours, **item}.items())) for item in given]
    short = router.spec.topology_spread
    if short.enabled:
        one = {
            "labelSelector": ours,
            "maxSkew": short.max_skew or 1,
            "topologyKey": short.topology_key or "kubernetes.io/hostname",
            "whenUnsatisfiable": short.when_unsatisfiable or "ScheduleAnyway",
        }
        if _key(one) not in {_key(item) for item in given}:
            result.append(one)
    return result


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """A pair that is there twice, and values that no Kubernetes takes."""
    found: list[Issue] = []
    first: dict[tuple[str, str], int] = {}
    for index, item in enumerate(router.spec.topology_spread_constraints):
        if first.setdefault(_key(item), index) != index:
            message = (
                f"has topologyKey and whenUnsatisfiable of {_PATH}[{first[_key(item)]}]; keep one"
            )
            found.append(Issue("InvalidSpec", f"{_PATH}[{index}]", message))
    short = router.spec.topology_spread
    if short.enabled:
        if short.max_skew is not None and short.max_skew < 0:
            message = "must be at least 1"
            found.append(Issue("InvalidSpec", "spec.topologySpread.maxSkew", message))
        if short.when_unsatisfiable not in (None, "", *_WAYS):
            path, message = "spec.topologySpread.whenUnsatisfiable", f"write {' or '.join(_WAYS)}"
            found.append(Issue("InvalidSpec", path, f"is not a known value; {message}"))
    return tuple(found)


def _key(item: Mapping[str, Any]) -> tuple[str, str]:
    return str(item.get("topologyKey")), str(item.get("whenUnsatisfiable"))
