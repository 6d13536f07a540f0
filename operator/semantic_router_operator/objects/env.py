"""Environment of the router container."""

import re
from collections.abc import Iterator
from typing import Any

from semantic_router_operator.model.canonical import Issue, SecretEnv
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.workload import EnvVar
from semantic_router_operator.objects.raw import present

_NAME = re.compile(r"[ -<>-~]+")


def env(router: SemanticRouter, credentials: tuple[SecretEnv, ...]) -> list[dict[str, Any]]:
    """Credentials of the backends first, then spec.env in the user's order; each name once.

    A name that spec.env has twice keeps its last entry, where that stands, as the container would
    see it. A name of ours that spec.env has too is the user's (field case OP-09: server-side apply
    refuses a list with a name twice).
    """
    final = {variable.name: index for index, variable in enumerate(router.spec.env)}
    ours = [_credential(item) for item in credentials if item.name not in final]
    theirs = [
        _variable(variable)
        for index, variable in enumerate(router.spec.env)
        if final[variable.name] == index
    ]
    return [*ours, *theirs]


def check(router: SemanticRouter) -> Iterator[Issue]:
    """Names that no variable can have, two sources for one value, and names given twice."""
    final = {variable.name: index for index, variable in enumerate(router.spec.env)}
    for index, variable in enumerate(router.spec.env):
        path = f"spec.env[{index}]"
        if not _NAME.fullmatch(variable.name):
            message = "must be printable ASCII without ="
            yield Issue("InvalidSpec", f"{path}.name", message)
        if variable.value and variable.value_from:
            yield Issue("InvalidSpec", path, "has both value and valueFrom; keep one")
        if final[variable.name] != index:
            message = f"is set again by spec.env[{final[variable.name]}], which wins; remove one"
            yield Issue("DuplicateEnv", path, message, severity="warning")


def _credential(item: SecretEnv) -> dict[str, Any]:
    selector = {"key": item.key, "name": item.secret, "optional": item.optional or None}
    return {"name": item.name, "valueFrom": {"secretKeyRef": present(selector)}}


def _variable(variable: EnvVar) -> dict[str, Any]:
    return present(
        {
            "name": variable.name,
            "value": variable.value,
            "valueFrom": variable.value_from,
        }
    )
