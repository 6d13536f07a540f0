"""Names that two rooms share: the API group, child names, labels, annotation keys.

Every derived name is a legal DNS label of at most 63 characters: a longer one is cut and gets
a hash of the whole, so that it is stable and two long names never meet (field case OP-13).
"""

import hashlib
import re

GROUP = "vllm.ai"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"
KIND = "SemanticRouter"
PLURAL = "semanticrouters"

FIELD_MANAGER = "semantic-router-operator"
"""The one server-side-apply manager of every object and status that we write."""
SCALE_HANDOVER_MANAGER = "semantic-router-operator-scale"
"""Holds spec.replicas once, while ownership passes from us to an HPA."""

FORMER_FINALIZER = "semanticrouter.vllm.ai/finalizer"
"""The Go operator's, on every SemanticRouter that it has seen. We set none."""

LABEL_NAME = "app.kubernetes.io/name"
LABEL_INSTANCE = "app.kubernetes.io/instance"
LABEL_COMPONENT = "app.kubernetes.io/component"
LABEL_MANAGED_BY = "app.kubernetes.io/managed-by"
APP_NAME = "semantic-router"
MANAGED_BY = "semantic-router-operator"
MANAGED_SELECTOR = f"{LABEL_MANAGED_BY}={MANAGED_BY}"

ANNOTATION_ROUTER = f"{GROUP}/router-name"
"""Full name of the router on a child, since a label value ends at 63 characters."""
ANNOTATION_CONFIG_DIGEST = f"{GROUP}/config-digest"
ANNOTATION_CONFIG_ENV = f"{GROUP}/config-env"
"""On the ConfigMap: JSON list of the environment variables that its document refers to."""
ANNOTATION_CONFIG_VERSION = f"{GROUP}/config-version"
"""On a pod: resourceVersion of the ConfigMap when the kubelet was last told to look at it."""
ANNOTATION_REVISION_DIGEST = f"{GROUP}/revision-digest"
"""On a ControllerRevision: digest of what it records."""
ANNOTATION_RESTART_DIGEST = f"{GROUP}/restart-digest"
"""On the ConfigMap and the pod template: digest of what the router can't reload by itself."""
ANNOTATION_SETTINGS_DIGEST = f"{GROUP}/settings-digest"
"""On the ConfigMap and a ControllerRevision: digest of the document without its backends."""
ANNOTATION_TEMPLATE_DIGEST = f"{GROUP}/template-digest"
"""On the Deployment and a ControllerRevision: digest of the pod template that we want."""
ANNOTATION_ROLLED_BACK = f"{GROUP}/rolled-back"
"""On the Deployment while an earlier revision runs: JSON of `model.manifests.Rollback`."""
ANNOTATION_ROLLBACK_TO = f"{GROUP}/rollback-to"
"""On the SemanticRouter: `<revision>@<generation>`, the revision to run instead of what the spec
asks for, as long as the spec is of that generation. `semantic-router-operator rollback` sets it."""

SERVICE_ANNOTATION_PROTOCOL = f"{GROUP}/protocol"
SERVICE_ANNOTATION_BASE_PATH = f"{GROUP}/base-path"
SERVICE_ANNOTATION_PORT = f"{GROUP}/port"
SERVICE_ANNOTATION_API_VERSION = f"{GROUP}/api-version"
SERVICE_ANNOTATION_CHAT_PATH = f"{GROUP}/chat-path"

SERVICE_NAME_LABEL = "kubernetes.io/service-name"
"""On an EndpointSlice: the Service it belongs to."""

CONTAINER = "semantic-router"
CONFIG_KEY = "config.yaml"
TOOLS_KEY = "tools_db.json"
TEMPLATE_KEY = "template.json"
"""Of a ControllerRevision: the pod template."""
LISTENER_PORT_NAME = "http-8801"
LISTENER_PORT = 8801
GRPC_PORT = 50051
API_PORT = 8080
METRICS_PORT = 9190

LABEL_LIMIT = 63
_HASH_LENGTH = 8


def digest(data: bytes) -> str:
    """`sha256:<hex>` of data."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def limited(text: str, *, limit: int = LABEL_LIMIT) -> str:
    """`text` itself when it fits, else its head and a hash of the whole, `limit` long."""
    if len(text) <= limit:
        return text
    tail = hashlib.sha256(text.encode()).hexdigest()[:_HASH_LENGTH]
    return f"{text[: limit - _HASH_LENGTH - 1].rstrip('-.')}-{tail}"


def dns_label(name: str, suffix: str = "") -> str:
    """A legal DNS label made of a Kubernetes object name and a suffix such as `-config`.

    A name that is already a label stays itself. Dots become dashes and a leading digit gets the
    prefix `sr-` (a Service name is an RFC 1035 label); each change adds a hash of the original, so
    that `a.b` and `a-b` differ.
    """
    base = re.sub(r"[^a-z0-9-]", "-", name.lower()).strip("-")
    if not base or base[0].isdigit():
        base = f"sr-{base}".rstrip("-")
    if base != name:
        base = f"{base}-{hashlib.sha256(name.encode()).hexdigest()[:_HASH_LENGTH]}"
    return limited(base, limit=LABEL_LIMIT - len(suffix)) + suffix


def config_map(router: str) -> str:
    """Name of the live ConfigMap."""
    return dns_label(router, "-config")


def claim(router: str) -> str:
    """Name of the PersistentVolumeClaim for the router's models."""
    return dns_label(router, "-models")


def former_envoy_config(router: str) -> str:
    """Name of the ConfigMap that the Go operator made for its Envoy."""
    return f"{router}-envoy-config"


def workload(router: str) -> str:
    """Name of the Deployment, Service, HPA, Route and whatever else needs no suffix."""
    return dns_label(router)


def selector_labels(router: str) -> dict[str, str]:
    """Pod selector: the two labels of the Go operator, never a version (field case OP-06)."""
    return {LABEL_INSTANCE: limited(router), LABEL_NAME: APP_NAME}


def child_labels(router: str) -> dict[str, str]:
    """Labels of every object that we make."""
    return {
        LABEL_COMPONENT: "router",
        **selector_labels(router),
        LABEL_MANAGED_BY: MANAGED_BY,
    }


def env_name(owner: str) -> str:
    """Environment variable that carries the credential of a model, or of a place in the document.

    Upper case, `[A-Z0-9_]`; the hash keeps `a-b` and `a_b` apart.
    """
    head = re.sub(r"[^A-Z0-9]", "_", owner.upper())[:40]
    return f"VSR_KEY_{head}_{hashlib.sha256(owner.encode()).hexdigest()[:_HASH_LENGTH].upper()}"
