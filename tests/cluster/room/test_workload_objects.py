"""Deployment, Service, Ingress, PodDisruptionBudget and NetworkPolicy on a real API server."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_room import Room, eventually, install_crd, room
from cluster.live_objects import container
from cluster.workloads import (
    Kubectl,
    Object,
    applied,
    at_rest,
    created,
    having,
    read,
    the,
)
from semantic_router_operator import names
from semantic_router_operator.cluster.call import MERGE_PATCH, Call
from semantic_router_operator.cluster.paths import object_path
from semantic_router_operator.model.manifests import (
    DEPLOYMENT,
    DISRUPTION_BUDGET,
    INGRESS,
    NETWORK_POLICY,
    SERVICE,
    SERVICE_ACCOUNT,
    Kind,
)
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import blame

SHARED: Object = {"persistence": {"existingClaim": "theirs", "accessMode": "ReadWriteMany"}}
OWN: Object = {"persistence": {"existingClaim": "theirs", "accessMode": "ReadWriteOnce"}}


@pytest.fixture(scope="module")
def crd(kubectl: Kubectl) -> None:
    install_crd(kubectl)


@pytest.fixture
async def at(admin: Path, crd: None) -> AsyncIterator[Room]:
    async with room(admin) as found:
        yield found


@pytest.fixture
async def router(at: Room, namespace: str) -> SemanticRouter:
    return await created(at, namespace, "r")


async def live(at: Room, router: SemanticRouter, kind: Kind) -> Object:
    return await the(at, kind, router.namespace, names.workload(router.name))


async def merged(at: Room, router: SemanticRouter, kind: Kind, patch: Object) -> Object:
    """Somebody else's edit."""
    base = f"{kind.path}/namespaces/{router.namespace}/{kind.plural}"
    path = f"{base}/{names.workload(router.name)}"
    return await at.client.request(Call("PATCH", path, body=patch, content_type=MERGE_PATCH))


@pytest.mark.parametrize("first", [{}, SHARED])
async def test_op_15_the_strategy_follows_the_volume_and_back(
    at: Room, router: SemanticRouter, first: Object
) -> None:
    await applied(at, having(router, **first), only=[DEPLOYMENT])
    rolling = (await live(at, router, DEPLOYMENT))["spec"]["strategy"]
    assert rolling["type"] == "RollingUpdate"
    await applied(at, having(router, **OWN), only=[DEPLOYMENT])
    assert (await live(at, router, DEPLOYMENT))["spec"]["strategy"] == {"type": "Recreate"}
    await at_rest(at, having(router, **OWN), only=[DEPLOYMENT])
    await applied(at, having(router, **first), only=[DEPLOYMENT])
    assert (await live(at, router, DEPLOYMENT))["spec"]["strategy"] == rolling
    await at_rest(at, having(router, **first), only=[DEPLOYMENT])


async def test_op_15_a_restarted_operator_finds_the_strategy_in_order(
    at: Room, admin: Path, router: SemanticRouter
) -> None:
    await applied(at, having(router, **OWN))
    async with room(admin) as later:
        await at_rest(later, having(router, **OWN))


async def test_sr_13_volumes_and_mounts_of_the_users_are_taken(
    at: Room, router: SemanticRouter
) -> None:
    spec: Object = {
        "volumes": [
            {"name": "config-volume", "emptyDir": {"sizeLimit": "1024Mi"}},
            {"name": "models-volume", "hostPath": {"path": "/models"}},
            {"name": "keys", "secret": {"secretName": "s", "optional": True}},
        ],
        "volumeMounts": [
            {"name": "models-volume", "mountPath": "/app/models/"},
            {"name": "keys", "mountPath": "/keys", "readOnly": True},
        ],
        "envFrom": [
            {"secretRef": {"name": "s", "optional": True}},
            {"configMapRef": {"name": "c"}},
        ],
        "topologySpread": {"enabled": True},
        "terminationGracePeriodSeconds": 60,
    }
    wanted = having(router, **spec)
    assert (await applied(at, wanted, only=[DEPLOYMENT]))["Deployment"].outcome == "applied"
    pod = (await live(at, router, DEPLOYMENT))["spec"]["template"]["spec"]
    paths = [mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]]
    assert len({path.rstrip("/") for path in paths}) == len(paths)
    assert len({volume["name"] for volume in pod["volumes"]}) == len(pod["volumes"])
    await at_rest(at, wanted, only=[DEPLOYMENT])
    await applied(at, having(router), only=[DEPLOYMENT])
    after = (await live(at, router, DEPLOYMENT))["spec"]["template"]["spec"]
    assert not {"keys", "config-volume-1"} & {volume["name"] for volume in after["volumes"]}
    assert "envFrom" not in after["containers"][0]
    assert "topologySpreadConstraints" not in after


