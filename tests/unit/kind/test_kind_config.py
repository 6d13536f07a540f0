"""The kind config, and that the files of the node agree with it and with hack/tools."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from controlplane.binaries import pinned_version
from kind import cluster, config, node_image, operator_image, programs
from kind.modes import PUBLIC_NODE_IMAGE, Mode


def rendered(mode: Mode, nodes: int = 2) -> dict[str, Any]:
    image = config.node_image(mode, "local/kind-node:1")
    text = config.render(mode, name="semantic-router", image=image, nodes=nodes)
    document: dict[str, Any] = yaml.safe_load(text)
    return document


def patches(document: dict[str, Any]) -> dict[str, Any]:
    loaded = [yaml.safe_load(patch) for patch in document["kubeadmConfigPatches"]]
    return {patch["kind"]: patch for patch in loaded}


def in_node(name: str) -> str:
    return (node_image.OVERLAY / name).read_text()


def test_docker_runs_the_public_image_with_the_network_that_it_brings() -> None:
    document = rendered(Mode.DOCKER)
    assert {node["image"] for node in document["nodes"]} == {PUBLIC_NODE_IMAGE}
    assert "networking" not in document
    assert patches(document).keys() == {"InitConfiguration"}


def test_nodes_of_ours_get_their_network_and_their_images_tags() -> None:
    document = rendered(Mode.OWN)
    assert {node["image"] for node in document["nodes"]} == {"local/kind-node:1"}
    assert document["networking"]["disableDefaultCNI"] is True
    etcd = patches(document)["ClusterConfiguration"]["etcd"]["local"]["imageTag"]
    assert f"v{etcd}" == pinned_version("go.etcd.io/etcd/server/v3")
    assert patches(document)["KubeletConfiguration"]["failCgroupV1"] is False


def test_the_control_planes_node_takes_pods_too() -> None:
    document = rendered(Mode.DOCKER)
    assert [node["role"] for node in document["nodes"]] == ["control-plane", "worker"]
    assert patches(document)["InitConfiguration"]["nodeRegistration"]["taints"] == []


@pytest.mark.parametrize("mode", Mode)
def test_a_single_node_keeps_the_taint_that_kind_itself_removes(mode: Mode) -> None:
    assert "InitConfiguration" not in patches(rendered(mode, nodes=1))


def test_pods_addresses_are_those_of_the_nodes_bridge() -> None:
    prefix = in_node("kind/pod-prefix").strip()
    assert rendered(Mode.OWN)["networking"]["podSubnet"] == f"{prefix}.0.0/16"


def test_containerd_finds_the_pause_image_under_its_tag() -> None:
    assert f"registry.k8s.io/pause:{node_image.PAUSE_TAG}" in in_node("etc/containerd/config.toml")


def test_the_storage_manifest_names_the_images_that_the_node_brings() -> None:
    version = pinned_version("github.com/rancher/local-path-provisioner")
    text = in_node("kind/manifests/default-storage.yaml")
    assert f"image: local/local-path-provisioner:{version}\n" in text
    assert text.count(node_image.HELPER) == 2


def test_metrics_server_is_the_version_that_the_node_brings() -> None:
    version = pinned_version("sigs.k8s.io/metrics-server")
    image = f"image: registry.k8s.io/metrics-server/metrics-server:{version}\n"
    assert image in cluster.METRICS_SERVER.read_text()


def test_every_program_of_a_node_is_built_for_it() -> None:
    wanted = {name for names in node_image.FOLDERS.values() for name in names.split()}
    assert wanted <= programs.NODE.keys()


def test_the_operators_image_is_built_under_the_name_that_the_manifests_run() -> None:
    assert operator_image.tag_of_the_manifests().startswith("semantic-router-operator:")


@pytest.mark.parametrize("name", ["Dockerfile", *operator_image.LOCKS, operator_image.PACKAGE])
def test_what_the_dockerfile_copies_is_in_the_repo(name: str) -> None:
    assert (Path(operator_image.ROOT) / name).exists()
