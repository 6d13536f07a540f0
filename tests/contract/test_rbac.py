"""What the operator may do: documented right by right, and never more than is harmless."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from semantic_router_operator.model.manifests import (
    CHILD_KINDS,
    CLAIM,
    CONTROLLER_REVISION,
    Kind,
)

MADE = (*CHILD_KINDS, CONTROLLER_REVISION)

ROOT: Final = Path(__file__).parents[2]
RBAC: Final = ROOT / "manifests" / "rbac"
NAMESPACE: Final = "semantic-router-operator-system"
ACCOUNT: Final = "semantic-router-operator-controller-manager"

Right = tuple[str, str, str]
"""(group, resource, verb); the core group is ""."""


def load(name: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((RBAC / name).read_text())
    return document


def granted(role: Mapping[str, Any]) -> Iterator[Right]:
    for rule in role["rules"]:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                yield from ((group, resource, verb) for verb in rule["verbs"])


def documented(heading: str) -> Iterator[Right]:
    section = (ROOT / "docs" / "rbac.md").read_text().split(f" {heading}\n", 1)[1]
    for line in section.split("\n## ", 1)[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] not in {"group", "---"}:
            group = "" if cells[0] == "core" else cells[0]
            assert len(cells[3]) > 10, f"no reason: {line}"
            for resource in cells[1].split(", "):
                yield from ((group, resource, verb) for verb in cells[2].split(", "))


MANAGER = load("cluster_role.yaml")
LEADER = load("leader_election_role.yaml")
RIGHTS = [*granted(MANAGER), *granted(LEADER)]


@pytest.mark.parametrize("role", [MANAGER, LEADER], ids=lambda role: str(role["kind"]))
def test_each_right_has_its_reason_in_the_docs_and_none_is_said_twice(
    role: Mapping[str, Any],
) -> None:
    rights = list(granted(role))
    assert sorted(rights) == sorted(documented(f"{role['kind']} {role['metadata']['name']}"))
    assert len(rights) == len(set(rights))


def test_no_right_is_a_wildcard_or_a_way_to_more_rights() -> None:
    forbidden = {"*", "escalate", "bind", "impersonate", "deletecollection", "approve", "sign"}
    assert {verb for _, _, verb in RIGHTS} & forbidden == set()
    assert [right for right in RIGHTS if "*" in right[0] + right[1]] == []
    assert [r for role in (MANAGER, LEADER) for r in role["rules"] if "nonResourceURLs" in r] == []


@pytest.mark.parametrize(
    "resource",
    [
        "secrets",
        "namespaces",
        "nodes",
        "clusterroles",
        "roles",
        "pods/exec",
        "serviceaccounts/token",
    ],
)
def test_the_operator_has_no_right_on(resource: str) -> None:
    assert [right for right in RIGHTS if right[1] == resource] == []


def test_nothing_but_what_we_make_is_written() -> None:
    written = {(g, r) for g, r, verb in RIGHTS if verb not in {"get", "list", "watch"}}
    children = {(group(kind), kind.plural) for kind in MADE}
    assert written - children == {
        ("", "pods"),  # an annotation: docs/adr/0016-the-kubelet-is-told.md
        ("coordination.k8s.io", "leases"),
        ("events.k8s.io", "events"),
        ("route.openshift.io", "routes/custom-host"),
        ("vllm.ai", "semanticrouters"),
        ("vllm.ai", "semanticrouters/finalizers"),
        ("vllm.ai", "semanticrouters/status"),
    }


def test_pods_are_neither_made_nor_removed() -> None:
    assert {verb for _, resource, verb in RIGHTS if resource == "pods"} == {
        "list",
        "watch",
        "patch",
    }


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: str(kind.kind))
def test_a_child_can_be_watched_applied_and_deleted(kind: Kind) -> None:
    verbs = {verb for g, r, verb in RIGHTS if (g, r) == (group(kind), kind.plural)}
    kept = {"delete"} if kind == CLAIM else set()
    assert verbs == {"get", "list", "watch", "create", "patch", "delete"} - kept


def group(kind: Kind) -> str:
    return kind.api_version.rpartition("/")[0]


@pytest.mark.parametrize("name", ["cluster_role_binding.yaml", "leader_election_role_binding.yaml"])
def test_a_binding_gives_a_role_of_ours_to_the_operators_account_alone(name: str) -> None:
    binding = load(name)
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": ACCOUNT, "namespace": NAMESPACE}
    ]
    roles = {(role["kind"], role["metadata"]["name"]) for role in (MANAGER, LEADER)}
    assert (binding["roleRef"]["kind"], binding["roleRef"]["name"]) in roles


def test_the_lease_is_in_the_operators_own_namespace() -> None:
    assert LEADER["metadata"]["namespace"] == NAMESPACE
    assert {right[:2] for right in granted(LEADER)} == {("coordination.k8s.io", "leases")}


def test_every_role_file_is_installed() -> None:
    listed = set(load("kustomization.yaml")["resources"])
    assert listed == {path.name for path in RBAC.glob("*.yaml")} - {"kustomization.yaml"}
    assert [name for name in listed if not re.fullmatch(r"[a-z_]+\.yaml", name)] == []
