"""A refusal of the API server in terms of the resource."""

import pytest

import objects_kit as kit
from semantic_router_operator.model.manifests import (
    CLAIM,
    CONFIG_MAP,
    DEPLOYMENT,
    DISRUPTION_BUDGET,
    HPA,
    INGRESS,
    SERVICE,
    AppliedObject,
    ChildKey,
    Kind,
)
from semantic_router_operator.objects import blame

ROUTER = kit.router()


def refused(kind: Kind, *fields: tuple[str, str]) -> AppliedObject:
    return AppliedObject(
        ChildKey(kind, "ns", "r"), "rejected", "ObjectRejected", "theirs", fields=fields
    )


@pytest.mark.parametrize(
    ("kind", "field", "origin"),
    [
        (DEPLOYMENT, "spec.template.spec.nodeSelector", "spec.nodeSelector"),
        (DEPLOYMENT, "spec.template.spec.tolerations[0].operator", "spec.tolerations[0].operator"),
        (DEPLOYMENT, "spec.template.spec.securityContext.sysctls[0].name",
         "spec.podSecurityContext.sysctls[0].name"),
        (DEPLOYMENT, "spec.template.spec.containers[0].securityContext", "spec.securityContext"),
        (DEPLOYMENT, "spec.template.spec.containers[0].resources.limits[a/b]",
         "spec.resources.limits[a/b]"),
        (DEPLOYMENT, "spec.template.spec.containers[0].env[3].valueFrom", "spec.env.valueFrom"),
        (DEPLOYMENT, "spec.template.annotations", "spec.podAnnotations"),
        (DEPLOYMENT, "spec.template.spec.volumes[7].hostPath.type", "spec.volumes.hostPath.type"),
        (DEPLOYMENT, "spec.template.spec.containers[0].volumeMounts[6].name",
         "spec.volumeMounts.name"),
        (DEPLOYMENT, "spec.template.spec.priorityClassName", "spec.priorityClassName"),
        (DEPLOYMENT, "spec.template.spec.containers[0].lifecycle.preStop.sleep",
         "spec.drainSeconds"),
        (DEPLOYMENT, "spec.template.spec.containers[0].lifecycle.preStop.exec.command[0]",
         "spec.drainSeconds"),
        (DEPLOYMENT, "spec.template.spec.containers[0].lifecycle", "spec.drainSeconds"),
        (CLAIM, "spec", "spec.persistence"),
        (CLAIM, "spec.resources.requests.storage", "spec.persistence.size"),
        (CLAIM, "spec.accessModes[0]", "spec.persistence.accessMode"),
        (INGRESS, "spec.rules[1].http.paths[0].path", "spec.ingress.hosts[1].paths[0].path"),
        (DISRUPTION_BUDGET, "spec.minAvailable", "spec.podDisruptionBudget.minAvailable"),
        (HPA, "spec.maxReplicas", "spec.autoscaling.maxReplicas"),
        (SERVICE, "spec.ports[1].port", "spec.service.port"),
    ],
)  # fmt: skip
def test_the_message_begins_with_the_field_behind_it(kind: Kind, field: str, origin: str) -> None:
    text = blame(refused(kind, (field, "is wrong")), ROUTER)
    assert text == f"{origin}: is wrong ({kind.kind} ns/r)"


def test_an_item_of_a_list_that_is_the_users_is_named_by_its_place_in_the_resource() -> None:
    spec = {
        "volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "emptyDir": {}}],
        "volumeMounts": [{"name": "b", "mountPath": "/b"}],
    }
    pod = kit.pod(spec)["spec"]
    volume = [item["name"] for item in pod["volumes"]].index("b")
    mount = [item["name"] for item in pod["containers"][0]["volumeMounts"]].index("b")
    for field, origin in (
        (f"spec.template.spec.volumes[{volume}].hostPath", "spec.volumes[1].hostPath"),
        (
            f"spec.template.spec.containers[0].volumeMounts[{mount}].name",
            "spec.volumeMounts[0].name",
        ),
        ("spec.template.spec.volumes[0].name", "spec.volumes.name"),
        ("spec.template.spec.volumes[99].name", "spec.volumes.name"),
    ):
        text = blame(refused(DEPLOYMENT, (field, "is wrong")), kit.router(spec))
        assert text == f"{origin}: is wrong (Deployment ns/r)"


def test_a_field_that_is_not_the_users_has_no_other_name() -> None:
    assert blame(refused(DEPLOYMENT, ("spec.template.spec.dnsPolicy", "is wrong")), ROUTER) is None
    assert (
        blame(refused(DEPLOYMENT, ("spec.template.spec.nodeSelectors", "is wrong")), ROUTER) is None
    )
    assert blame(refused(CONFIG_MAP, ("data", "is wrong")), ROUTER) is None
    assert blame(refused(SERVICE), ROUTER) is None


def test_op_06_a_selector_that_cannot_change_is_told_with_the_step_that_helps() -> None:
    text = blame(refused(DEPLOYMENT, ("spec.selector", "field is immutable")), ROUTER)
    assert text == (
        "Deployment ns/r: was made with another selector, which can't be changed; delete the "
        "Deployment: its pods end with it, and it is made anew"
    )


def test_several_fields_are_all_told() -> None:
    text = blame(
        refused(
            DEPLOYMENT,
            ("spec.template.spec.affinity.a", "is wrong"),
            ("spec.template.spec.dnsPolicy", "is not yours"),
            ("spec.template.spec.nodeSelector", "is bad"),
        ),
        ROUTER,
    )
    assert text == "spec.affinity.a: is wrong; spec.nodeSelector: is bad (Deployment ns/r)"


def test_a_claim_that_a_policy_refused_is_said_of_its_field() -> None:
    assert blame(refused(CLAIM), ROUTER) == "spec.persistence: theirs"
