"""Pods of the stand-ins, and model servers made of them."""

from collections.abc import Mapping
from typing import Any

from cluster.live_objects import Object, Place
from standins.image import PROGRAM, TAG

RESOURCES = {
    "requests": {"cpu": "5m", "memory": "16Mi"},
    "limits": {"memory": "128Mi"},
}


def spec(name: str, args: list[str], *, restart: str = "Always", **container: Any) -> Object:
    """A pod of the stand-in's program, as a restricted namespace wants it."""
    return {
        "restartPolicy": restart,
        "terminationGracePeriodSeconds": 5,
        "automountServiceAccountToken": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 1000,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                "name": name,
                "image": TAG,
                "imagePullPolicy": "IfNotPresent",
                "command": [PROGRAM],
                "args": args,
                "resources": RESOURCES,
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
                **container,
            }
        ],
    }


def model(
    place: Place,
    name: str,
    *,
    replicas: int = 1,
    labels: Mapping[str, str] | None = None,
    **container: Any,
) -> None:
    """A model server that says `name`, and its Service of the same name; it may not be up yet.

    `container` has further fields of the container. A pod that ends goes on for 5 s before it hears
    SIGTERM, as one's model servers should.
    """
    args = ["model", f"-name={name}", "-latency=50ms"]
    fields = {
        "ports": [{"name": "http", "containerPort": 8000}],
        "readinessProbe": {"httpGet": {"path": "/health", "port": "http"}, "periodSeconds": 1},
        "lifecycle": {"preStop": {"sleep": {"seconds": 5}}},
        **container,
    }
    template = spec("model", args, **fields)
    template["terminationGracePeriodSeconds"] = 15
    place.create(
        "deployment",
        name,
        spec={
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": template},
        },
    )
    ports = [{"name": "http", "port": 8000, "targetPort": "http"}]
    service = {"selector": {"app": name}, "ports": ports}
    place.create("service", name, metadata={"labels": dict(labels or {})}, spec=service)


def is_ready(pod: Object) -> bool:
    """Whether its Ready condition holds, and it isn't on its way out."""
    conditions = pod.get("status", {}).get("conditions", ())
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return ready and "deletionTimestamp" not in pod["metadata"]
