"""The writer against a real API server: what it writes, what it leaves alone."""

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_room import (
    Room,
    a_crd,
    config_map,
    deployment,
    eventually,
    install_crd,
    outcomes,
    owner,
    room,
    service,
    wait_for_crd,
)
from semantic_router_operator import names
from semantic_router_operator.cluster.call import JSON_PATCH, Call
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.errors import ApiConflict, RouterGone
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    DEPLOYMENT,
    ROUTE,
    ChildKey,
    Manifest,
)
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import config_map as document

Kubectl = Callable[..., str]


@pytest.fixture(scope="module")
def crd(kubectl: Kubectl) -> None:
    install_crd(kubectl)


@pytest.fixture
async def at(admin: Path, crd: None) -> AsyncIterator[Room]:
    async with room(admin) as found:
        yield found


@pytest.fixture
async def router(at: Room, namespace: str) -> SemanticRouter:
    return await owner(at, namespace, "r")


def managers(kubectl: Kubectl, namespace: str, what: str) -> list[dict[str, Any]]:
    text = kubectl("get", what, "-n", namespace, "-o", "json", "--show-managed-fields")
    found: list[dict[str, Any]] = json.loads(text)["metadata"]["managedFields"]
    return found


async def test_a_second_apply_of_the_same_manifests_makes_no_request(
    at: Room, router: SemanticRouter
) -> None:
    manifests = [config_map(router), service(router), deployment(router)]
    first = await at.cluster.writer.apply(router, manifests, ())
    assert outcomes(first) == ["applied"] * 3
    assert first[2].generation == 1
    at.requests.clear()
    for _ in range(5):
        again = await at.cluster.writer.apply(router, manifests, ())
        assert outcomes(again) == ["unchanged"] * 3
    assert at.asked() == []


async def test_creating_costs_a_look_at_the_router_and_one_write_and_look_per_object(
    at: Room, router: SemanticRouter
) -> None:
    at.requests.clear()
    await at.cluster.writer.apply(router, [config_map(router), deployment(router)], ())
    assert [(verb, code) for verb, _, code in at.asked()] == [
        ("GET", 200),
        ("GET", 404),
        ("PATCH", 201),
        ("GET", 404),
        ("PATCH", 201),
    ]


async def test_a_restarted_operator_finds_everything_in_order_without_a_read_per_object(
    at: Room, admin: Path, router: SemanticRouter
) -> None:
    manifests = [config_map(router), service(router), deployment(router)]
    await at.cluster.writer.apply(router, manifests, ())
    async with room(admin) as later:
        later.requests.clear()
        assert (
            outcomes(await later.cluster.writer.apply(router, manifests, ())) == ["unchanged"] * 3
        )
        assert later.asked() == []


async def test_r7_an_object_of_ours_that_lost_its_owner_is_ours_again(
    at: Room, router: SemanticRouter
) -> None:
    manifest = service(router)
    await at.cluster.writer.apply(router, [manifest], ())
    patch = {"metadata": {"ownerReferences": None}}
    path = object_path(manifest.key)
    call = Call("PATCH", path, body=patch, content_type="application/merge-patch+json")
    await at.client.request(call)
    await eventually(lambda: (held := at.cluster.children.get(manifest.key)) and not held.owner)
    (outcome,) = await at.cluster.writer.apply(router, [manifest], ())
    assert outcome.outcome == "applied"
    (owner_reference,) = (await at.client.get(path))["metadata"]["ownerReferences"]
    assert owner_reference["uid"] == router.metadata.uid


