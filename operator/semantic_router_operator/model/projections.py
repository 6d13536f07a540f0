"""Raw object, as the API server sends it -> the facts that discovery reads.

What is absent stays absent and what has the wrong type counts as absent, because an object of a
custom resource may lack a schema and a state file is written by hand. Nothing raises.
"""

from collections.abc import Mapping
from typing import Any, Literal

from semantic_router_operator import names
from semantic_router_operator.model.facts import (
    EndpointSliceFacts,
    GatewayFacts,
    InferenceServiceFacts,
    ServiceFacts,
    ServicePortFacts,
    SliceEndpointFacts,
    SlicePortFacts,
)

AUTH_ANNOTATION = "security.opendatahub.io/enable-auth"
"""On a KServe resource: an authenticating proxy answers on the https port (field case KS-04)."""
_KEPT_ANNOTATIONS = (f"{names.GROUP}/", "security.opendatahub.io/")


def service_facts(raw: Mapping[str, Any]) -> ServiceFacts:
    """A Service (v1)."""
    meta, spec = _part(raw, "metadata"), _part(raw, "spec")
    annotations = _texts(meta, "annotations")
    return ServiceFacts(
        namespace=_namespace(meta),
        name=_text(meta, "name") or "",
        uid=_text(meta, "uid") or "",
        type=_text(spec, "type") or "ClusterIP",
        headless=_text(spec, "clusterIP") == "None",
        external_name=_text(spec, "externalName"),
        ports=tuple(
            ServicePortFacts(
                name=_text(item, "name"),
                port=number,
                target_port=_number(item, "targetPort") or _text(item, "targetPort"),
                protocol=_text(item, "protocol") or "TCP",
                app_protocol=_text(item, "appProtocol"),
            )
            for item in _parts(spec, "ports")
            if (number := _number(item, "port")) is not None
        ),
        labels=_texts(meta, "labels"),
        annotations={
            key: value for key, value in annotations.items() if key.startswith(_KEPT_ANNOTATIONS)
        },
        owners=tuple(
            uid for item in _parts(meta, "ownerReferences") if (uid := _text(item, "uid"))
        ),
        deleting=_deleting(meta),
        ip_families=tuple(item for item in _list(spec, "ipFamilies") if isinstance(item, str)),
    )


def endpoint_slice_facts(raw: Mapping[str, Any]) -> EndpointSliceFacts:
    """An EndpointSlice (discovery.k8s.io/v1)."""
    meta = _part(raw, "metadata")
    labels = _texts(meta, "labels")
    return EndpointSliceFacts(
        namespace=_namespace(meta),
        name=_text(meta, "name") or "",
        service=labels.get(names.SERVICE_NAME_LABEL),
        address_type=_text(raw, "addressType") or "IPv4",
        ports=tuple(
            SlicePortFacts(
                name=_text(item, "name"),
                port=_number(item, "port"),
                protocol=_text(item, "protocol") or "TCP",
                app_protocol=_text(item, "appProtocol"),
            )
            for item in _parts(raw, "ports")
        ),
        endpoints=tuple(_slice_endpoint(item) for item in _parts(raw, "endpoints")),
        labels=labels,
        deleting=_deleting(meta),
    )


def inference_service_facts(raw: Mapping[str, Any]) -> InferenceServiceFacts:
    """An InferenceService or LLMInferenceService (serving.kserve.io).

    The newer LLMInferenceService leaves status.address empty and lists status.addresses: the first
    one inside the cluster counts as the address, the first one at all as the URL.
    """
    meta, status = _part(raw, "metadata"), _part(raw, "status")
    ready = _condition(status, "Ready")
    listed = [url for item in _parts(status, "addresses") if (url := _text(item, "url"))]
    inside = [url for url in listed if ".svc" in url]
    return InferenceServiceFacts(
        kind=_text(raw, "kind") or "InferenceService",
        namespace=_namespace(meta),
        name=_text(meta, "name") or "",
        uid=_text(meta, "uid") or "",
        generation=_number(meta, "generation") or 0,
        observed_generation=_number(status, "observedGeneration"),
        ready=_condition_status(ready),
        ready_reason=_text(ready, "reason") or "",
        ready_message=_text(ready, "message") or "",
        address_url=_text(_part(status, "address"), "url") or next(iter(inside), None),
        url=_text(status, "url") or next(iter(listed), None),
        has_transformer=bool(_part(_part(raw, "spec"), "transformer")),
        auth_enabled=_texts(meta, "annotations").get(AUTH_ANNOTATION, "").lower() == "true",
        deleting=_deleting(meta),
    )


def gateway_facts(raw: Mapping[str, Any]) -> GatewayFacts:
    """A Gateway (gateway.networking.k8s.io)."""
    meta = _part(raw, "metadata")
    return GatewayFacts(
        namespace=_namespace(meta),
        name=_text(meta, "name") or "",
        programmed=_condition_status(_condition(_part(raw, "status"), "Programmed")),
        deleting=_deleting(meta),
    )


def _slice_endpoint(item: Mapping[str, Any]) -> SliceEndpointFacts:
    conditions = _part(item, "conditions")
    ready = conditions.get("ready")
    return SliceEndpointFacts(
        addresses=tuple(text for text in _list(item, "addresses") if isinstance(text, str)),
        ready=ready if isinstance(ready, bool) else None,
        terminating=conditions.get("terminating") is True,
    )


def _condition(status: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    found = (item for item in _parts(status, "conditions") if item.get("type") == kind)
    return next(found, {})


def _condition_status(
    condition: Mapping[str, Any],
) -> Literal["True", "False", "Unknown"] | None:
    match condition.get("status"):
        case "True":
            return "True"
        case "False":
            return "False"
        case None:
            return None
        case _:
            return "Unknown"


def _namespace(meta: Mapping[str, Any]) -> str:
    return _text(meta, "namespace") or "default"


def _deleting(meta: Mapping[str, Any]) -> bool:
    return meta.get("deletionTimestamp") is not None


def _part(of: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = of.get(key)
    return value if isinstance(value, Mapping) else {}


def _list(of: Mapping[str, Any], key: str) -> list[Any]:
    value = of.get(key)
    return value if isinstance(value, list) else []


def _parts(of: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    return [item for item in _list(of, key) if isinstance(item, Mapping)]


def _texts(of: Mapping[str, Any], key: str) -> dict[str, str]:
    return {
        name: value
        for name, value in _part(of, key).items()
        if isinstance(name, str) and isinstance(value, str)
    }


def _text(of: Mapping[str, Any], key: str) -> str | None:
    """The string, where there is one that isn't empty."""
    value = of.get(key)
    return value if isinstance(value, str) and value else None


def _number(of: Mapping[str, Any], key: str) -> int | None:
    value = of.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
