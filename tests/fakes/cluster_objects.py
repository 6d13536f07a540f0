"""Raw objects as the API server sends them, with only what a test cares about."""

from typing import Any

Raw = dict[str, Any]
DELETED = "2026-01-01T00:00:00Z"


def metadata(name: str, namespace: str = "ml", **more: Any) -> Raw:
    return {"name": name, "namespace": namespace, "uid": f"uid-{namespace}-{name}", **more}


def port(number: int, name: str | None = None, **more: Any) -> Raw:
    named = {} if name is None else {"name": name}
    return {**named, "port": number, "protocol": "TCP", "targetPort": number, **more}


def service(name: str, *ports: Raw, meta: Raw | None = None, **spec: Any) -> Raw:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(name, **(meta or {})),
        "spec": {"type": "ClusterIP", "clusterIP": "10.96.0.9", "ports": list(ports), **spec},
    }


def address(text: str, **conditions: Any) -> Raw:
    return {"addresses": [text], "conditions": conditions}


def endpoint_slice(name: str, of: str, endpoints: list[Raw], ports: list[Raw], **more: Any) -> Raw:
    """`more`: addressType, and `meta` for the metadata."""
    meta = more.pop("meta", {})
    labels = {"kubernetes.io/service-name": of, **meta.pop("labels", {})}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": metadata(name, labels=labels, **meta),
        "addressType": "IPv4",
        "endpoints": endpoints,
        "ports": ports,
        **more,
    }


def inference_service(
    name: str, *, kind: str = "InferenceService", meta: Raw | None = None, **body: Any
) -> Raw:
    """Ready, generation 3 seen, unless `status` in `body` replaces parts of that."""
    status = {
        "observedGeneration": 3,
        "conditions": [{"type": "Ready", "status": "True"}],
        **body.pop("status", {}),
    }
    return {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": kind,
        "metadata": metadata(name, generation=3, **(meta or {})),
        "spec": {"predictor": {}},
        "status": status,
        **body,
    }


def gateway(name: str, namespace: str = "infra", **meta: Any) -> Raw:
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": metadata(name, namespace, **meta),
        "status": {"conditions": [{"type": "Programmed", "status": "True"}]},
    }
