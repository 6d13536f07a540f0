"""The Ingress (networking.k8s.io/v1) to the router's Service."""

import re
from collections.abc import Iterator
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.ingress import IngressHost, IngressPath
from semantic_router_operator.model.manifests import INGRESS, Manifest
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import service
from semantic_router_operator.objects.metadata import manifest, metadata
from semantic_router_operator.objects.ports import standalone
from semantic_router_operator.objects.raw import SUBDOMAIN, present

_PATH: Final = "spec.ingress"
_DEFAULT_TYPE: Final = "Prefix"
_TYPES: Final = ("Prefix", "Exact", "ImplementationSpecific")
_HOST: Final = re.compile(rf"(\*\.)?{SUBDOMAIN}")


def build(router: SemanticRouter) -> Manifest | None:
    """The Ingress; None when it is off."""
    wanted = router.spec.ingress
    if not wanted.enabled:
        return None
    annotations = dict(sorted(wanted.annotations.items()))
    return manifest(
        router,
        INGRESS,
        {
            "metadata": metadata(router, names.workload(router.name), annotations),
            "spec": present(
                {
                    "ingressClassName": wanted.class_name,
                    "rules": [_rule(router, host) for host in wanted.hosts],
                    "tls": _tls(router),
                }
            ),
        },
    )


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """What the API server would refuse, and paths that lead nowhere."""
    wanted = router.spec.ingress
    if not wanted.enabled:
        return ()
    if not wanted.hosts:
        return (_error("hosts", "is empty; add a host with its paths, or disable the Ingress"),)
    return tuple(
        issue
        for index, host in enumerate(wanted.hosts)
        for issue in _check_host(router, host, index)
    )


def _check_host(router: SemanticRouter, host: IngressHost, index: int) -> Iterator[Issue]:
    where = f"hosts[{index}]"
    if not host.host:
        yield _error(f"{where}.host", "is required; write the host name")
    elif len(host.host) > 253 or not _HOST.fullmatch(host.host):
        yield _error(f"{where}.host", "is no DNS name; write it in lower case, without a port")
    if not host.paths:
        yield _error(f"{where}.paths", "is empty; add a path, such as /")
    for number, path in enumerate(host.paths):
        yield from _check_path(router, path, f"{where}.paths[{number}]")


def _check_path(router: SemanticRouter, path: IngressPath, where: str) -> Iterator[Issue]:
    if path.path and not path.path.startswith("/") and _path_type(path) != _TYPES[-1]:
        yield _error(f"{where}.path", "must begin with /")
    if path.path_type and path.path_type not in _TYPES:
        message = f"is not a known type, so that it is {_DEFAULT_TYPE}; write {', '.join(_TYPES)}"
        yield _warning("UnknownPathType", f"{where}.pathType", message)
    if path.service_port:
        known = service.numbers(router)
        if path.service_port not in known:
            listed = ", ".join(str(number) for number in known)
            message = f"the router's Service has no such port; it has {listed}"
            yield _warning("PortNotFound", f"{where}.servicePort", message)
    elif not standalone(router):
        message = (
            "is required with gateway.existingRef: the router speaks gRPC to the Gateway and has "
            "no port for requests; expose the Gateway instead"
        )
        yield _error(f"{where}.servicePort", message)


def _rule(router: SemanticRouter, host: IngressHost) -> dict[str, Any]:
    return present(
        {"host": host.host, "http": {"paths": [_entry(router, path) for path in host.paths]}}
    )


def _entry(router: SemanticRouter, path: IngressPath) -> dict[str, Any]:
    """A port that is absent or 0 is the inference listener's."""
    number = path.service_port or names.LISTENER_PORT
    return {
        "backend": {"service": {"name": names.workload(router.name), "port": {"number": number}}},
        "path": path.path or "/",
        "pathType": _path_type(path),
    }


def _path_type(path: IngressPath) -> str:
    """As given; a type that nobody knows is Prefix, as it was for the Go operator."""
    return path.path_type if path.path_type in _TYPES else _DEFAULT_TYPE


def _tls(router: SemanticRouter) -> list[dict[str, Any]]:
    return [
        entry
        for tls in router.spec.ingress.tls
        if (entry := present({"hosts": list(tls.hosts), "secretName": tls.secret_name}))
    ]


def _error(field: str, message: str) -> Issue:
    return Issue("InvalidSpec", f"{_PATH}.{field}", message)


def _warning(code: str, field: str, message: str) -> Issue:
    return Issue(code, f"{_PATH}.{field}", message, severity="warning")
