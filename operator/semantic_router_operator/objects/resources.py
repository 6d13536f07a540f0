"""Compute resources of the router container."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from semantic_router_operator.model import paths, quantity
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.hardware import device
from semantic_router_operator.objects.raw import present

Section = Literal["limits", "requests"]
SECTIONS: Final[tuple[Section, ...]] = ("limits", "requests")
_PATH = "spec.resources"


def amounts(router: SemanticRouter, section: Section) -> dict[str, Any]:
    """The amounts that the resource gives, as written, by name; empty when it gives no map."""
    given = (router.spec.resources or {}).get(section)
    return {str(name): value for name, value in given.items()} if isinstance(given, dict) else {}


def resources(router: SemanticRouter) -> dict[str, Any]:
    """spec.resources as it is, amounts as text, with the profile's device among the limits."""
    limits, requests = amounts(router, "limits"), amounts(router, "requests")
    return present(
        {
            "claims": (router.spec.resources or {}).get("claims"),
            "limits": {**_spelled(limits), **device(router, {**limits, **requests})},
            "requests": _spelled(requests),
        }
    )


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """Amounts that the API server would refuse (field cases OP-03, GPU-01)."""
    found: list[Issue] = []
    known: dict[Section, dict[str, int]] = {"limits": {}, "requests": {}}
    for section in SECTIONS:
        given = (router.spec.resources or {}).get(section)
        if given is not None and not isinstance(given, Mapping):
            found.append(_issue(f"{_PATH}.{section}", "must map resource names to amounts"))
        for name, value in amounts(router, section).items():
            try:
                known[section][name] = _amount(name, value)
            except ValueError as error:
                found.append(_issue(_path(section, name), str(error)))
    return (*found, *_compare(known["limits"], known["requests"]))


def _amount(name: str, value: object) -> int:
    amount = quantity.milli(value)
    if amount < 0:
        msg = "must not be negative"
        raise ValueError(msg)
    if _device(name) and amount % 1000:
        msg = "a device is whole; write a whole number"
        raise ValueError(msg)
    return amount


def _compare(limits: Mapping[str, int], requests: Mapping[str, int]) -> Iterator[Issue]:
    for name, amount in requests.items():
        limit = limits.get(name)
        path, other = _path("requests", name), _path("limits", name)
        if (_device(name) or name.startswith("hugepages-")) and limit != amount:
            yield _issue(path, f"must be equal to {other}; write it there only")
        elif limit is not None and amount > limit:
            yield _issue(path, f"is above {other}; lower it")


def _device(name: str) -> bool:
    """Whether a device plugin provides it: it is named by a domain that isn't Kubernetes' own."""
    domain = name.rpartition("/")[0]
    return bool(domain) and not (domain == "kubernetes.io" or domain.endswith(".kubernetes.io"))


def _spelled(section: Mapping[str, Any]) -> dict[str, str]:
    return {name: quantity.spelled(value) for name, value in sorted(section.items())}


def _path(section: Section, name: str) -> str:
    return paths.child(f"{_PATH}.{section}", name)


def _issue(path: str, message: str) -> Issue:
    return Issue("InvalidSpec", path, message)
