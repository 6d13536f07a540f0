"""The router container."""

from typing import Any

from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig, Issue
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import drain, env, flags, ports, probes, resources
from semantic_router_operator.objects.images import Images, image
from semantic_router_operator.objects.images import check as check_image
from semantic_router_operator.objects.raw import present
from semantic_router_operator.objects.security import container_context
from semantic_router_operator.objects.volumes import mounts


def container(
    router: SemanticRouter, config: CanonicalConfig, *, platform: Platform, images: Images
) -> dict[str, Any]:
    """The one container of the pod: newer routers serve without Envoy beside them."""
    fields = {
        "args": _args(router),
        "env": env.env(router, config.env),
        "envFrom": [dict(source) for source in router.spec.env_from],
        "image": image(router, images),
        "imagePullPolicy": router.spec.image.pull_policy,
        "lifecycle": drain.lifecycle(router, platform),
        "name": names.CONTAINER,
        "ports": _ports(router),
        "resources": resources.resources(router),
        "securityContext": container_context(router),
        "volumeMounts": mounts(router),
        **probes.probes(router),
    }
    return dict(sorted(present(fields).items()))


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """Everything in the resource that would make the container impossible."""
    return (
        *_check_args(router),
        *drain.check(router),
        *env.check(router),
        *check_image(router),
        *ports.check(router),
        *probes.check(router),
        *resources.check(router),
    )


def _args(router: SemanticRouter) -> list[str]:
    """Ours first: of a flag that is given twice, the router takes the last."""
    if ports.standalone(router):
        return ["-gateway=standalone", "-listener-address=0.0.0.0", *router.spec.args]
    return ["-gateway=extproc", *router.spec.args]


def _check_args(router: SemanticRouter) -> tuple[Issue, ...]:
    mode = "standalone" if ports.standalone(router) else "extproc"
    given = flags.last(router.spec.args, "gateway")
    if given is None or given.value == mode:
        return ()
    message = f"-gateway is {mode} here: it follows from spec.gateway.existingRef; remove it"
    return (Issue("InvalidSpec", given.path, message),)


def _ports(router: SemanticRouter) -> list[dict[str, Any]]:
    """`protocol` is written although it is a default: it is part of the list's key."""
    return [
        {"containerPort": port.number, "name": port.name, "protocol": "TCP"}
        for port in ports.pod_ports(router)
    ]