async def test_an_object_of_nobody_is_reported_and_never_touched(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    space, name = router.namespace, names.config_map("r")
    kubectl("create", "configmap", name, "-n", space, "--from-literal=mine=1")
    before = kubectl("get", "configmap", name, "-n", space, "-o", "json", "--show-managed-fields")
    applied = await at.cluster.writer.apply(router, [config_map(router), service(router)], ())
    assert outcomes(applied) == ["conflict", "applied"]
    assert applied[0].reason == "NameConflict"
    assert f"ConfigMap {space}/{name}" in applied[0].message
    await at.cluster.writer.apply(router, [], ())
    after = kubectl("get", "configmap", name, "-n", space, "-o", "json", "--show-managed-fields")
    assert before == after


async def test_an_object_of_somebody_else_is_a_conflict_even_with_our_labels(
    at: Room, router: SemanticRouter, namespace: str
) -> None:
    other = await owner(at, namespace, "other")
    stolen = config_map(router)
    body = {**stolen.body, "metadata": {**config_map(other).body["metadata"], "name": stolen.name}}
    await at.cluster.writer.apply(other, [dataclasses.replace(stolen, body=body)], ())
    await eventually(lambda: at.cluster.children.get(stolen.key))
    applied = await at.cluster.writer.apply(router, [stolen], ())
    assert outcomes(applied) == ["conflict"]
    assert "SemanticRouter other" in applied[0].message


async def test_an_object_that_lost_our_label_is_adopted_and_gets_it_back(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    manifest = config_map(router)
    await at.cluster.writer.apply(router, [manifest], ())
    kubectl(
        "label", "configmap", manifest.name, "-n", router.namespace, f"{names.LABEL_MANAGED_BY}-"
    )
    await eventually(lambda: at.cluster.children.get(manifest.key) is None)
    assert at.woken[-1] == (router.namespace, "r")
    assert outcomes(await at.cluster.writer.apply(router, [manifest], ())) == ["applied"]
    found = json.loads(kubectl("get", "configmap", manifest.name, "-n", router.namespace, "-ojson"))
    assert found["metadata"]["labels"][names.LABEL_MANAGED_BY] == names.MANAGED_BY


async def test_what_the_router_no_longer_wants_is_removed_and_what_it_keeps_stays(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    manifests = [config_map(router), service(router), deployment(router)]
    await at.cluster.writer.apply(router, manifests, ())
    applied = await at.cluster.writer.apply(router, manifests[:1], [manifests[2].key])
    assert [(item.outcome, item.key.kind.kind) for item in applied] == [
        ("unchanged", "ConfigMap"),
        ("deleted", "Service"),
    ]
    left = kubectl("get", "svc,deploy", "-n", router.namespace, "-o", "name").split()
    assert left == ["deployment.apps/r"]


async def test_a_replaced_object_is_not_deleted_on_stale_knowledge(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    """The cache shows an object that has been replaced meanwhile."""
    manifest = config_map(router)
    await at.cluster.writer.apply(router, [manifest], ())
    await at.cluster.children.stop()
    kubectl("delete", "configmap", manifest.name, "-n", router.namespace)
    kubectl("create", "configmap", manifest.name, "-n", router.namespace)
    assert outcomes(await at.cluster.writer.apply(router, [], ())) == ["failed"]
    kubectl("get", "configmap", manifest.name, "-n", router.namespace)
    changed = config_map(router, "a: 2\n")
    assert outcomes(await at.cluster.writer.apply(router, [changed], ())) == ["conflict"]


@pytest.mark.parametrize(
    "patch",
    [
        '{"data":{"config.yaml":"broken"}}',
        '{"data":{"config.yaml":null}}',
        '{"metadata":{"labels":{"app.kubernetes.io/component":"x"}}}',
    ],
)
async def test_drift_of_what_is_ours_is_healed(
    at: Room, router: SemanticRouter, kubectl: Kubectl, patch: str
) -> None:
    manifest = config_map(router)
    await at.cluster.writer.apply(router, [manifest], ())
    at.woken.clear()
    kubectl("patch", "cm", manifest.name, "-n", router.namespace, "--type=merge", "-p", patch)
    await eventually(lambda: (router.namespace, "r") in at.woken)
    assert outcomes(await at.cluster.writer.apply(router, [manifest], ())) == ["applied"]
    found = json.loads(kubectl("get", "cm", manifest.name, "-n", router.namespace, "-o", "json"))
    assert found["data"]["config.yaml"] == "a: 1\n"
    assert found["metadata"]["labels"]["app.kubernetes.io/component"] == "router"


async def test_what_others_add_stays_over_twenty_passes_and_costs_no_write(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    manifest = deployment(router)
    await at.cluster.writer.apply(router, [manifest], ())
    addition = {
        "metadata": {"labels": {"team": "a"}, "annotations": {"note": "b"}},
        "spec": {
            "template": {
                "metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "now"}},
                "spec": {"containers": [{"name": "sidecar", "image": "example.invalid/s:1"}]},
            }
        },
    }
    before = at.cluster.children.get(manifest.key)
    assert before is not None
    kubectl("patch", "deploy", "r", "-n", router.namespace, "-p", json.dumps(addition))
    await eventually(lambda: _version(at, manifest.key) != before.version)
    at.requests.clear()
    for _ in range(20):
        assert outcomes(await at.cluster.writer.apply(router, [manifest], ())) == ["unchanged"]
    assert at.asked() == []
    await at.cluster.writer.apply(router, [deployment(router, args=["-v"])], ())
    found = json.loads(kubectl("get", "deploy", "r", "-n", router.namespace, "-o", "json"))
    assert found["metadata"]["labels"]["team"] == "a"
    assert found["metadata"]["annotations"]["note"] == "b"
    template = found["spec"]["template"]
    assert template["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"] == "now"
    assert sorted(item["name"] for item in template["spec"]["containers"]) == [
        "semantic-router",
        "sidecar",
    ]
    ours = [
        item
        for item in managers(kubectl, router.namespace, "deploy/r")
        if item["manager"].startswith("semantic-router")
    ]
    assert [item["manager"] for item in ours] == [names.FIELD_MANAGER]


def _version(at: Room, key: ChildKey) -> str:
    found = at.cluster.children.get(key)
    return found.version if found else ""


async def test_a_field_that_is_no_longer_wanted_goes_away(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    env = [{"name": "A", "value": "1"}, {"name": "B", "value": ""}]
    await at.cluster.writer.apply(router, [deployment(router, env=env)], ())
    assert outcomes(await at.cluster.writer.apply(router, [deployment(router, env=env)], ())) == [
        "unchanged"
    ]
    await at.cluster.writer.apply(router, [deployment(router, env=env[1:])], ())
    found = json.loads(kubectl("get", "deploy", "r", "-n", router.namespace, "-o", "json"))
    container = found["spec"]["template"]["spec"]["containers"][0]
    assert container["env"] == [{"name": "B"}]


async def test_an_allocated_node_port_survives(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    """Field case OP-04."""
    manifest = service(router, type="NodePort")
    await at.cluster.writer.apply(router, [manifest], ())
    path = "-o=jsonpath={.spec.ports[0].nodePort}"
    port = kubectl("get", "svc", "r", "-n", router.namespace, path)
    assert port
    more = service(
        router,
        type="NodePort",
        ports=[
            {"name": "http-8801", "port": 8801, "targetPort": 8801},
            {"name": "metrics", "port": 9190},
        ],
    )
    await at.cluster.writer.apply(router, [more], ())
    assert kubectl("get", "svc", "r", "-n", router.namespace, path) == port
    await at.cluster.writer.apply(router, [service(router, type="ClusterIP")], ())
    assert kubectl("get", "svc", "r", "-n", router.namespace, path) == ""


async def test_the_autoscaler_is_left_in_peace(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    """Handed over without falling back to 1, then scaled to 7 and left at 7."""
    await at.cluster.writer.apply(router, [deployment(router, replicas=3)], ())
    manifest = deployment(router, replicas=None)
    path = "-o=jsonpath={.spec.replicas}"
    assert outcomes(await at.cluster.writer.apply(router, [manifest], ())) == ["applied"]
    assert kubectl("get", "deploy", "r", "-n", router.namespace, path) == "3"
    kubectl("scale", "deploy/r", "-n", router.namespace, "--replicas=7")
    await eventually(lambda: _wanted_replicas(at, manifest.key) == 7)
    at.requests.clear()
    for _ in range(20):
        assert outcomes(await at.cluster.writer.apply(router, [manifest], ())) == ["unchanged"]
    assert at.asked() == []
    await at.cluster.writer.apply(router, [deployment(router, replicas=None, args=["-v"])], ())
    assert kubectl("get", "deploy", "r", "-n", router.namespace, path) == "7"
    owners = [
        item["manager"]
        for item in managers(kubectl, router.namespace, "deploy/r")
        if "f:replicas" in item["fieldsV1"].get("f:spec", {})
    ]
    assert names.FIELD_MANAGER not in owners
    assert names.SCALE_HANDOVER_MANAGER not in owners


def _wanted_replicas(at: Room, key: ChildKey) -> int | None:
    found = at.cluster.children.get(key)
    return found.facts.wanted if found and found.facts and hasattr(found.facts, "wanted") else None


async def test_an_object_of_the_go_operator_loses_what_nobody_wants_any_more(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    """Field case OP-10: fields of an earlier field manager."""
    body = deployment(router, args=["--old"], env=[{"name": "OLD", "value": "1"}]).body
    path = f"/apis/apps/v1/namespaces/{router.namespace}/deployments"
    unlabelled = {**body, "metadata": {**body["metadata"], "labels": {"app": "old"}}}
    await at.client.request(Call("POST", path, {"fieldManager": "manager"}, unlabelled))
    available = ("--for=condition=Available", "--timeout=30s", "-n", router.namespace)
    kubectl("wait", *available, "deploy/r")  # its controller's writes would be conflicts
    manifest = deployment(router)
    assert outcomes(await at.cluster.writer.apply(router, [manifest], ())) == ["applied"]
    found = json.loads(kubectl("get", "deploy", "r", "-n", router.namespace, "-o", "json"))
    container = found["spec"]["template"]["spec"]["containers"][0]
    assert "args" not in container
    assert "env" not in container
    assert "app" not in found["metadata"]["labels"]
    at.requests.clear()
    assert outcomes(await at.cluster.writer.apply(router, [manifest], ())) == ["unchanged"]
    assert at.asked() == []


async def test_a_refused_object_is_named_with_its_field_and_the_others_are_written(
    at: Room, router: SemanticRouter
) -> None:
    bad = deployment(router, imagePullPolicy="secret-looking-value")
    applied = await at.cluster.writer.apply(router, [bad, service(router)], ())
    assert outcomes(applied) == ["rejected", "applied"]
    assert applied[0].reason == "ObjectRejected"
    assert "spec.template.spec.containers[0].imagePullPolicy" in applied[0].message
    assert "secret-looking-value" not in applied[0].message


async def test_what_comes_after_a_refused_object_waits_for_it(
    at: Room, router: SemanticRouter
) -> None:
    bad = deployment(router, imagePullPolicy="nonsense")
    later = dataclasses.replace(config_map(router), after=bad.key)
    applied = await at.cluster.writer.apply(router, [bad, later, service(router)], ())
    assert outcomes(applied) == ["rejected", "failed", "applied"]
    assert applied[1].message == f"waits for {bad.key}"
    assert at.cluster.children.get(later.key) is None
    applied = await at.cluster.writer.apply(router, [deployment(router), later], ())
    assert outcomes(applied)[:2] == ["applied", "applied"]


async def test_missing_rights_fail_one_object_and_not_the_others(
    at: Room, admin: Path, router: SemanticRouter, kubectl: Kubectl, restricted: Path
) -> None:
    async with room(restricted) as limited:
        applied = await limited.cluster.writer.apply(
            router, [config_map(router), service(router)], ()
        )
    assert outcomes(applied) == ["applied", "failed"]
    assert applied[1].reason == "ApiForbidden"


@pytest.fixture
def restricted(control_plane: Any, kubectl: Kubectl, namespace: str) -> Path:
    """May do everything with ConfigMaps and nothing else."""
    kubectl("create", "serviceaccount", "limited", "-n", namespace)
    kubectl("create", "role", "limited", "-n", namespace, "--verb=*", "--resource=configmaps")
    kubectl(
        "create",
        "rolebinding",
        "limited",
        "-n",
        namespace,
        "--role=limited",
        f"--serviceaccount={namespace}:limited",
    )
    found: Path = control_plane.kubeconfig_for_service_account(namespace, "limited")
    return found


async def test_the_live_document_is_read_back(at: Room, router: SemanticRouter) -> None:
    assert await at.cluster.writer.last_good(router) is None
    text = "a: 1\n"
    config = CanonicalConfig(text, names.digest(text.encode()), "sha256:0")
    await at.cluster.writer.apply(router, [document.build(router, config)], ())
    assert await at.cluster.writer.last_good(router) == config
    assert at.cluster.writer.observe(router).live_digest == config.digest


async def test_a_hand_made_config_map_is_no_live_document(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    kubectl("create", "configmap", names.config_map("r"), "-n", router.namespace)
    assert await at.cluster.writer.last_good(router) is None


async def test_the_state_of_the_deployment_is_observed_and_wakes_the_router(
    at: Room, router: SemanticRouter
) -> None:
    await at.cluster.writer.apply(router, [deployment(router)], ())
    await eventually(lambda: _available(at, router) == 2, seconds=60)
    assert (router.namespace, "r") in at.woken


def _available(at: Room, router: SemanticRouter) -> int:
    facts = at.cluster.writer.observe(router).deployment
    return facts.available if facts else 0


async def test_a_pod_that_nobody_can_schedule_is_observed(at: Room, router: SemanticRouter) -> None:
    huge = deployment(router, resources={"requests": {"cpu": "10000"}})
    await at.cluster.writer.apply(router, [huge], ())
    await eventually(lambda: at.cluster.writer.observe(router).pods, seconds=30)
    trouble = at.cluster.writer.observe(router).pods[0]
    assert trouble.reason == "Unschedulable"
    assert "cpu" in trouble.message


async def test_children_of_an_earlier_router_of_that_name_are_waited_for(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    await at.cluster.writer.apply(router, [config_map(router)], ())
    metadata = router.metadata.model_copy(update={"uid": "00000000-0000-0000-0000-000000000000"})
    later = router.model_copy(update={"metadata": metadata})
    applied = await at.cluster.writer.apply(later, [config_map(later)], ())
    assert outcomes(applied) == ["failed"]
    assert applied[0].retry_after == 2.0


async def test_two_who_patch_at_once_meet_in_a_conflict(at: Room, router: SemanticRouter) -> None:
    """A JSON patch with the resourceVersion of another time is refused, not forced."""
    await at.cluster.writer.apply(router, [config_map(router)], ())
    path = f"/api/v1/namespaces/{router.namespace}/configmaps/{names.config_map('r')}"
    patch = [{"op": "replace", "path": "/metadata/resourceVersion", "value": "1"}]
    with pytest.raises(ApiConflict):
        await at.client.request(Call("PATCH", path, body=patch, content_type=JSON_PATCH))


def test_keys_of_the_kinds_that_are_written_name_their_place() -> None:
    assert str(ChildKey(CONFIG_MAP, "n", "c")) == "ConfigMap n/c"
    assert DEPLOYMENT.path == "/apis/apps/v1"


@pytest.fixture
def routes(kubectl: Kubectl) -> Iterator[None]:
    crd = a_crd("route.openshift.io", "routes", "Route", "v1")
    kubectl("apply", "-f", "-", input=json.dumps(crd))
    wait_for_crd(kubectl, "routes.route.openshift.io")
    yield
    kubectl("delete", "crd", "routes.route.openshift.io")


async def test_a_route_is_written_observed_and_removed_where_routes_are_served(
    at: Room, router: SemanticRouter, kubectl: Kubectl, routes: None
) -> None:
    name = names.workload("r")
    metadata = {**config_map(router).body["metadata"], "name": name}
    body = {
        "apiVersion": "route.openshift.io/v1",
        "kind": "Route",
        "metadata": metadata,
        "spec": {"to": {"kind": "Service", "name": name}},
    }
    manifest = Manifest(ROUTE, router.namespace, name, body)
    await eventually(lambda: at.cluster.capabilities.platform_known == Platform(routes=True))
    assert outcomes(await at.cluster.writer.apply(router, [manifest], ())) == ["applied"]
    admitted = {"type": "Admitted", "status": "True", "reason": "", "message": ""}
    status = {"status": {"ingress": [{"host": "r.example.invalid", "conditions": [admitted]}]}}
    patch = ("--subresource=status", "--type=merge", "-p", json.dumps(status))
    kubectl("patch", "routes.route.openshift.io", name, "-n", router.namespace, *patch)
    await eventually(lambda: _host(at, router) == "r.example.invalid")
    assert (router.namespace, "r") in at.woken
    at.requests.clear()
    assert outcomes(await at.cluster.writer.apply(router, [manifest], ())) == ["unchanged"]
    assert at.asked() == []
    assert outcomes(await at.cluster.writer.apply(router, [], ())) == ["deleted"]


def _host(at: Room, router: SemanticRouter) -> str | None:
    facts = at.cluster.writer.observe(router).route
    return facts.host if facts else None


async def test_what_foreign_controllers_do_costs_no_request_and_wakes_nobody_for_nothing(
    at: Room, router: SemanticRouter, kubectl: Kubectl
) -> None:
    """An annotation on a Deployment raises its generation, which is news."""
    manifests = [config_map(router), service(router), deployment(router, replicas=None)]
    await at.cluster.writer.apply(router, manifests, ())
    await eventually(lambda: _available(at, router) == 1, seconds=60)
    at.requests.clear()
    kubectl("annotate", "deploy/r", "-n", router.namespace, "theirs=1")
    await asyncio.sleep(2)
    at.woken.clear()
    for number in range(5):
        kubectl("annotate", "svc/r", "-n", router.namespace, f"theirs={number}", "--overwrite")
    await asyncio.sleep(0.5)
    assert (router.namespace, "r") not in at.woken
    assert outcomes(await at.cluster.writer.apply(router, manifests, ())) == ["unchanged"] * 3
    assert at.asked() == []


async def test_a_router_that_is_gone_or_was_replaced_gets_no_object(
    at: Room, router: SemanticRouter, kubectl: Kubectl, namespace: str
) -> None:
    path = f"/apis/{names.API_VERSION}/namespaces/{namespace}/{names.PLURAL}/r"
    await at.client.request(Call("DELETE", path))
    with pytest.raises(RouterGone):
        await at.cluster.writer.apply(router, [config_map(router)], ())
    await owner(at, namespace, "r")
    with pytest.raises(RouterGone):
        await at.cluster.writer.apply(router, [config_map(router)], ())
    left = kubectl("get", "configmaps", "-n", namespace, "-o", "name")
    assert names.config_map("r") not in left
