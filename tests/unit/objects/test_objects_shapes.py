"""The main shapes, whole."""

from typing import Any

import objects_kit as kit
from semantic_router_operator.model.parse import parse
from semantic_router_operator.objects import Images, build
from semantic_router_operator.objects.deployment import template_digest

METADATA: dict[str, Any] = {
    "labels": kit.LABELS,
    "name": "demo",
    "namespace": "models",
    "ownerReferences": [kit.OWNER],
}
RUNNING = {
    "failureThreshold": 5,
    "initialDelaySeconds": 30,
    "periodSeconds": 30,
    "timeoutSeconds": 10,
}
STARTUP = {"failureThreshold": 360, "periodSeconds": 10, "timeoutSeconds": 5}


def probe(timing: dict[str, int], handler: dict[str, Any]) -> dict[str, Any]:
    return dict(sorted({**timing, **handler}.items()))


MOUNTS = [
    {"mountPath": "/app/config", "name": "config-volume", "readOnly": True},
    {"mountPath": "/.cache", "name": "cache-volume"},
    {"mountPath": "/app/models", "name": "models-volume"},
    {"mountPath": "/app/.vllm-sr", "name": "router-workdir"},
    {"mountPath": "/var/log", "name": "var-log"},
    {"mountPath": "/var/run", "name": "var-run"},
]
CONTAINER: dict[str, Any] = {
    "args": ["-gateway=standalone", "-listener-address=0.0.0.0"],
    "image": "ghcr.io/vllm-project/semantic-router/vllm-sr:latest",
    "imagePullPolicy": "IfNotPresent",
    "lifecycle": {"preStop": {"sleep": {"seconds": 30}}},
    "livenessProbe": probe(RUNNING, {"httpGet": {"path": "/health", "port": "http-8801"}}),
    "name": "semantic-router",
    "ports": [
        {"containerPort": 8801, "name": "http-8801", "protocol": "TCP"},
        {"containerPort": 8080, "name": "api", "protocol": "TCP"},
        {"containerPort": 9190, "name": "metrics", "protocol": "TCP"},
    ],
    "readinessProbe": probe(RUNNING, {"httpGet": {"path": "/ready", "port": "http-8801"}}),
    "securityContext": {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    },
    "startupProbe": probe(STARTUP, {"httpGet": {"path": "/ready", "port": "http-8801"}}),
    "volumeMounts": MOUNTS,
}
DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": METADATA,
    "spec": {
        "progressDeadlineSeconds": 4200,
        "replicas": 1,
        "selector": {"matchLabels": kit.SELECTOR},
        "strategy": {
            "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
            "type": "RollingUpdate",
        },
        "template": {
            "metadata": {
                "annotations": {"vllm.ai/restart-digest": "sha256:r"},
                "labels": kit.LABELS,
            },
            "spec": {
                "automountServiceAccountToken": False,
                "containers": [CONTAINER],
                "securityContext": {
                    "fsGroup": 1000,
                    "runAsNonRoot": True,
                    "runAsUser": 1000,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                "serviceAccountName": "demo",
                "terminationGracePeriodSeconds": 60,
                "volumes": [
                    {"configMap": {"name": "demo-config"}, "name": "config-volume"},
                    {"emptyDir": {}, "name": "cache-volume"},
                    {"emptyDir": {}, "name": "models-volume"},
                    {"emptyDir": {}, "name": "router-workdir"},
                    {"emptyDir": {}, "name": "var-log"},
                    {"emptyDir": {}, "name": "var-run"},
                ],
            },
        },
    },
}


def port(name: str, number: int) -> dict[str, Any]:
    return {"name": name, "port": number, "protocol": "TCP", "targetPort": name}


def ordered(value: Any) -> Any:
    """With the order of keys as part of the value."""
    match value:
        case dict():
            return [(key, ordered(item)) for key, item in value.items()]
        case list():
            return [ordered(item) for item in value]
        case _:
            return value


def test_an_empty_spec_gives_a_service_account_config_map_service_and_deployment() -> None:
    result = kit.built()
    kinds = [item.kind.kind for item in result.manifests]
    assert kinds == ["ServiceAccount", "ConfigMap", "Service", "Deployment"]
    assert result.issues == ()
    assert result.withheld == ()


def test_the_standalone_deployment_is_exactly_this() -> None:
    digest = template_digest(DEPLOYMENT["spec"]["template"])
    metadata = {"annotations": {"vllm.ai/template-digest": digest}, **METADATA}
    wanted = {**DEPLOYMENT, "metadata": metadata}
    assert ordered(kit.body(kit.built(), "Deployment")) == ordered(wanted)


def test_the_config_map_is_exactly_this() -> None:
    assert ordered(kit.body(kit.built(), "ConfigMap")) == ordered(
        {
            "apiVersion": "v1",
            "data": {"config.yaml": 'version: "v0.3"\n', "tools_db.json": "[]"},
            "kind": "ConfigMap",
            "metadata": {
                "annotations": {
                    "vllm.ai/config-digest": kit.CONFIG.digest,
                    "vllm.ai/config-env": "[]",
                    "vllm.ai/restart-digest": "sha256:r",
                    "vllm.ai/settings-digest": "",
                },
                **METADATA,
                "name": "demo-config",
            },
        }
    )