@pytest.mark.parametrize("grace", [None, 45, 30, 1, 0])
async def test_a_drain_is_taken_whatever_the_grace_period(
    at: Room, router: SemanticRouter, grace: int | None
) -> None:
    """The API server refuses a sleep that is longer, and fills in nothing of what we write."""
    wanted = having(router, terminationGracePeriodSeconds=grace)
    assert (await applied(at, wanted, only=[DEPLOYMENT]))["Deployment"].outcome == "applied"
    await at_rest(at, wanted, only=[DEPLOYMENT])


async def test_the_hook_of_an_older_api_server_becomes_that_of_a_newer_one_and_goes(
    at: Room, router: SemanticRouter
) -> None:
    old = Platform(sleep_action=False)
    hooks: list[Object] = []
    for wanted, platform in ((router, old), (router, Platform()), (router, old)):
        await applied(at, wanted, only=[DEPLOYMENT], platform=platform)
        hooks.append(container(await live(at, router, DEPLOYMENT))["lifecycle"])
    assert [next(iter(hook["preStop"])) for hook in hooks] == ["exec", "sleep", "exec"]
    await applied(at, having(router, drainSeconds=0), only=[DEPLOYMENT])
    pod = (await live(at, router, DEPLOYMENT))["spec"]["template"]["spec"]
    assert "lifecycle" not in pod["containers"][0]
    assert pod["terminationGracePeriodSeconds"] == 30


async def test_a_volume_that_kubernetes_refuses_is_said_of_spec_volumes(
    at: Room, router: SemanticRouter
) -> None:
    spec = {"volumes": [{"name": "Bad_Name", "emptyDir": {}, "hostPath": {"path": "/x"}}]}
    item = (await applied(at, having(router, **spec), only=[DEPLOYMENT]))["Deployment"]
    assert item.outcome == "rejected"
    assert (blame(item, router) or "").startswith("spec.volumes")


FULL: Object = {
    "ingress": {
        "enabled": True,
        "className": "nginx",
        "annotations": {"example.com/a": "1"},
        "hosts": [
            {
                "host": "a.example.com",
                "paths": [{"path": "/", "pathType": "ImplementationSpecific"}],
            }
        ],
        "tls": [{"hosts": ["a.example.com"], "secretName": "cert"}],
    },
    "networkPolicy": {
        "enabled": True,
        "ingressFrom": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"a": "b"}}}],
        "apiFrom": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}],
    },
    "podDisruptionBudget": {"enabled": True, "minAvailable": "50%"},
}
WAYS_IN = [INGRESS, NETWORK_POLICY, DISRUPTION_BUDGET]


async def test_what_is_switched_on_is_made_and_is_removed_when_switched_off(
    at: Room, router: SemanticRouter
) -> None:
    found = await applied(at, having(router, **FULL), only=WAYS_IN)
    assert {item.outcome for item in found.values()} == {"applied"}
    ingress = (await live(at, router, INGRESS))["spec"]
    (path,) = ingress["rules"][0]["http"]["paths"]
    assert path["pathType"] == "ImplementationSpecific"
    assert path["backend"]["service"] == {"name": "r", "port": {"number": 8801}}
    assert (await live(at, router, DISRUPTION_BUDGET))["spec"]["minAvailable"] == "50%"
    policy = (await live(at, router, NETWORK_POLICY))["spec"]
    assert [rule["ports"][0]["port"] for rule in policy["ingress"]] == [8801, 8080, 9190]
    await at_rest(at, having(router, **FULL), only=WAYS_IN)
    off = {name: {**part, "enabled": False} for name, part in FULL.items()}
    gone = await applied(at, having(router, **off), only=WAYS_IN)
    assert {item.outcome for item in gone.values()} == {"deleted"}
    for item in gone.values():
        assert await read(at, object_path(item.key)) is None


