"""manifests/: what a user installs."""

from pathlib import Path
from typing import Any, Final

import yaml

import install_manifest
from semantic_router_operator.settings import Settings

ROOT: Final = Path(__file__).parents[2]
MANIFESTS: Final = ROOT / "manifests"
DEPLOYMENT: Final = yaml.safe_load((MANIFESTS / "controller" / "deployment.yaml").read_text())
POD: Final[dict[str, Any]] = DEPLOYMENT["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]


def documents() -> list[dict[str, Any]]:
    return [x for x in yaml.safe_load_all((MANIFESTS / "install.yaml").read_text()) if x]


def test_install_yaml_is_what_the_kustomization_makes() -> None:
    assert (MANIFESTS / "install.yaml").read_text() == install_manifest.content()


def test_install_yaml_holds_each_object_once_and_each_namespace_before_its_use() -> None:
    keys = [(d["kind"], d["metadata"].get("namespace"), d["metadata"]["name"]) for d in documents()]
    assert len(keys) == len(set(keys))
    namespace = ("Namespace", None, "semantic-router-operator-system")
    inside = [index for index, key in enumerate(keys) if key[1]]
    assert keys.index(namespace) < min(inside)
    assert {key[1] for key in keys} == {None, namespace[2]}


def test_a_kustomization_only_lists_resources() -> None:
    for path in [*MANIFESTS.glob("**/kustomization.yaml"), ROOT / "crds" / "Kustomization"]:
        assert set(yaml.safe_load(path.read_text())) == {"apiVersion", "kind", "resources"}


def test_the_pod_meets_pod_security_restricted_with_a_read_only_root() -> None:
    assert POD["securityContext"] == {
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert CONTAINER["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert not {"hostNetwork", "hostPID", "hostIPC"} & POD.keys()


def test_no_user_id_is_fixed_so_that_openshift_gives_one() -> None:
    text = (MANIFESTS / "controller" / "deployment.yaml").read_text()
    assert "runAsUser" not in text
    assert "fsGroup" not in text


def test_the_image_has_a_version_and_can_be_replaced_by_its_name() -> None:
    name, _, tag = CONTAINER["image"].rpartition(":")
    assert name == "semantic-router-operator"
    assert tag not in {"", "latest"}


def test_ports_and_probes_are_those_of_the_settings() -> None:
    ports = {port["name"]: port["containerPort"] for port in CONTAINER["ports"]}
    settings = Settings()
    assert ports == {"metrics": settings.metrics_port, "health": settings.health_port}
    assert CONTAINER["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "health"}
    assert CONTAINER["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "health"}


def test_the_pod_says_who_it_is_and_has_its_token() -> None:
    fields = {x["name"]: x["valueFrom"]["fieldRef"]["fieldPath"] for x in CONTAINER["env"]}
    assert fields == {"POD_NAMESPACE": "metadata.namespace", "POD_NAME": "metadata.name"}
    assert POD["automountServiceAccountToken"] is True
    assert CONTAINER["args"] == ["run"]
    assert {"cpu", "memory"} <= CONTAINER["resources"]["requests"].keys()


def test_the_metrics_service_finds_the_pod() -> None:
    service = yaml.safe_load((MANIFESTS / "controller" / "metrics_service.yaml").read_text())
    labels = DEPLOYMENT["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    assert DEPLOYMENT["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert service["spec"]["ports"][0]["targetPort"] == "metrics"
