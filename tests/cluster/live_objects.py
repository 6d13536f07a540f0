"""What the live tests share: a quick client of the API server, a place to work in, patience.

kubectl costs a tenth of a second of processor time; a test that polls asks through `Kube`.
"""

import http.client
import json
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from controlplane import ControlPlane

OPERATOR_USER = "system:serviceaccount:semantic-router-operator-system:"
WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})
SECONDS = 20.0
"""How long anything that the operator does may take on a busy machine."""

Object = dict[str, Any]
T = TypeVar("T")

_KINDS = {
    "claim": ("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
    "configmap": ("v1", "ConfigMap", "configmaps"),
    "controllerrevision": ("apps/v1", "ControllerRevision", "controllerrevisions"),
    "crd": ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions"),
    "deployment": ("apps/v1", "Deployment", "deployments"),
    "event": ("events.k8s.io/v1", "Event", "events"),
    "gateway": ("gateway.networking.k8s.io/v1", "Gateway", "gateways"),
    "hpa": ("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
    "httproute": ("gateway.networking.k8s.io/v1", "HTTPRoute", "httproutes"),
    "ingress": ("networking.k8s.io/v1", "Ingress", "ingresses"),
    "lease": ("coordination.k8s.io/v1", "Lease", "leases"),
    "networkpolicy": ("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
    "pdb": ("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
    "pod": ("v1", "Pod", "pods"),
    "quota": ("v1", "ResourceQuota", "resourcequotas"),
    "replicaset": ("apps/v1", "ReplicaSet", "replicasets"),
    "route": ("route.openshift.io/v1", "Route", "routes"),
    "secret": ("v1", "Secret", "secrets"),
    "service": ("v1", "Service", "services"),
    "serviceaccount": ("v1", "ServiceAccount", "serviceaccounts"),
    "sr": ("vllm.ai/v1alpha1", "SemanticRouter", "semanticrouters"),
}


class Refused(Exception):  # noqa: N818 - what the API server did
    """The API server's answer was an error."""

    def __init__(self, code: int, answer: Mapping[str, Any]) -> None:
        super().__init__(f"{code}: {answer.get('message')}")
        self.code = code


def until(check: Callable[[], T | None], *, seconds: float = SECONDS) -> T:
    """What `check` gives once that is true; fails with the last thing that it gave."""
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, f"not within {seconds} s, but: {found!r}"
        time.sleep(0.05)
    return found


class Kube:
    """JSON over one connection to an API server, as its administrator."""

    def __init__(self, plane: ControlPlane) -> None:
        pki = plane.directory / "pki"
        self._address = urlsplit(plane.server).netloc
        self._tls = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        self._tls.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        self._connection = self.connect()
        self.warning = ""
        """The Warning header of the last answer."""

    def connect(self) -> http.client.HTTPSConnection:
        """A connection of one's own."""
        return http.client.HTTPSConnection(self._address, timeout=30, context=self._tls)

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()

    def ask(
        self, method: str, path: str, body: object = None, content: str = "application/json"
    ) -> Object:
        """The answer. Raises Refused."""
        text = None if body is None else json.dumps(body)
        headers = {"Accept": "application/json", "Content-Type": content}
        try:
            self._connection.request(method, path, text, headers)
            response = self._connection.getresponse()
        except (http.client.HTTPException, OSError):  # an idle one had been closed
            self._connection.close()
            self._connection.request(method, path, text, headers)
            response = self._connection.getresponse()
        self.warning = response.getheader("Warning", "")
        said = response.read().decode()
        plain = response.getheader("Content-Type", "").startswith("text/plain")
        answer: Object = {"message": said} if plain else json.loads(said)
        if response.status >= http.client.BAD_REQUEST:
            raise Refused(response.status, answer)
        return answer


@dataclass(frozen=True)
class Place:
    """A namespace and what a test does in it. Kinds have the short names of `_KINDS`."""

    kube: Kube
    namespace: str

    def path(self, kind: str, name: str = "", sub: str = "") -> str:
        """URL path of a kind, an object, or its subresource; namespaced unless it is a CRD."""
        version, _, plural = _KINDS[kind]
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        scope = "" if kind == "crd" else f"/namespaces/{self.namespace}"
        return "/".join(filter(None, (f"{base}{scope}/{plural}", quote(name), sub)))

    def get(self, kind: str, name: str) -> Object | None:
        """The object, None when it isn't there."""
        try:
            return self.kube.ask("GET", self.path(kind, name))
        except Refused as error:
            if error.code == http.client.NOT_FOUND:
                return None
            raise

    def the(self, kind: str, name: str) -> Object:
        """The object that must be there."""
        return self.kube.ask("GET", self.path(kind, name))

    def all(self, kind: str, selector: str = "") -> list[Object]:
        """Every object of the kind that the selector takes."""
        query = f"?{urlencode({'labelSelector': selector})}" if selector else ""
        return list(self.kube.ask("GET", self.path(kind) + query)["items"])

    def create(self, kind: str, name: str, **parts: Any) -> Object:
        """Creates an object; `metadata` may bring labels and annotations."""
        version, word, _ = _KINDS[kind]
        metadata = {**parts.pop("metadata", {}), "name": name}
        body = {"apiVersion": version, "kind": word, "metadata": metadata, **parts}
        return self.kube.ask("POST", self.path(kind), body)

    def merge(self, kind: str, name: str, patch: Object, *, sub: str = "") -> Object:
        """A merge patch, as `kubectl patch --type=merge`: null removes."""
        path = self.path(kind, name, sub)
        return self.kube.ask("PATCH", path, patch, "application/merge-patch+json")

    def strategic(self, kind: str, name: str, patch: Object) -> Object:
        """A strategic merge patch, as `kubectl edit` sends: lists are merged by their key."""
        path = self.path(kind, name)
        return self.kube.ask("PATCH", path, patch, "application/strategic-merge-patch+json")

    def delete(self, kind: str, name: str) -> None:
        """Deletes it, in the background."""
        self.kube.ask("DELETE", self.path(kind, name))

    def service(self, name: str, **labels: str) -> Object:
        """A model's Service."""
        spec = {"selector": {"app": name}, "ports": [{"name": "http", "port": 8000}]}
        return self.create("service", name, metadata={"labels": labels}, spec=spec)

    def router(self, name: str, **spec: Any) -> Object:
        """A SemanticRouter with one entry, for the Service `model`, unless `spec` says else."""
        return self.create("sr", name, spec={"vllmEndpoints": [by_service("model")], **spec})

    def edit(self, name: str, **spec: Any) -> Object:
        """Changes fields of a SemanticRouter's spec; None removes one."""
        return self.merge("sr", name, {"spec": spec})

    def conditions(self, name: str) -> dict[str, Object]:
        """The conditions of a router by type, when they are about its latest generation."""
        return conditions(self.the("sr", name))

    def condition(
        self, name: str, kind: str, status: str, *, reason: str = "", seconds: float = SECONDS
    ) -> Object:
        """Waits until the condition has the status, and the reason if there is one; the condition.

        Only what is said about the latest generation counts.
        """
        deadline = time.monotonic() + seconds
        while True:
            found = self.conditions(name)
            seen = found.get(kind, {})
            if seen.get("status") == status and reason in {"", seen["reason"]}:
                return seen
            assert time.monotonic() < deadline, f"{name}: no {kind} {status} {reason}: {found}"
            time.sleep(0.05)

    def ready(self, name: str, *, seconds: float = 2 * SECONDS) -> Object:
        """Waits until the router is Ready; the router."""
        self.condition(name, "Ready", "True", seconds=seconds)
        return self.the("sr", name)

    def events(self, name: str) -> list[Object]:
        """The operator's Events about the router."""
        about = ("SemanticRouter", name)
        found = ((event["regarding"], event) for event in self.all("event"))
        return [event for it, event in found if (it.get("kind"), it.get("name")) == about]


def by_service(name: str, *, model: str = "", **parts: Any) -> Object:
    """An endpoint that refers to the Service of that name."""
    service = {"name": name, "port": 8000}
    backend = {"type": "service", "service": service}
    return {"name": name, "model": model or f"{name}-model", "backend": backend, **parts}


def by_label(app: str) -> Object:
    """An endpoint that refers to every Service with that label; without one it has no address."""
    selector = {"matchLabels": {"app": app}}
    backend = {"type": "serviceSelector", "serviceSelector": selector}
    return {"name": app, "model": f"{app}-model", "backend": backend}


def conditions(router: Mapping[str, Any]) -> dict[str, Object]:
    """Conditions by type; none while the status is about an earlier generation."""
    status = router.get("status") or {}
    if status.get("observedGeneration") != router["metadata"]["generation"]:
        return {}
    return {item["type"]: item for item in status.get("conditions", ())}


def container(deployment: Mapping[str, Any]) -> Object:
    """The router's container."""
    found: list[Object] = deployment["spec"]["template"]["spec"]["containers"]
    return next(item for item in found if item["name"] == "semantic-router")


def owners(raw: Mapping[str, Any], *path: str) -> set[tuple[str, str]]:
    """(manager, operation) of everyone who owns the field, such as `spec`, `replicas`."""
    found = set()
    for entry in raw["metadata"].get("managedFields", ()):
        fields: Any = entry["fieldsV1"]
        for part in path:
            fields = (fields or {}).get(f"f:{part}")
        if fields is not None:
            found.add((entry["manager"], entry["operation"]))
    return found


@dataclass
class Audit:
    """The audit log from a point in time on."""

    log: Path
    offset: int

    @classmethod
    def of(cls, plane: ControlPlane) -> "Audit":
        """From now on."""
        assert plane.audit_log is not None
        return cls(plane.audit_log, plane.audit_log.stat().st_size)

    def requests(self, user: str = OPERATOR_USER) -> Iterator[Object]:
        """Audit events of requests by a user whose name begins so; watches count at their start."""
        with self.log.open() as lines:
            lines.seek(self.offset)
            for line in lines:
                if not line.endswith("\n"):
                    return
                event = json.loads(line)
                if not event["user"].get("username", "").startswith(user):
                    continue
                if event["verb"] != "watch" or event["stage"] == "ResponseStarted":
                    yield event

    def writes(self, **reference: str) -> list[str]:
        """`verb resource/subresource name` of the operator's writes to objects with that
        reference, Events and the Lease apart."""
        found = []
        for event in self.requests():
            about = event.get("objectRef") or {}
            if event["verb"] not in WRITES or about.get("resource") in {"events", "leases"}:
                continue
            if all(about.get(key) == value for key, value in reference.items()):
                parts = filter(None, (about.get("resource"), about.get("subresource")))
                found.append(f"{event['verb']} {'/'.join(parts)} {about.get('name', '')}")
        return found


def kstatus(binary: Path, routers: list[Object]) -> list[str]:
    """What the kstatus library says of each object."""
    documents = "\n---\n".join(json.dumps(router) for router in routers)
    answer = subprocess.run([binary], input=documents, text=True, capture_output=True, check=True)
    return [line.split("\t")[0] for line in answer.stdout.splitlines()]


@contextmanager
def new_place(plane: ControlPlane, name: str, **labels: str) -> Iterator[Place]:
    """A namespace with these labels, for as long as the block lasts; its name goes on with
    something random, so that a test can be repeated."""
    with closing(Kube(plane)) as kube:
        metadata = {"generateName": f"{name}-", "labels": labels}
        made = kube.ask("POST", "/api/v1/namespaces", {"metadata": metadata})["metadata"]["name"]
        try:
            yield Place(kube, made)
        finally:
            kube.ask("DELETE", f"/api/v1/namespaces/{made}")