async def test_op_10_what_leaves_the_resource_leaves_the_ingress_and_the_budget(
    at: Room, router: SemanticRouter
) -> None:
    await applied(at, having(router, **FULL), only=WAYS_IN)
    hosts = FULL["ingress"]["hosts"]
    less = having(
        router,
        ingress={"enabled": True, "hosts": hosts},
        networkPolicy={"enabled": True},
        podDisruptionBudget={"enabled": True, "maxUnavailable": 2},
    )
    await applied(at, less, only=WAYS_IN)
    ingress = await live(at, router, INGRESS)
    assert not {"tls", "ingressClassName"} & ingress["spec"].keys()
    assert "annotations" not in ingress["metadata"]
    budget = (await live(at, router, DISRUPTION_BUDGET))["spec"]
    assert "minAvailable" not in budget
    assert budget["maxUnavailable"] == 2
    await at_rest(at, less, only=WAYS_IN)


async def test_op_04_what_the_cluster_allots_and_others_set_on_the_service_stays(
    at: Room, router: SemanticRouter
) -> None:
    await applied(at, having(router, service={"type": "NodePort"}), only=[SERVICE])
    theirs = {
        "metadata": {"annotations": {"cloud.example.com/lb": "x"}},
        "spec": {"sessionAffinity": "ClientIP"},
    }
    before = await merged(at, router, SERVICE, theirs)
    ports = {port["name"]: port["nodePort"] for port in before["spec"]["ports"]}
    steps: tuple[Object, ...] = (
        {"type": "NodePort", "metrics": {"enabled": False}},
        {"type": "NodePort"},
        {"type": "LoadBalancer"},
    )
    for step in steps:
        await applied(at, having(router, service=step), only=[SERVICE])
        now = await live(at, router, SERVICE)
        assert now["spec"]["clusterIPs"] == before["spec"]["clusterIPs"]
        assert now["spec"]["sessionAffinity"] == "ClientIP"
        assert now["metadata"]["annotations"]["cloud.example.com/lb"] == "x"
        for port in now["spec"]["ports"]:
            assert port["name"] == "metrics" or port["nodePort"] == ports[port["name"]]
    await applied(at, having(router, service={}), only=[SERVICE])
    plain = (await live(at, router, SERVICE))["spec"]
    assert [port for port in plain["ports"] if "nodePort" in port] == []
    await at_rest(at, having(router, service={}), only=[SERVICE])


async def test_op_11_a_restart_by_hand_stays_and_scaling_rolls_nothing(
    at: Room, router: SemanticRouter
) -> None:
    await applied(at, having(router, podAnnotations={"example.com/a": "1"}), only=[DEPLOYMENT])
    restarted = {"kubectl.kubernetes.io/restartedAt": "2024-01-01T00:00:00Z"}
    patch = {"spec": {"template": {"metadata": {"annotations": restarted}}}}
    before = (await merged(at, router, DEPLOYMENT, patch))["spec"]["template"]
    scaled = having(router, replicas=4, podAnnotations={"example.com/a": "1"})
    await applied(at, scaled, only=[DEPLOYMENT])
    now = (await live(at, router, DEPLOYMENT))["spec"]
    assert now["replicas"] == 4
    assert now["template"] == before
    await applied(at, having(router, replicas=4), only=[DEPLOYMENT])
    annotations = (await live(at, router, DEPLOYMENT))["spec"]["template"]["metadata"][
        "annotations"
    ]
    assert "example.com/a" not in annotations
    assert annotations.items() >= restarted.items()


