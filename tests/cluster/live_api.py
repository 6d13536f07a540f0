"""Objects of a live cluster by kind, namespace and name; and kinds that come and go."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import yaml

from cluster.live_objects import Kube, Object, Refused

DATA = Path(__file__).parent / "data"
MANAGER = "somebody"
"""Field manager of whatever is applied here: never the operator's."""

_PATHS: Mapping[str, tuple[str, str]] = {
    "Namespace": ("/api/v1", "namespaces"),
    "ConfigMap": ("/api/v1", "configmaps"),
    "Service": ("/api/v1", "services"),
    "Deployment": ("/apis/apps/v1", "deployments"),
    "EndpointSlice": ("/apis/discovery.k8s.io/v1", "endpointslices"),
    "Event": ("/apis/events.k8s.io/v1", "events"),
    "ClusterRole": ("/apis/rbac.authorization.k8s.io/v1", "clusterroles"),
    "SemanticRouter": ("/apis/vllm.ai/v1alpha1", "semanticrouters"),
    "InferenceService": ("/apis/serving.kserve.io/v1beta1", "inferenceservices"),
    "LLMInferenceService": ("/apis/serving.kserve.io/v1alpha1", "llminferenceservices"),
    "Gateway": ("/apis/gateway.networking.k8s.io/v1", "gateways"),
    "CustomResourceDefinition": ("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions"),
}
_SERVED_SECONDS = 20.0


class LiveApi:
    """As the administrator. Namespace "" is for what has none."""

    def __init__(self, kube: Kube) -> None:
        self.kube = kube

    def get(self, kind: str, namespace: str, name: str) -> Object | None:
        """The object, or None."""
        try:
            return self.kube.ask("GET", _path(kind, namespace, name))
        except Refused as error:
            _expect_missing(error)
            return None

    def all(self, kind: str, namespace: str) -> list[Object]:
        """Every object of the kind."""
        return list(self.kube.ask("GET", _path(kind, namespace))["items"])

    def apply(self, body: Object) -> Object:
        """Server-side apply: makes the object, or makes it as `body` says."""
        metadata = body["metadata"]
        path = _path(body["kind"], metadata.get("namespace", ""), metadata["name"])
        query = f"?fieldManager={MANAGER}&force=true"
        return self.kube.ask("PATCH", path + query, body, "application/apply-patch+yaml")

    def patch(
        self, kind: str, namespace: str, name: str, patch: Object, *, sub: str = ""
    ) -> Object:
        """A JSON merge patch of the object or of its subresource."""
        path = _path(kind, namespace, name) + (f"/{sub}" if sub else "")
        query = f"?fieldManager={MANAGER}"
        return self.kube.ask("PATCH", path + query, patch, "application/merge-patch+json")

    def delete(self, kind: str, namespace: str, name: str) -> None:
        """Returns at once; it may be gone already."""
        try:
            self.kube.ask("DELETE", _path(kind, namespace, name))
        except Refused as error:
            _expect_missing(error)

    def install_crd(self, name: str) -> None:
        """Applies data/<name>.yaml; returns once the API server serves the kind."""
        crd = yaml.safe_load((DATA / f"{name}.yaml").read_text())
        self.apply(crd)
        spec = crd["spec"]
        path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
        within(
            lambda: self.serves(f"{path}?limit=1"), f"{name} to be served", seconds=_SERVED_SECONDS
        )

    def remove_crd(self, name: str) -> None:
        """Returns once it is gone, and every object of the kind with it."""
        kind = "CustomResourceDefinition"
        self.delete(kind, "", name)
        what = f"{name} to be gone"
        within(lambda: self.get(kind, "", name) is None, what, seconds=_SERVED_SECONDS)

    def serves(self, path: str) -> bool:
        """Whether the API server has something at the path."""
        try:
            self.kube.ask("GET", path)
        except Refused as error:
            _expect_missing(error)
            return False
        return True


@contextmanager
def crds(api: LiveApi, *names: str) -> Iterator[None]:
    """The kinds of data/<name>.yaml for as long as the block lasts: they are cluster-wide, and
    other tests want to see a cluster without them."""
    try:
        for name in names:
            api.install_crd(name)
        yield
    finally:
        for name in names:
            api.remove_crd(name)


def within(check: Callable[[], Any], what: str, *, seconds: float) -> float:
    """Waits until `check()` holds; the seconds that it took."""
    began = time.monotonic()
    while not check():
        took = time.monotonic() - began
        assert took < seconds, f"waited {took:.1f} s for {what}"
        time.sleep(0.02)
    return time.monotonic() - began


def _path(kind: str, namespace: str, name: str = "") -> str:
    base, plural = _PATHS[kind]
    space = f"/namespaces/{namespace}" if namespace else ""
    return f"{base}{space}/{plural}{f'/{name}' if name else ''}"


def _expect_missing(error: Refused) -> None:
    if error.code != HTTPStatus.NOT_FOUND:
        raise error
