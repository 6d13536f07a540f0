"""The kinds of backends that are looked up in the cluster, each in its plainest form."""

from collections.abc import Callable
from dataclasses import dataclass

from cluster.live_objects import Object
from cluster.live_routers import FINALIZER, Live, address, endpoint, endpoint_slice, service

CRDS = ("inferenceservices.serving.kserve.io", "llminferenceservices.serving.kserve.io")
LABELS = {"serves": "m"}


@dataclass(frozen=True)
class LiveKind:
    """What a router says to reach it, what must be there, and what comes of it."""

    id: str
    backend: Object
    """As in the CR; its part `own` takes the namespace."""
    own: str
    main: tuple[str, str]
    """Kind and name of the object whose life the tests tell."""
    make: Callable[[Live, str], None]
    """Makes that object, and what belongs to it, in a namespace."""
    url: str
    """Target; `{ns}` is the namespace."""
    ref: str
    """Name of the backend_ref."""
    absent: str
    """Reason where the object isn't there."""
    deleting: str
    """Reason while it is being deleted."""
    keeps: bool = False
    """Whether its address stays in the document when it is gone."""

    def endpoint(self, namespace: str = "", **more: object) -> Object:
        """The entry of the CR."""
        where = {"namespace": namespace} if namespace else {}
        part = {**self.backend[self.own], **where}
        return endpoint({**self.backend, self.own: part}, **more)

    def target(self, namespace: str) -> str:
        """The URL in status."""
        return self.url.format(ns=namespace)

    def refs(self, namespace: str) -> list[Object]:
        """The whole of backend_refs."""
        url = self.target(namespace)
        protocol, _, where = url.partition("://")
        if "/" in where:
            reached = {"base_url": url, "provider": "openai"}
        else:
            reached = {"endpoint": where, "protocol": protocol}
        return [{"name": self.ref, **reached, "weight": 1}]

    def delete(self, here: Live, namespace: str = "") -> None:
        """Deletes the main object."""
        here.delete(*self.main, namespace)

    def hold(self, here: Live) -> None:
        """From now on it can't be gone before `release`, as a finalizer of the test has it."""
        here.patch(*self.main, {"metadata": {"finalizers": [FINALIZER]}})

    def release(self, here: Live) -> None:
        """Lets it go."""
        here.patch(*self.main, {"metadata": {"finalizers": None}})
        here.forget(*self.main)


def _in(namespace: str, body: Object) -> Object:
    return {**body, "metadata": {**body["metadata"], "namespace": namespace}}


def _service(here: Live, namespace: str) -> None:
    here.apply(_in(namespace, service("m", metadata={"labels": LABELS})))


def _slice(here: Live, namespace: str) -> None:
    here.apply(
        _in(namespace, service("m")),
        _in(namespace, endpoint_slice("m-1", "m", address("10.20.0.1"))),
    )


def _llama_stack(here: Live, namespace: str) -> None:
    ports = [{"name": "metrics", "port": 9464}, {"name": "api", "port": 8321}]
    here.apply(
        _in(namespace, endpoint_slice("m-1", "m", address("10.20.0.1"))),
        _in(namespace, service("m", *ports, metadata={"labels": LABELS})),
    )


def inference_service(name: str, namespace: str, *, kind: str = "InferenceService") -> Object:
    """A KServe resource that nobody has looked at yet."""
    version = "v1beta1" if kind == "InferenceService" else "v1alpha1"
    return {
        "apiVersion": f"serving.kserve.io/{version}",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"model": "m"},
    }


def kserve_status(url: str | None, *, ready: str = "True", observed: int = 1) -> Object:
    """What KServe's controller writes."""
    condition = {"type": "Ready", "status": ready, "reason": "Said", "message": "so says KServe"}
    where = {} if url is None else {"address": {"url": url}}
    return {"status": {"observedGeneration": observed, "conditions": [condition], **where}}


def _kserve(kind: str, port: Object, url: str) -> Callable[[Live, str], None]:
    def make(here: Live, namespace: str) -> None:
        here.apply(_in(namespace, service("m-svc", port)))
        here.apply(inference_service("m", namespace, kind=kind))
        here.patch(
            kind, "m", kserve_status(url.format(ns=namespace)), sub="status", namespace=namespace
        )

    return make


SERVICE = LiveKind(
    id="service",
    backend={"type": "service", "service": {"name": "m", "port": 8000}},
    own="service",
    main=("Service", "m"),
    make=_service,
    url="http://m.{ns}.svc.cluster.local:8000",
    ref="b",
    absent="NotFound",
    deleting="NotFound",
    keeps=True,
)
SELECTOR = LiveKind(
    id="serviceSelector",
    backend={"type": "serviceSelector", "serviceSelector": {"matchLabels": LABELS}},
    own="serviceSelector",
    main=("Service", "m"),
    make=_service,
    url="http://m.{ns}.svc.cluster.local:8000",
    ref="b-m",
    absent="NoMatch",
    deleting="NoMatch",
)
SLICE = LiveKind(
    id="endpointslice",
    backend={"type": "endpointslice", "endpointSlice": {"serviceName": "m"}},
    own="endpointSlice",
    main=("EndpointSlice", "m-1"),
    make=_slice,
    url="http://10.20.0.1:8000",
    ref="b-10-20-0-1",
    absent="NoReadyEndpoints",
    deleting="NoReadyEndpoints",
)
LLAMA_STACK = LiveKind(
    id="llamastack",
    backend={"type": "llamastack", "llamastack": {"matchLabels": LABELS}},
    own="llamastack",
    main=("Service", "m"),
    make=_llama_stack,
    url="http://m.{ns}.svc.cluster.local:8321",
    ref="b-m",
    absent="NoMatch",
    deleting="NoMatch",
)
INFERENCE_SERVICE = LiveKind(
    id="InferenceService",
    backend={"type": "kserve", "kserve": {"name": "m"}},
    own="kserve",
    main=("InferenceService", "m"),
    make=_kserve(
        "InferenceService", {"name": "http", "port": 80}, "http://m-svc.{ns}.svc.cluster.local"
    ),
    url="http://m-svc.{ns}.svc.cluster.local:80",
    ref="b",
    absent="NotFound",
    deleting="NotReady",
)
LLM_INFERENCE_SERVICE = LiveKind(
    id="LLMInferenceService",
    backend={"type": "kserve", "kserve": {"name": "m", "kind": "LLMInferenceService"}},
    own="kserve",
    main=("LLMInferenceService", "m"),
    make=_kserve(
        "LLMInferenceService",
        {"name": "https", "port": 8000},
        "https://m-svc.{ns}.svc.cluster.local:8000/v1",
    ),
    url="https://m-svc.{ns}.svc.cluster.local:8000/v1",
    ref="b",
    absent="NotFound",
    deleting="NotReady",
)
KINDS = (SERVICE, SELECTOR, SLICE, LLAMA_STACK, INFERENCE_SERVICE, LLM_INFERENCE_SERVICE)
