"""What the tests of the cluster room share: a wired room, a router, patience, a cuttable wire."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.cluster.assembly import Cluster
from semantic_router_operator.cluster.call import Call
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.clock import SystemClock
from semantic_router_operator.cluster.credentials import Credentials
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    DEPLOYMENT,
    SERVICE,
    AppliedObject,
    Manifest,
)
from semantic_router_operator.model.router import Metadata, SemanticRouter
from semantic_router_operator.settings import Settings

CRD_FILE = Path(__file__).parents[2] / "crds" / "vllm.ai_semanticrouters.yaml"


def install_crd(kubectl: Callable[..., str]) -> None:
    """SemanticRouter itself: its instances own the children of these tests."""
    kubectl("apply", "--server-side", "-f", str(CRD_FILE))
    wait_for_crd(kubectl, "semanticrouters.vllm.ai")


def wait_for_crd(kubectl: Callable[..., str], name: str) -> None:
    """`kubectl wait` fails on a CRD that has no conditions yet, so this asks until it has."""
    for _ in range(100):
        status = json.loads(kubectl("get", "crd", name, "-o", "json"))["status"]
        found = {item["type"]: item["status"] for item in status.get("conditions") or ()}
        if found.get("Established") == "True":
            return
        time.sleep(0.1)
    message = f"CRD {name} isn't established"
    raise AssertionError(message)


@dataclass
class Room:
    """A connected cluster room and what it said."""

    cluster: Cluster
    woken: list[tuple[str, str]] = field(default_factory=list)
    requests: list[tuple[str, str, int]] = field(default_factory=list)
    platforms: list[object] = field(default_factory=list)

    @property
    def client(self) -> Client:
        return self.cluster.client

    def writes(self) -> list[tuple[str, str, int]]:
        return [item for item in self.requests if item[0] in {"POST", "PATCH", "PUT", "DELETE"}]

    def asked(self) -> list[tuple[str, str, int]]:
        """Requests, streams apart."""
        return [item for item in self.requests if item[0] != "WATCH"]


@asynccontextmanager
async def room(kubeconfig: Path, *, started: bool = True, **settings: Any) -> AsyncIterator[Room]:
    credentials = await Credentials.load({"KUBECONFIG": str(kubeconfig)})
    requests: list[tuple[str, str, int]] = []
    woken: list[tuple[str, str]] = []
    platforms: list[object] = []
    async with Client(
        credentials, on_request=lambda verb, what, code, _: requests.append((verb, what, code))
    ) as client:
        cluster = Cluster(
            client,
            Settings(**settings),
            SystemClock(),
            wake=lambda namespace, name: woken.append((namespace, name)),
            on_platform=lambda: platforms.append(None),
        )
        if started:
            cluster.start()
            await cluster.children.ready()
        try:
            yield Room(cluster, woken, requests, platforms)
        finally:
            await cluster.stop()


async def eventually(check: Callable[[], object], *, seconds: float = 10.0) -> float:
    """Waits until `check` holds; the seconds that it took."""
    began = time.monotonic()
    while not check():
        assert time.monotonic() - began < seconds, f"not within {seconds} s"
        await asyncio.sleep(0.02)
    return time.monotonic() - began


async def owner(at: Room, namespace: str, name: str) -> SemanticRouter:
    """A router whose uid is that of a live object, so that the garbage collector lets its
    children be: SemanticRouter itself, whose CRD the caller has installed."""
    body = {
        "apiVersion": names.API_VERSION,
        "kind": names.KIND,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {},
    }
    path = f"/apis/{names.API_VERSION}/namespaces/{namespace}/{names.PLURAL}"
    raw = await at.client.request(Call("POST", path, body=body))
    metadata = raw["metadata"]
    return SemanticRouter(
        metadata=Metadata(
            name=name, namespace=namespace, uid=metadata["uid"], generation=metadata["generation"]
        )
    )


def config_map(router: SemanticRouter, text: str = "a: 1\n", **annotations: str) -> Manifest:
    name = names.config_map(router.name)
    return Manifest(
        CONFIG_MAP,
        router.namespace,
        name,
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": _metadata(router, name, annotations),
            "data": {names.CONFIG_KEY: text, names.TOOLS_KEY: "[]"},
        },
    )


def service(router: SemanticRouter, **spec: Any) -> Manifest:
    name = names.workload(router.name)
    return Manifest(
        SERVICE,
        router.namespace,
        name,
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": _metadata(router, name, {}),
            "spec": {
                "ports": [{"name": "http-8801", "port": 8801, "targetPort": 8801}],
                "selector": names.selector_labels(router.name),
                **spec,
            },
        },
    )


def deployment(router: SemanticRouter, *, replicas: int | None = 2, **container: Any) -> Manifest:
    name = names.workload(router.name)
    spec: dict[str, Any] = {} if replicas is None else {"replicas": replicas}
    return Manifest(
        DEPLOYMENT,
        router.namespace,
        name,
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": _metadata(router, name, {}),
            "spec": {
                **spec,
                "selector": {"matchLabels": names.selector_labels(router.name)},
                "template": {
                    "metadata": {"labels": names.child_labels(router.name)},
                    "spec": {
                        "containers": [
                            {
                                "name": names.CONTAINER,
                                "image": "example.invalid/router:1",
                                "ports": [{"name": "http-8801", "containerPort": 8801}],
                                "resources": {
                                    "requests": {"cpu": "1000m", "memory": "1024Mi"},
                                    "limits": {"cpu": 2, "memory": "2Gi"},
                                },
                                **container,
                            }
                        ]
                    },
                },
            },
        },
    )


def a_crd(group: str, plural: str, kind: str, version: str) -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            "annotations": {"api-approved.kubernetes.io": "unapproved, testing"},
        },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


def outcomes(applied: tuple[AppliedObject, ...]) -> list[str]:
    return [item.outcome for item in applied]


def _metadata(router: SemanticRouter, name: str, annotations: dict[str, str]) -> dict[str, Any]:
    return {
        "name": name,
        "namespace": router.namespace,
        "labels": names.child_labels(router.name),
        **({"annotations": annotations} if annotations else {}),
        "ownerReferences": [
            {
                "apiVersion": names.API_VERSION,
                "kind": names.KIND,
                "name": router.name,
                "uid": router.metadata.uid,
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }
