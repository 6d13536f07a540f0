"""A namespace with routers in it, as somebody sees them who changes what they refer to.

`Live` applies objects, reads `status.backends` and the live document, waits with a deadline, and
logs how long each reaction took (`pytest -o log_cli=true -o log_cli_level=INFO`). In the end it
asserts that the operator has left no mark on anything that isn't its own.
"""

import json
import logging
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import yaml

from cluster.live_api import LiveApi, within
from cluster.live_objects import Kube, Object

logger = logging.getLogger(__name__)

DEADLINE_SECONDS = 5.0
"""The target is 2 s (p99, shown by hack/measure/reaction.py); more here, for busy machines."""
STEP_SECONDS = 0.02
ROUTER = "router"
ANCHOR = {
    "name": "anchor",
    "model": "anchor",
    "backend": {"type": "endpoint", "endpoint": "10.99.0.1:8000"},
}
"""A backend that is always there, so that the document stands while another one comes and goes."""
OPERATOR = "semantic-router-operator"
FINALIZER = "tests.example.com/hold"
_ONLY_LOOKED_AT = frozenset(
    ("Service", "EndpointSlice", "InferenceService", "LLMInferenceService", "Gateway")
)

Backend = Mapping[str, Any]


@dataclass
class Live:
    """One namespace; `other()` is a second one."""

    api: LiveApi
    namespace: str
    _others: list[str] = field(default_factory=list)
    _made: dict[tuple[str, str, str], Object] = field(default_factory=dict)

    def other(self) -> str:
        """Another namespace."""
        name = f"{self.namespace}-other"
        if not self._others:
            _make_namespace(self.api, name)
            self._others.append(name)
        return name

    def apply(self, *objects: Object) -> None:
        """Applies them, in this namespace unless they say another."""
        for item in objects:
            body = {**item, "metadata": {"namespace": self.namespace, **item["metadata"]}}
            self._keep(self.api.apply(body))

    def patch(
        self, kind: str, name: str, patch: Object, *, sub: str = "", namespace: str = ""
    ) -> None:
        """A merge patch of the object, or of its subresource."""
        self._keep(self.api.patch(kind, namespace or self.namespace, name, patch, sub=sub))

    def delete(self, kind: str, name: str, namespace: str = "") -> None:
        """Returns at once."""
        self.forget(kind, name, namespace)
        self.api.delete(kind, namespace or self.namespace, name)

    def forget(self, kind: str, name: str, namespace: str = "") -> None:
        """The object is gone, or somebody else's from now on."""
        self._made.pop((kind, namespace or self.namespace, name), None)

    def uid(self, kind: str, name: str) -> str:
        """Of an object that is there."""
        return str(_there(self.api.get(kind, self.namespace, name))["metadata"]["uid"])

    def route(
        self,
        *endpoints: Object,
        name: str = ROUTER,
        metadata: Mapping[str, Any] = MappingProxyType({}),
        **spec: Any,
    ) -> None:
        """Applies a router with the anchor as its first backend."""
        head = {"apiVersion": "vllm.ai/v1alpha1", "kind": "SemanticRouter"}
        everything = {"vllmEndpoints": [ANCHOR, *endpoints], **spec}
        self.apply({**head, "metadata": {"name": name, **metadata}, "spec": everything})

    def status(self, name: str = ROUTER) -> Mapping[str, Any]:
        """status of the router."""
        found: Mapping[str, Any] = _there(self.api.get("SemanticRouter", self.namespace, name))
        return dict(found.get("status") or {})

    def backend(self, backend: str, router: str = ROUTER) -> Backend:
        """The entry of status.backends; empty while there is none."""
        entries = self.status(router).get("backends") or ()
        return next((item for item in entries if item["name"] == backend), {})

    def document(self, router: str = ROUTER) -> Mapping[str, Any] | None:
        """The live document, or None."""
        found = self.api.get("ConfigMap", self.namespace, f"{router}-config")
        if found is None:
            return None
        parsed: Mapping[str, Any] = yaml.safe_load(found["data"]["config.yaml"])
        return parsed

    def refs(self, model: str, router: str = ROUTER) -> list[Object]:
        """backend_refs of the model in the live document; none where the model isn't in it."""
        document = self.document(router)
        assert document is not None, f"{router} has no live document"
        models = document["providers"]["models"]
        return next((list(item["backend_refs"]) for item in models if item["name"] == model), [])

    def deployment_generation(self, router: str = ROUTER) -> int:
        """What moves when the pods are rolled."""
        return int(self._deployment(router)["metadata"]["generation"])

    def pod_template(self, router: str = ROUTER) -> Object:
        """spec.template of the Deployment."""
        template: Object = self._deployment(router)["spec"]["template"]
        return template

    def _deployment(self, router: str) -> Object:
        return _there(self.api.get("Deployment", self.namespace, router))

    def resolved(self, backend: str, *wanted: str, router: str = ROUTER) -> Backend:
        """Waits until the backend has these targets and no other."""

        def there(found: Backend) -> bool:
            return found.get("state") == "Resolved" and urls(found) == list(wanted)

        return self.until(there, backend, f"{backend} to be Resolved as {wanted}", router=router)

    def unresolved(
        self, backend: str, reason: str, says: str = "", *, router: str = ROUTER
    ) -> Backend:
        """Waits until the backend is Unresolved with this reason, and a message that has `says`."""

        def so(found: Backend) -> bool:
            return (found.get("state"), found.get("reason")) == ("Unresolved", reason) and (
                says in said(found)
            )

        return self.until(so, backend, f"{backend} to be {reason}", router=router)

    def condition(self, kind: str, status: str, reason: str, router: str = ROUTER) -> None:
        """Waits until the condition is so."""

        def so() -> bool:
            return self._conditions(router).get(kind) == (status, reason)

        within(so, f"{kind} to be {status} {reason}", seconds=DEADLINE_SECONDS)

    def settled(self, router: str = ROUTER) -> None:
        """Waits until the router has nothing left to do but what the cluster asks of it."""

        def done() -> bool:
            return self._conditions(router).get("Progressing", ("",))[0] == "False"

        within(done, f"{router} to be settled", seconds=4 * DEADLINE_SECONDS)

    def _conditions(self, router: str) -> Mapping[str, tuple[str, str]]:
        found = self.status(router).get("conditions") or ()
        return {item["type"]: (item["status"], item["reason"]) for item in found}

    def versions(self, router: str = ROUTER) -> tuple[str, ...]:
        """resourceVersions of the router and of its document."""
        both = (("SemanticRouter", router), ("ConfigMap", f"{router}-config"))
        found = (_there(self.api.get(kind, self.namespace, name)) for kind, name in both)
        return tuple(str(item["metadata"]["resourceVersion"]) for item in found)

    def until(
        self,
        check: Callable[[Backend], bool],
        backend: str,
        what: str,
        *,
        router: str = ROUTER,
        seconds: float = DEADLINE_SECONDS,
    ) -> Backend:
        """Waits until `check` holds of the entry of status.backends; logs the time that it took."""
        began = time.monotonic()
        while not check(found := self.backend(backend, router)):
            took = time.monotonic() - began
            assert took < seconds, f"waited {took:.1f} s for {what}: {json.dumps(found)}"
            time.sleep(STEP_SECONDS)
        took = time.monotonic() - began
        logger.info("%s: %.0f ms", what, took * 1000)
        return found

    def assert_nothing_foreign_was_touched(self) -> None:
        """What a router refers to is, to the last byte, as the test left it; of a router only the
        status is the operator's."""
        for key, before in self._made.items():
            now = self.api.get(*key)
            if now is not None and key[0] in _ONLY_LOOKED_AT:
                assert now == before, key
            if now is not None and key[0] == "SemanticRouter":
                assert _of_the_user(now) == _of_the_user(before), key

    def end(self) -> None:
        """The namespaces go away by themselves."""
        for name in (self.namespace, *self._others):
            self.api.delete("Namespace", "", name)

    def _keep(self, answer: Object) -> None:
        metadata = answer["metadata"]
        self._made[answer["kind"], metadata["namespace"], metadata["name"]] = answer