def test_the_service_and_the_service_account_are_exactly_this() -> None:
    result = kit.built()
    assert ordered(kit.body(result, "Service")) == ordered(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": METADATA,
            "spec": {
                "ports": [port("http-8801", 8801), port("api", 8080), port("metrics", 9190)],
                "selector": kit.SELECTOR,
                "type": "ClusterIP",
            },
        }
    )
    assert ordered(kit.body(result, "ServiceAccount")) == ordered(
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": METADATA}
    )


def test_behind_a_gateway_only_args_ports_and_probes_differ() -> None:
    result = kit.built(kit.EXTPROC)
    expected = {
        **CONTAINER,
        "args": ["-gateway=extproc"],
        "livenessProbe": probe(RUNNING, {"tcpSocket": {"port": "grpc"}}),
        "ports": [
            {"containerPort": 50051, "name": "grpc", "protocol": "TCP"},
            *CONTAINER["ports"][1:],
        ],
        "readinessProbe": probe(RUNNING, {"grpc": {"port": 50051}}),
        "startupProbe": probe(STARTUP, {"grpc": {"port": 50051}}),
    }
    assert kit.container(kit.EXTPROC) == expected
    ports = kit.body(result, "Service")["spec"]["ports"]
    assert ports == [port("grpc", 50051), port("api", 8080), port("metrics", 9190)]


def test_the_autoscaler_is_exactly_this() -> None:
    scaling = {"enabled": True, "targetMemoryUtilizationPercentage": 75}
    result = kit.built({"autoscaling": scaling})
    metrics = [
        {
            "resource": {
                "name": name,
                "target": {"averageUtilization": percent, "type": "Utilization"},
            },
            "type": "Resource",
        }
        for name, percent in (("cpu", 80), ("memory", 75))
    ]
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "demo"}
    assert ordered(kit.body(result, "HorizontalPodAutoscaler")) == ordered(
        {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": METADATA,
            "spec": {
                "maxReplicas": 10,
                "metrics": metrics,
                "minReplicas": 1,
                "scaleTargetRef": target,
            },
        }
    )


def test_the_route_is_exactly_this() -> None:
    result = kit.built({"openshift": {"routes": {"enabled": True}}}, platform=kit.OPENSHIFT)
    assert ordered(kit.body(result, "Route")) == ordered(
        {
            "apiVersion": "route.openshift.io/v1",
            "kind": "Route",
            "metadata": METADATA,
            "spec": {
                "port": {"targetPort": "http-8801"},
                "tls": {"insecureEdgeTerminationPolicy": "Redirect", "termination": "edge"},
                "to": {"kind": "Service", "name": "demo"},
            },
        }
    )


def test_without_a_document_nothing_half_true_is_made_and_what_lives_is_kept() -> None:
    spec = {"autoscaling": {"enabled": True}, "openshift": {"routes": {"enabled": True}}}
    result = kit.built(spec, config=None, platform=kit.OPENSHIFT)
    kinds = [item.kind.kind for item in result.manifests]
    assert kinds == ["ServiceAccount", "Service", "Route"]
    assert [str(key) for key in result.withheld] == [
        "ConfigMap models/demo-config",
        "Deployment models/demo",
        "HorizontalPodAutoscaler models/demo",
    ]
    assert result.refused == ()


def test_a_switched_off_autoscaler_is_not_kept_when_there_is_no_document() -> None:
    kept = {key.kind.kind for key in kit.built({}, config=None).withheld}
    assert kept == {"ConfigMap", "Deployment"}


def test_an_error_in_one_object_holds_back_that_object_only() -> None:
    spec = {"service": {"api": {"port": 8801}}, "autoscaling": {"enabled": True, "minReplicas": 0}}
    result = kit.built(spec)
    kinds = [item.kind.kind for item in result.manifests]
    assert kinds == ["ServiceAccount", "ConfigMap", "Deployment"]
    kept = [key.kind.kind for key in result.withheld]
    assert kept == ["Service", "HorizontalPodAutoscaler"]
    assert [(key.kind.kind, issue.path) for key, issue in result.refused] == [
        ("Service", "spec.service.api.port"),
        ("HorizontalPodAutoscaler", "spec.autoscaling.minReplicas"),
    ]
    assert "replicas" not in kit.body(result, "Deployment")["spec"]


def test_a_router_that_never_was_in_a_cluster_owns_nothing() -> None:
    router = parse({"metadata": {"name": "demo", "namespace": "models"}, "spec": {}})
    result = build(router, kit.CONFIG, platform=kit.KUBERNETES, images=Images())
    assert all("ownerReferences" not in item.body["metadata"] for item in result.manifests)


def test_errors_are_told_while_there_is_no_document_too() -> None:
    result = kit.built({"resources": {"limits": {"cpu": "-1"}}}, config=None)
    assert [(str(key), issue.path) for key, issue in result.refused] == [
        ("Deployment models/demo", "spec.resources.limits.cpu")
    ]
