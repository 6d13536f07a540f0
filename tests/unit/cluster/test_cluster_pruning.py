"""What is removed once the spec no longer asks for it, and when."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

import objects_kit as kit
from fakes.world import RUNNING
from semantic_router_operator.cluster.child_facts import Child
from semantic_router_operator.cluster.pruning import may_go
from semantic_router_operator.model.manifests import (
    CLAIM,
    CONFIG_MAP,
    CONTROLLER_REVISION,
    INGRESS,
    SERVICE_ACCOUNT,
    ChildKey,
    DeploymentFacts,
    Kind,
)

HALF = replace(RUNNING, updated=0)
ELSEWHERE = {"serviceAccount": {"create": False, "name": "theirs"}}


def child(kind: Kind, name: str = "demo", *, deleting: bool = False) -> Child:
    return Child(
        key=ChildKey(kind, "models", name),
        uid="u",
        version="1",
        owner="uid-1",
        owners=("uid-1",),
        router="demo",
        digest=b"",
        owns_replicas=False,
        deleting=deleting,
        facts=None,
        config_digest=None,
    )


def goes(
    surplus: Child,
    deployment: DeploymentFacts | None = RUNNING,
    *,
    spec: Mapping[str, object] | None = None,
    rolled_back_to: Mapping[str, object] | None = None,
    withheld: bool = False,
) -> bool:
    manifests = kit.built(spec or ELSEWHERE).manifests
    if rolled_back_to is not None:
        manifests = kit.built(rolled_back_to).manifests
    shown = () if withheld else manifests
    return may_go(kit.router(spec or ELSEWHERE), surplus, shown, deployment)


def test_an_account_stays_until_no_pod_of_the_older_template_can_come_back() -> None:
    account = child(SERVICE_ACCOUNT)
    assert goes(account)
    assert not goes(account, HALF)
    assert not goes(account, replace(RUNNING, generation=2))
    assert not goes(account, None)


def test_an_account_that_the_pods_of_a_rollback_run_under_stays() -> None:
    assert not goes(child(SERVICE_ACCOUNT), rolled_back_to={})
    assert goes(child(SERVICE_ACCOUNT, "third"), rolled_back_to={})


def test_an_account_stays_while_no_deployment_can_be_made() -> None:
    assert not goes(child(SERVICE_ACCOUNT), withheld=True)


@pytest.mark.parametrize("deployment", [RUNNING, HALF, None])
def test_what_no_pod_needs_goes_at_once(deployment: DeploymentFacts | None) -> None:
    assert goes(child(INGRESS), deployment)
    assert goes(child(CLAIM, "demo-models"), deployment)
    assert not goes(child(INGRESS, deleting=True), deployment)
    assert not goes(child(CONTROLLER_REVISION, "demo-1"), deployment)


def test_the_claim_that_goes_with_the_router_stays_until_then() -> None:
    spec = {"persistence": {"enabled": False, "retentionPolicy": "Delete"}}
    assert not goes(child(CLAIM, "demo-models"), spec=spec)


@pytest.mark.parametrize(("deployment", "gone"), [(RUNNING, True), (HALF, False), (None, False)])
def test_the_go_operators_config_of_envoy_goes_with_the_last_pod_that_has_it(
    deployment: DeploymentFacts | None, *, gone: bool
) -> None:
    assert goes(child(CONFIG_MAP, "demo-envoy-config"), deployment) is gone