async def test_op_09_lists_keep_the_users_order_and_nothing_is_there_twice(
    at: Room, router: SemanticRouter
) -> None:
    same = {"key": "a", "operator": "Exists"}
    spec: Object = {
        "env": [
            {"name": "Z", "value": "$(B)"},
            {"name": "B", "value": "1"},
            {"name": "Z", "value": "$(B)2"},
            {"name": "A", "value": "$(Z)"},
        ],
        "tolerations": [same, same],
        "imagePullSecrets": [{"name": "b"}, {"name": "a"}, {"name": "b"}],
    }
    found = await applied(at, having(router, **spec), only=[DEPLOYMENT])
    assert found["Deployment"].outcome == "applied"
    deployment = await live(at, router, DEPLOYMENT)
    assert [item["name"] for item in container(deployment)["env"]] == ["B", "Z", "A"]
    await at_rest(at, having(router, **spec), only=[DEPLOYMENT])


@pytest.mark.parametrize(
    "name",
    ["r" * 63, "r" * 64, "r" * 200, "a.b", "7up", "a" * 62 + ".b"],
    ids=lambda name: name[-9:],
)
async def test_op_13_and_op_16_every_name_gives_objects_of_its_own_in_its_namespace(
    at: Room, namespace: str, name: str
) -> None:
    router = await created(at, namespace, name)
    spec: Object = {**FULL, "persistence": {"storageClassName": "nobody-provisions-it"}}
    found = await applied(at, having(router, **spec))
    assert {item.outcome for item in found.values()} == {"applied"}
    assert len(found) == 8
    assert {item.key.namespace for item in found.values()} == {namespace}
    for item in found.values():
        if item.key.kind.kind != "PersistentVolumeClaim":
            raw = await the(at, item.key.kind, namespace, item.key.name)
            (owner,) = raw["metadata"]["ownerReferences"]
            assert owner["uid"] == router.metadata.uid
    await at_rest(at, having(router, **spec))


async def test_gpu_01_devices_and_odd_amounts_are_settled_at_once(
    at: Room, router: SemanticRouter
) -> None:
    resources: Any = {
        "limits": {"nvidia.com/gpu": 1, "nvidia.com/mig-1g.5gb": "1", "hugepages-2Mi": "4Mi"},
        "requests": {"cpu": "1.5m", "memory": "1e3Mi", "hugepages-2Mi": "4Mi"},
    }
    resources["requests"]["memory"] = "2.85Gi"
    await applied(at, having(router, resources=resources), only=[DEPLOYMENT])
    await at_rest(at, having(router, resources=resources), only=[DEPLOYMENT])
    limits = container(await live(at, router, DEPLOYMENT))["resources"]["limits"]
    assert limits["nvidia.com/gpu"] == "1"


async def test_the_account_of_the_old_pods_stays_until_the_new_ones_have_taken_over(
    at: Room, router: SemanticRouter
) -> None:
    """A rollout that isn't over can be undone, and the old pods are made under the old account."""
    path = f"/api/v1/namespaces/{router.namespace}/serviceaccounts/{router.name}"
    kinds = (DEPLOYMENT, SERVICE_ACCOUNT)
    await applied(at, having(router), only=kinds)
    await eventually(lambda: complete(at, router), seconds=60)
    elsewhere = having(router, serviceAccount={"create": False, "name": "default"})
    await applied(at, elsewhere, only=kinds)
    assert await read(at, path) is not None
    back = await applied(at, having(router), only=kinds)
    assert back["ServiceAccount"].outcome == "unchanged"
    await applied(at, elsewhere, only=kinds)
    await eventually(lambda: complete(at, router), seconds=60)
    found = await applied(at, elsewhere, only=kinds)
    assert found["ServiceAccount"].outcome == "deleted"
    assert await read(at, path) is None
    await at_rest(at, elsewhere, only=kinds)


def complete(at: Room, router: SemanticRouter) -> bool:
    facts = at.cluster.writer.observe(router).deployment
    return facts is not None and facts.complete
