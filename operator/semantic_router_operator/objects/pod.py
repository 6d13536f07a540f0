"""The pod template."""

from typing import Any

from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import drain, hardware, service_account, spread
from semantic_router_operator.objects.container import container
from semantic_router_operator.objects.images import Images
from semantic_router_operator.objects.metadata import full_name, labels
from semantic_router_operator.objects.raw import present
from semantic_router_operator.objects.security import pod_context
from semantic_router_operator.objects.volumes import volumes


def template(
    router: SemanticRouter, config: CanonicalConfig, *, platform: Platform, images: Images
) -> dict[str, Any]:
    """What a pod of the router is. It changes only when the pods must be replaced (SR-10)."""
    return {
        "metadata": {
            "annotations": _annotations(router, config),
            "labels": labels(router),
        },
        "spec": present(
            {
                "affinity": router.spec.affinity,
                "automountServiceAccountToken": _automount(router),
                "containers": [container(router, config, platform=platform, images=images)],
                "imagePullSecrets": _pull_secrets(router),
                "nodeSelector": hardware.node_selector(router),
                "priorityClassName": router.spec.priority_class_name,
                "runtimeClassName": router.spec.runtime_class_name,
                "securityContext": pod_context(router, platform),
                "serviceAccountName": service_account.name(router),
                "terminationGracePeriodSeconds": drain.grace_seconds(router),
                "tolerations": hardware.tolerations(router),
                "topologySpreadConstraints": spread.constraints(router),
                "volumes": volumes(router),
            }
        ),
    }


def _annotations(router: SemanticRouter, config: CanonicalConfig) -> dict[str, str]:
    ours = {names.ANNOTATION_RESTART_DIGEST: config.restart_digest, **full_name(router)}
    return dict(sorted({**router.spec.pod_annotations, **ours}.items()))


def _automount(router: SemanticRouter) -> bool | None:
    """No token: the router asks no API. A ServiceAccount of the user's own decides by itself."""
    return False if router.spec.service_account.create else None


def _pull_secrets(router: SemanticRouter) -> list[dict[str, str]]:
    """Each once, in the user's order."""
    given = dict.fromkeys(secret.name for secret in router.spec.image_pull_secrets)
    return [{"name": name} for name in given if name]