@contextmanager
def live(kube: Kube) -> Iterator[Live]:
    """A new namespace; what was made in it is looked over in the end."""
    api = LiveApi(kube)
    here = Live(api, f"live-{secrets.token_hex(4)}")
    _make_namespace(api, here.namespace)
    try:
        yield here
        here.assert_nothing_foreign_was_touched()
    finally:
        here.end()


def endpoint(backend: Object, **more: Any) -> Object:
    """The entry `b` of model `m`: the one that a test is about."""
    return {"name": "b", "model": "m", "backend": backend, **more}


def service(name: str, *ports: Object, **parts: Any) -> Object:
    """A Service without a selector: nobody but the test makes its EndpointSlices."""
    metadata = {"name": name, **parts.pop("metadata", {})}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {"ports": list(ports) or [{"name": "http", "port": 8000}], **parts},
    }


def endpoint_slice(name: str, owner: str, *endpoints: Object, **parts: Any) -> Object:
    """An EndpointSlice of a Service. Each endpoint as `address` makes it."""
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/service-name": owner},
            **parts.pop("metadata", {}),
        },
        "addressType": "IPv4",
        "ports": [{"name": "http", "port": 8000, "protocol": "TCP"}],
        "endpoints": list(endpoints),
        **parts,
    }


def address(ip: str, **conditions: bool) -> Object:
    """A ready endpoint, unless the conditions say otherwise."""
    return {"addresses": [ip], "conditions": {"ready": True, **conditions}}


def said(found: Backend) -> str:
    """The message of an entry of status.backends."""
    return str(found.get("message", ""))


def urls(found: Backend) -> list[str]:
    """The targets of an entry of status.backends."""
    return [item["url"] for item in found.get("targets") or ()]


def _of_the_user(router: Object) -> Object:
    """All of a router but its status, and what moves with a write of the status."""
    metadata = {**router["metadata"], "resourceVersion": ""}
    status = {"manager": OPERATOR, "operation": "Apply", "subresource": "status"}
    metadata["managedFields"] = [
        item for item in metadata["managedFields"] if not item.items() >= status.items()
    ]
    return {**router, "metadata": metadata, "status": None}


def _there(found: Object | None) -> Object:
    assert found is not None
    return found


def _make_namespace(api: LiveApi, name: str) -> None:
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
