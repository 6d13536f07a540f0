"""A namespace of a test: what it makes there, and what it looks at."""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from cluster.live_objects import Object, Place, Refused, by_service, conditions, until
from e2e import pods
from e2e.target import ProxiedKube
from standins.image import TAG

PREFIX = "e2e-"
OURS = "e2e.vllm.ai/namespace"
"""Label of the namespaces that this suite makes, and may therefore delete."""
POD_SECONDS = 90.0
"""How long a pod may take until it is ready, on a machine that does more than this."""
DRAIN_SECONDS = 5

_repository, _, _tag = TAG.rpartition(":")
QUICK: Object = {
    "image": {"repository": _repository, "tag": _tag},
    "drainSeconds": DRAIN_SECONDS,
    "startupProbe": {"periodSeconds": 1},
    "readinessProbe": {"initialDelaySeconds": 0, "periodSeconds": 1},
    "resources": {
        "requests": {"cpu": "10m", "memory": "32Mi"},
        "limits": {"memory": "128Mi"},
    },
}
"""What a test's router has unless it says otherwise: small, and ready as soon as it can be."""
RETRIES: Object = {"retryCount": 2, "retryOn": "connect-failure,reset-before-request,reset"}
"""`reliability` of a model whose requests may go to another backend."""


@dataclass(frozen=True)
class Stage(Place):
    """A namespace where model servers, routers and clients run."""

    api: ProxiedKube
    """The same as `kube`."""

    def models(self, *names: str, **how: Any) -> None:
        """Model servers that say their names; returns once they are ready."""
        for name in names:
            self.model(name, **how)
        for name in names:
            self.available(name)

    def model(self, name: str, **how: Any) -> None:
        """A model server and its Service, as `pods.model` makes it; it may not be up yet."""
        pods.model(self, name, **how)

    def available(self, deployment: str) -> None:
        """Waits until all of its replicas are there, and no others."""

        def done() -> bool:
            found = self.the("deployment", deployment)
            status, wanted = found.get("status", {}), found["spec"]["replicas"]
            seen = status.get("observedGeneration") == found["metadata"]["generation"]
            counts = {
                status.get(key, 0) for key in ("replicas", "readyReplicas", "updatedReplicas")
            }
            return bool(seen and counts == {wanted})

        until(done, seconds=POD_SECONDS)

    def settled(self, deployment: str) -> None:
        """Waits until, beyond that, no pod is on its way out any more."""
        self.available(deployment)
        wanted = self.the("deployment", deployment)["spec"]["replicas"]
        until(lambda: len(self.all("pod", f"app={deployment}")) == wanted, seconds=POD_SECONDS)

    def quick(self, name: str, *entries: Object, wait: bool = True, **spec: Any) -> None:
        """A router of stand-ins, for the Service `model` unless there are entries."""
        chosen = list(entries) or [by_service("model", model="model")]
        self.create("sr", name, spec={**QUICK, "vllmEndpoints": chosen, **spec})
        if wait:
            self.ready(name, seconds=POD_SECONDS)

    def running(self, router: str) -> dict[str, Object]:
        """The router's pods that are ready, by name."""
        found = self.all("pod", f"app.kubernetes.io/instance={router}")
        return {pod["metadata"]["name"]: pod for pod in found if pods.is_ready(pod)}

    def running_models(self, name: str) -> list[Object]:
        """The model server's pods that are ready."""
        return [pod for pod in self.all("pod", f"app={name}") if pods.is_ready(pod)]

    def restarts(self, router: str) -> int:
        """How often containers of its pods were started again."""
        found = self.all("pod", f"app.kubernetes.io/instance={router}")
        statuses = (one for pod in found for one in pod["status"].get("containerStatuses", ()))
        return sum(one["restartCount"] for one in statuses)

    def digest(self, router: str) -> str:
        """Of the live document."""
        found = self.the("configmap", f"{router}-config")
        return str(found["metadata"]["annotations"]["vllm.ai/config-digest"])

    def served(self, pod: str) -> str:
        """Digest of the document that a router's pod goes by, as it says itself."""
        path = self.path("pod", f"{pod}:9190", "proxy/metrics").replace("%3A", ":")
        return (
            self.api.text(path).split('standin_config_info{digest="')[1].split('"', maxsplit=1)[0]
        )

    def in_effect(self, router: str, *, seconds: float = 120) -> float:
        """Waits until every pod goes by the live document; the seconds that it took."""
        began = time.monotonic()

        def everywhere() -> bool:
            live = self.digest(router)
            return {self.served(pod) for pod in self.running(router)} == {live}

        until(everywhere, seconds=seconds)
        return time.monotonic() - began

    def edited(self, router: str, **spec: Any) -> float:
        """Edits what the document is made of; the seconds until every pod goes by the new one."""
        before = self.digest(router)

        def in_effect() -> bool:
            live = self.digest(router)
            served = {self.served(pod) for pod in self.running(router)}
            return live != before and served == {live}

        return self.timed(lambda: self.edit(router, **spec), in_effect)

    def timed(
        self, do: Callable[[], object], done: Callable[[], object], *, seconds: float = 120
    ) -> float:
        """Does something and waits for what is to come of it; the seconds that it took."""
        began = time.monotonic()
        do()
        until(done, seconds=seconds)
        return time.monotonic() - began

    def observed(self, router: str) -> None:
        """Waits until the status is about the spec as it is."""
        until(lambda: conditions(self.the("sr", router)))

    def ask(self, router: str, model: str, prompt: str = "hello") -> Object:
        """A completion by way of the API server: for what is said, not for how fast."""
        path = self.path("service", f"{router}:8801", "proxy/v1/chat/completions")
        messages = [{"role": "user", "content": prompt}]
        body = {"model": model, "messages": messages}
        return self.kube.ask("POST", path.replace("%3A", ":"), body)

    def wait_for_answer(self, router: str, model: str, *who: str) -> None:
        """Waits until one of them answers (anybody, if none is named); there may be errors before:
        kube-proxy hears of a ready pod a moment after us."""

        def said() -> bool:
            try:
                found = self.answers(router, model)
            except Refused:
                return False
            return not who or found <= set(who)

        until(said)

    def answers(self, router: str, model: str, *, times: int = 1) -> set[str]:
        """Who answers."""
        return {str(self.ask(router, model)["standin"]["name"]) for _ in range(times)}


@contextmanager
def staged(kube: ProxiedKube) -> Iterator[Stage]:
    """A namespace that lets in only what is restricted; gone, in a while, after the block."""
    name = f"{PREFIX}{secrets.token_hex(3)}"
    labels = {"pod-security.kubernetes.io/enforce": "restricted", OURS: "true"}
    kube.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
    try:
        yield Stage(kube, name, kube)
    finally:
        with suppress(Refused):  # a test may have deleted it
            kube.ask("DELETE", f"/api/v1/namespaces/{name}")


def entry(service: str, model: str = "model", **parts: Any) -> Object:
    """An endpoint of that model, by a Service's name; requests may go to another one instead."""
    return by_service(service, model=model, reliability=RETRIES, **parts)


def entries(services: Sequence[str], model: str = "model") -> list[Object]:
    """One for each Service."""
    return [entry(service, model) for service in services]
