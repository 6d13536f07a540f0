"""The OpenShift Route to the inference listener, never to the management API."""

import re

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.manifests import ROUTE, Manifest
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.workload import RouteTLS
from semantic_router_operator.objects.metadata import manifest, metadata
from semantic_router_operator.objects.ports import standalone
from semantic_router_operator.objects.raw import present

_PATH = "spec.openshift.routes"
_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"{_LABEL}(\.{_LABEL})*")


def build(router: SemanticRouter, platform: Platform) -> Manifest | None:
    """The Route; None when it is off, when the cluster doesn't serve Routes, and in extproc mode.

    `host` is in the body only when the resource names one: a generated host then stays, since we
    never own the field (field case OS-03). Certificates that a user puts on the Route stay too.
    """
    wanted = router.spec.openshift.routes.enabled and standalone(router)
    if not (platform.routes and wanted):
        return None
    tls = _tls(router)
    return manifest(
        router,
        ROUTE,
        {
            "metadata": metadata(router, names.workload(router.name)),
            "spec": present(
                {
                    "host": router.spec.openshift.routes.hostname,
                    "port": {"targetPort": names.LISTENER_PORT_NAME},
                    "tls": {
                        "insecureEdgeTerminationPolicy": tls.insecure_edge_termination_policy,
                        "termination": tls.termination,
                    },
                    "to": {"kind": "Service", "name": names.workload(router.name)},
                }
            ),
        },
    )


def check(router: SemanticRouter, platform: Platform) -> tuple[Issue, ...]:
    """What a Route can't do with our listener (field cases OS-03, OS-04)."""
    if not router.spec.openshift.routes.enabled:
        return ()
    if not platform.routes:
        message = "the cluster serves no route.openshift.io/v1, so that no Route is made"
        return (Issue("KindNotInstalled", f"{_PATH}.enabled", message, severity="warning"),)
    if not standalone(router):
        message = (
            "a Route carries HTTP, and with gateway.existingRef the router speaks gRPC to the "
            "Gateway only, so that no Route is made; disable it and expose the Gateway"
        )
        return (Issue("RouteNotSupported", f"{_PATH}.enabled", message, severity="warning"),)
    return (*_check_host(router), *_check_tls(_tls(router)))


def _check_host(router: SemanticRouter) -> tuple[Issue, ...]:
    host = router.spec.openshift.routes.hostname
    if not host or (len(host) <= 253 and _HOST.fullmatch(host)):
        return ()
    message = "is no DNS name: labels of at most 63 lower-case letters, digits and -, 253 in all"
    return (Issue("InvalidSpec", f"{_PATH}.hostname", message),)


def _check_tls(tls: RouteTLS) -> tuple[Issue, ...]:
    if tls.termination == "edge":
        return ()
    found = [
        Issue(
            "InvalidSpec",
            f"{_PATH}.tls.termination",
            f"{tls.termination} needs a router that serves TLS, and the inference listener "
            "speaks plain HTTP; use edge",
        )
    ]
    if tls.termination == "passthrough" and tls.insecure_edge_termination_policy == "Allow":
        path = f"{_PATH}.tls.insecureEdgeTerminationPolicy"
        found.append(Issue("InvalidSpec", path, "passthrough takes None or Redirect only"))
    return tuple(found)


def _tls(router: SemanticRouter) -> RouteTLS:
    return router.spec.openshift.routes.tls or RouteTLS()
