"""Short ways to a candidate document, for the tests of translate/ and validation/."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from semantic_router_operator.model.canonical import Candidate, CanonicalConfig, Held
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.resolution import (
    Discovery,
    Reason,
    Resolution,
    Resolved,
    Target,
    Unresolved,
)
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.translate import render, translate

Json = dict[str, Any]


def router(spec: Mapping[str, Any]) -> SemanticRouter:
    """A router `r` of namespace `ns` with that spec."""
    return parse({"metadata": {"name": "r", "namespace": "ns"}, "spec": dict(spec)})


def entry(name: str, model: str, **fields: Any) -> Json:
    """An entry of spec.vllmEndpoints; a Service of the entry's name unless `backend` is given."""
    service = {"type": "service", "service": {"name": name, "port": 8000}}
    return {"name": name, "model": model, "backend": service, **fields}


def kserve(name: str, model: str, **fields: Any) -> Json:
    """An entry of kind kserve, which has no declared address."""
    backend = {"type": "kserve", "inferenceServiceName": name}
    return entry(name, model, backend=backend, **fields)


def target(host: str, port: int | None = 8000, **fields: Any) -> Target:
    """An http target, unless `protocol` is given."""
    return Target(**{"protocol": "http", "host": host, "port": port, **fields})


def found(*targets: Target | str) -> Resolved:
    """A backend with those targets; a text is the host of one."""
    return Resolved(tuple(target(x) if isinstance(x, str) else x for x in targets))


def missing(reason: Reason = "NotFound", **fields: Any) -> Unresolved:
    """A backend without a target."""
    return Unresolved(reason, "spec.vllmEndpoints[0].backend: told by discovery", **fields)


def translated(
    spec: Mapping[str, Any],
    resolutions: Sequence[Resolution] | None = None,
    *,
    previous: str | None = None,
) -> Candidate | Held:
    """What translate says. Without resolutions every entry `e` is found at host `e.ns`."""
    read = router(spec)
    if resolutions is None:
        resolutions = [found(f"{endpoint.name}.ns") for endpoint in read.spec.vllm_endpoints]
    return translate(read, Discovery(tuple(resolutions)), previous_default=previous)


def candidate(
    spec: Mapping[str, Any],
    resolutions: Sequence[Resolution] | None = None,
    *,
    previous: str | None = None,
) -> Candidate:
    """The candidate; fails where there is none."""
    result = translated(spec, resolutions, previous=previous)
    assert isinstance(result, Candidate), result
    return result


def held(
    spec: Mapping[str, Any],
    resolutions: Sequence[Resolution] | None = None,
    *,
    previous: str | None = None,
) -> Held:
    """The Held; fails where there is a candidate."""
    result = translated(spec, resolutions, previous=previous)
    assert isinstance(result, Held), result
    return result


def errors(result: Held) -> list[str]:
    """Its errors, as a user reads them."""
    return [str(issue) for issue in result.issues if issue.severity == "error"]


def config(
    spec: Mapping[str, Any],
    resolutions: Sequence[Resolution] | None = None,
    *,
    previous: str | None = None,
) -> CanonicalConfig:
    """The rendered document."""
    return render(candidate(spec, resolutions, previous=previous))


def as_the_router_reads(text: str) -> Any:
    """A YAML 1.1 reader, then `$` expansion in values and not in keys, nothing being set."""
    return _expanded(yaml.safe_load(text))


_EXPANSION = re.compile(r"\$\$|\$\{[^}]*\}|\$[A-Za-z0-9_]+")


def _expanded(value: Any) -> Any:
    match value:
        case str():
            return _EXPANSION.sub(lambda hit: "$" if hit.group() == "$$" else "", value)
        case dict():
            return {key: _expanded(member) for key, member in value.items()}
        case list():
            return [_expanded(member) for member in value]
        case _:
            return value
