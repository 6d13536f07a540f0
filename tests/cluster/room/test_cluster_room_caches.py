"""The caches of what routers refer to, against a real API server."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_room import Room, a_crd, eventually, room, wait_for_crd
from controlplane.wire import Wire
from semantic_router_operator.cluster.watch_source import Forbidden, Synced
from semantic_router_operator.model.facts import (
    Absent,
    InferenceServiceFacts,
    KindNotInstalled,
    LabelQuery,
    Missing,
    NotAllowed,
    ServiceFacts,
)
from semantic_router_operator.model.router import Metadata, SemanticRouter
from semantic_router_operator.ports import ClusterView

Kubectl = Callable[..., str]
QUERY = LabelQuery({"app": "model"})
REACTION_SECONDS = 2.0
"""Issue and target: a change reaches the router within this time."""


@pytest.fixture
async def at(admin: Path) -> AsyncIterator[Room]:
    async with room(admin) as found:
        yield found


def a_router(namespace: str, name: str = "r") -> SemanticRouter:
    return SemanticRouter(metadata=Metadata(name=name, namespace=namespace, uid=f"uid-{name}"))


def make_service(kubectl: Kubectl, namespace: str, name: str, **labels: str) -> None:
    body = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"ports": [{"port": 8000}]},
    }
    kubectl("apply", "-f", "-", input=json.dumps(body))


def service_a(namespace: str) -> Callable[[ClusterView], ServiceFacts | Missing]:
    return lambda view: view.service(namespace, "a")


async def woken(at: Room, namespace: str, name: str = "r") -> float:
    took = await eventually(lambda: (namespace, name) in at.woken, seconds=REACTION_SECONDS)
    at.woken.clear()
    return took


async def test_a_router_is_woken_by_the_service_that_it_named_and_by_no_other(
    at: Room, namespace: str, kubectl: Kubectl
) -> None:
    ask = service_a(namespace)
    assert await at.cluster.caches.consult(a_router(namespace), ask) == Absent()
    make_service(kubectl, namespace, "b")
    await asyncio.sleep(0.3)
    assert (namespace, "r") not in at.woken
    make_service(kubectl, namespace, "a")
    await woken(at, namespace)
    found = await at.cluster.caches.consult(a_router(namespace), ask)
    assert isinstance(found, ServiceFacts)
    ports = '{"spec":{"ports":[{"port":9000}]}}'
    kubectl("patch", "svc", "a", "-n", namespace, "--type=merge", "-p", ports)
    await woken(at, namespace)
    kubectl("delete", "svc", "a", "-n", namespace)
    await woken(at, namespace)
    assert await at.cluster.caches.consult(a_router(namespace), ask) == Absent()


async def test_asking_again_costs_no_request(at: Room, namespace: str, kubectl: Kubectl) -> None:
    make_service(kubectl, namespace, "a", app="model")

    def ask(view: ClusterView) -> Any:
        return (
            view.services(namespace, QUERY),
            view.endpoint_slices(namespace, QUERY),
            view.gateway(namespace, "g"),
        )

    await at.cluster.caches.consult(a_router(namespace), ask)
    at.requests.clear()
    for _ in range(20):
        await at.cluster.caches.consult(a_router(namespace), ask)
    assert at.requests == []


async def test_a_service_that_loses_its_label_wakes_the_router(
    at: Room, namespace: str, kubectl: Kubectl
) -> None:
    """Field case DS-02."""
    make_service(kubectl, namespace, "a", app="model")

    def ask(view: ClusterView) -> list[str] | None:
        found = view.services(namespace, QUERY)
        return [item.name for item in found] if isinstance(found, list) else None

    assert await at.cluster.caches.consult(a_router(namespace), ask) == ["a"]
    kubectl("label", "svc", "a", "-n", namespace, "app-")
    await woken(at, namespace)
    assert await at.cluster.caches.consult(a_router(namespace), ask) == []
    kubectl("label", "svc", "a", "-n", namespace, "app=model")
    await woken(at, namespace)


async def test_a_service_that_is_made_anew_is_another_one(
    at: Room, namespace: str, kubectl: Kubectl
) -> None:
    make_service(kubectl, namespace, "a")

    def ask(view: ClusterView) -> str | None:
        found = view.service(namespace, "a")
        return found.uid if isinstance(found, ServiceFacts) else None

    first = await at.cluster.caches.consult(a_router(namespace), ask)
    kubectl("delete", "svc", "a", "-n", namespace)
    make_service(kubectl, namespace, "a")
    live = kubectl("get", "svc", "a", "-n", namespace, "-o=jsonpath={.metadata.uid}")
    await eventually(lambda: ask(at.cluster.caches.view()) == live, seconds=REACTION_SECONDS)
    assert first != live
    await woken(at, namespace)


async def test_a_forgotten_router_is_left_alone(at: Room, namespace: str, kubectl: Kubectl) -> None:
    ask = service_a(namespace)
    await at.cluster.caches.consult(a_router(namespace), ask)
    at.cluster.caches.forget((namespace, "r"))
    make_service(kubectl, namespace, "a")
    await asyncio.sleep(0.5)
    assert (namespace, "r") not in at.woken


async def test_a_namespace_outside_the_watched_ones_is_not_looked_into(
    admin: Path, namespace: str
) -> None:
    """Field case KO-07."""
    async with room(admin, namespaces=namespace) as at:
        found = await at.cluster.caches.consult(
            a_router(namespace), lambda view: view.service("default", "kubernetes")
        )
        assert isinstance(found, NotAllowed)
        assert "not among the watched namespaces" in found.message


async def test_missing_rights_are_said_and_come_back_by_themselves(
    control_plane: Any, kubectl: Kubectl, namespace: str
) -> None:
    kubectl("create", "serviceaccount", "limited", "-n", namespace)
    kubeconfig = control_plane.kubeconfig_for_service_account(namespace, "limited")
    async with room(kubeconfig, started=False, namespaces=namespace) as at:
        ask = service_a(namespace)
        found = await at.cluster.caches.consult(a_router(namespace), ask)
        assert isinstance(found, NotAllowed)
        assert "services" in found.message
        (watch,) = at.cluster.caches.watches
        assert isinstance(watch.state, Forbidden)
        kubectl("create", "role", "r", "-n", namespace, "--verb=list,watch", "--resource=services")
        binding = f"--serviceaccount={namespace}:limited"
        kubectl("create", "rolebinding", "r", "-n", namespace, "--role=r", binding)
        await asyncio.sleep(0.2)
        watch.retry()
        await woken(at, namespace)
        assert await at.cluster.caches.consult(a_router(namespace), ask) == Absent()


@pytest.fixture
async def wire(admin: Path, tmp_path: Path) -> AsyncIterator[tuple[Wire, Path]]:
    """A wire to the API server, and the kubeconfig that goes through it."""
    path = tmp_path / "wire.kubeconfig"
    wire = await Wire.before(admin, path)
    yield wire, path
    await wire.close()


async def test_a_watch_that_is_cut_goes_on_and_misses_nothing(
    wire: tuple[Wire, Path], namespace: str, kubectl: Kubectl
) -> None:
    """Field case KO-03."""
    async with room(wire[1], started=False) as at:
        ask = service_a(namespace)
        await at.cluster.caches.consult(a_router(namespace), ask)
        lists = at.requests.count(("LIST", "services", 200))
        wire[0].refusing = True
        wire[0].cut()
        make_service(kubectl, namespace, "a")
        await asyncio.sleep(0.5)
        wire[0].refusing = False
        await eventually(lambda: (namespace, "r") in at.woken, seconds=5)
        (watch,) = at.cluster.caches.watches
        assert isinstance(watch.state, Synced)
        assert at.requests.count(("LIST", "services", 200)) == lists


async def test_what_was_known_is_served_while_the_api_server_is_away(
    wire: tuple[Wire, Path], namespace: str, kubectl: Kubectl
) -> None:
    make_service(kubectl, namespace, "a")
    async with room(wire[1], started=False) as at:
        ask = service_a(namespace)
        await at.cluster.caches.consult(a_router(namespace), ask)
        wire[0].refusing = True
        wire[0].cut()
        await asyncio.sleep(1.5)
        assert isinstance(ask(at.cluster.caches.view()), ServiceFacts)
        assert (namespace, "r") not in at.woken
        assert at.cluster.silent_seconds < 10


@pytest.fixture
def crds(kubectl: Kubectl) -> Iterator[Callable[..., None]]:
    made: list[str] = []

    def install(group: str, plural: str, kind: str, version: str) -> None:
        kubectl("apply", "-f", "-", input=json.dumps(a_crd(group, plural, kind, version)))
        made.append(f"{plural}.{group}")

    yield install
    for name in made:
        kubectl("delete", "crd", name, "--ignore-not-found")


async def test_a_kind_that_is_installed_later_is_picked_up_and_goes_away_again(
    at: Room, namespace: str, kubectl: Kubectl, crds: Callable[..., None]
) -> None:
    """Field case KS-06: within 2 s, without a restart."""

    def ask(view: ClusterView) -> object:
        return view.inference_service("LLMInferenceService", namespace, "m")

    router = a_router(namespace)
    assert await at.cluster.caches.consult(router, ask) == KindNotInstalled("LLMInferenceService")
    at.requests.clear()
    await asyncio.sleep(0.5)
    assert at.asked() == []
    crds("serving.kserve.io", "llminferenceservices", "LLMInferenceService", "v1alpha1")
    wait_for_crd(kubectl, "llminferenceservices.serving.kserve.io")
    established = time.monotonic()
    await eventually(lambda: (namespace, "r") in at.woken)
    assert time.monotonic() - established < REACTION_SECONDS
    at.woken.clear()
    assert await at.cluster.caches.consult(router, ask) == Absent()
    body = {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "LLMInferenceService",
        "metadata": {"name": "m", "namespace": namespace},
        "spec": {},
    }
    kubectl("apply", "-f", "-", input=json.dumps(body))
    await woken(at, namespace)
    found = await at.cluster.caches.consult(router, ask)
    assert isinstance(found, InferenceServiceFacts)
    assert found.kind == "LLMInferenceService"
    kubectl("delete", "crd", "llminferenceservices.serving.kserve.io")
    await eventually(lambda: ask(at.cluster.caches.view()) == KindNotInstalled(found.kind))
    assert (namespace, "r") in at.woken


async def test_a_kind_is_picked_up_by_polling_where_crds_may_not_be_watched(
    control_plane: Any, namespace: str, kubectl: Kubectl, crds: Callable[..., None]
) -> None:
    kubectl("create", "serviceaccount", "limited", "-n", namespace)
    role = ("--verb=list,watch", "--resource=gateways.gateway.networking.k8s.io")
    binding = f"--serviceaccount={namespace}:limited"
    crds("gateway.networking.k8s.io", "gateways", "Gateway", "v1")
    wait_for_crd(kubectl, "gateways.gateway.networking.k8s.io")
    kubectl("create", "role", "r", "-n", namespace, *role)
    kubectl("create", "rolebinding", "r", "-n", namespace, "--role=r", binding)
    kubectl("delete", "crd", "gateways.gateway.networking.k8s.io")
    kubeconfig = control_plane.kubeconfig_for_service_account(namespace, "limited")
    async with room(kubeconfig, namespaces=namespace) as at:

        def ask(view: ClusterView) -> object:
            return view.gateway(namespace, "g")

        router = a_router(namespace)
        assert await at.cluster.caches.consult(router, ask) == KindNotInstalled("Gateway")
        crds("gateway.networking.k8s.io", "gateways", "Gateway", "v1")
        await eventually(lambda: (namespace, "r") in at.woken, seconds=12)
        assert await at.cluster.caches.consult(router, ask) == Absent()


async def test_a_route_crd_alone_is_no_openshift_and_a_second_group_makes_it_one(
    at: Room, crds: Callable[..., None]
) -> None:
    """Field case OS-02."""
    found = await at.cluster.capabilities.platform()
    assert (found.openshift, found.routes) == (False, False)
    crds("route.openshift.io", "routes", "Route", "v1")
    await eventually(lambda: len(at.platforms) == 1)
    found = await at.cluster.capabilities.platform()
    assert (found.openshift, found.routes) == (False, True)
    crds("config.openshift.io", "infrastructures", "Infrastructure", "v1")
    await eventually(lambda: len(at.platforms) == 2)
    found = await at.cluster.capabilities.platform()
    assert (found.openshift, found.routes) == (True, True)
