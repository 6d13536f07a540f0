"""PodDisruptionBudget, spread, NetworkPolicy, and what else the pods are given."""

from typing import Any

import pytest

import objects_kit as kit

HOSTNAME = "kubernetes.io/hostname"


def budget(**limit: Any) -> dict[str, Any]:
    return {"replicas": 3, "podDisruptionBudget": {"enabled": True, **limit}}


@pytest.mark.parametrize(
    ("limit", "wanted"),
    [
        ({}, {"maxUnavailable": 1}),
        ({"minAvailable": 2}, {"minAvailable": 2}),
        ({"minAvailable": "50%"}, {"minAvailable": "50%"}),
        ({"maxUnavailable": "34%"}, {"maxUnavailable": "34%"}),
    ],
)
def test_a_budget_has_one_limit(limit: dict[str, Any], wanted: dict[str, Any]) -> None:
    result = kit.built(budget(**limit))
    assert result.issues == ()
    spec = kit.body(result, "PodDisruptionBudget")["spec"]
    assert spec == {**wanted, "selector": {"matchLabels": kit.SELECTOR}}


def test_a_budget_that_is_off_is_not_made() -> None:
    assert kit.found(kit.built({}), "PodDisruptionBudget") is None


def test_two_limits_are_refused() -> None:
    result = kit.built(budget(minAvailable=1, maxUnavailable=1))
    assert kit.errors(result) == [
        "spec.podDisruptionBudget: has both minAvailable and maxUnavailable; keep one"
    ]
    assert kit.found(result, "PodDisruptionBudget") is None


@pytest.mark.parametrize(
    "limit",
    [
        {"minAvailable": 3},
        {"minAvailable": "100%"},
        {"maxUnavailable": 0},
        {"maxUnavailable": "0%"},
    ],
)
def test_a_budget_that_lets_no_pod_go_is_warned_of(limit: dict[str, Any]) -> None:
    result = kit.built(budget(**limit))
    assert [issue.code for issue in result.issues] == ["EvictionBlocked"]
    assert kit.found(result, "PodDisruptionBudget") is not None


def constraints(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return list(kit.pod(spec)["spec"].get("topologySpreadConstraints", []))


def test_the_short_form_is_one_constraint_over_our_pods() -> None:
    ours = {
        "labelSelector": {"matchLabels": kit.SELECTOR},
        "maxSkew": 1,
        "topologyKey": HOSTNAME,
        "whenUnsatisfiable": "ScheduleAnyway",
    }
    assert constraints({"topologySpread": {"enabled": True}}) == [ours]
    assert constraints({"topologySpread": {"maxSkew": 2}}) == []
    given = {
        "enabled": True,
        "maxSkew": 2,
        "topologyKey": "z",
        "whenUnsatisfiable": "DoNotSchedule",
    }
    (long,) = constraints({"topologySpread": given})
    said = {key: value for key, value in given.items() if key != "enabled"}
    assert long == {**said, "labelSelector": {"matchLabels": kit.SELECTOR}}


def test_a_constraint_without_a_selector_counts_our_pods_and_wins_over_the_short_form() -> None:
    one = {"maxSkew": 5, "topologyKey": HOSTNAME, "whenUnsatisfiable": "ScheduleAnyway"}
    own = {**one, "topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}
    spec = {"topologySpreadConstraints": [one, own], "topologySpread": {"enabled": True}}
    assert constraints(spec) == [{**one, "labelSelector": {"matchLabels": kit.SELECTOR}}, own]


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (
            {"topologySpreadConstraints": [
                {"maxSkew": n, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}
                for n in (1, 2)
            ]},
            "spec.topologySpreadConstraints[1]",
        ),
        (
            {"topologySpread": {"enabled": True, "whenUnsatisfiable": "x"}},
            "spec.topologySpread.whenUnsatisfiable",
        ),
        ({"topologySpread": {"enabled": True, "maxSkew": -1}}, "spec.topologySpread.maxSkew"),
    ],
)  # fmt: skip
def test_a_spread_that_cannot_be_is_refused(spec: dict[str, Any], path: str) -> None:
    assert [issue.path for issue in kit.built(spec).issues] == [path]


def rules(spec: dict[str, Any], policy: dict[str, Any]) -> dict[int, Any]:
    body = kit.body(
        kit.built({**spec, "networkPolicy": {"enabled": True, **policy}}), "NetworkPolicy"
    )
    assert body["spec"]["podSelector"] == {"matchLabels": kit.SELECTOR}
    assert body["spec"]["policyTypes"] == ["Ingress"]
    return {rule["ports"][0]["port"]: rule.get("from") for rule in body["spec"]["ingress"]}


def test_a_network_policy_closes_the_management_api_and_nothing_else() -> None:
    assert rules({}, {}) == {8801: None, 9190: None}
    assert rules({**kit.EXTPROC, "args": ["-port=6000"]}, {}) == {6000: None, 9190: None}
    assert kit.found(kit.built({}), "NetworkPolicy") is None


def test_a_network_policy_lets_in_whom_it_names() -> None:
    pods = {"podSelector": {"matchLabels": {"a": "b"}}}
    everywhere: dict[str, Any] = {"namespaceSelector": {}, "podSelector": {}}
    block = {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}
    policy = {"ingressFrom": [pods, block], "metricsFrom": [everywhere], "apiFrom": [pods]}
    assert rules({}, policy) == {8801: [pods, block], 8080: [pods], 9190: [everywhere]}


def test_a_peer_is_somebody_and_one_kind_of_it() -> None:
    both = {"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}}
    policy = {"enabled": True, "ingressFrom": [{}], "apiFrom": [both]}
    result = kit.built({"networkPolicy": policy})
    paths = [issue.path for issue in result.issues]
    assert paths == ["spec.networkPolicy.ingressFrom[0]", "spec.networkPolicy.apiFrom[0]"]
    assert [key.kind.kind for key in result.withheld] == ["NetworkPolicy"]


def test_what_is_passed_to_the_pods() -> None:
    sources = [{"secretRef": {"name": "s"}}, {"prefix": "P_", "configMapRef": {"name": "c"}}]
    spec = {
        "envFrom": sources,
        "priorityClassName": "high",
        "runtimeClassName": "nvidia",
        "terminationGracePeriodSeconds": 0,
    }
    pod = kit.pod(spec)["spec"]
    assert pod["priorityClassName"] == "high"
    assert pod["runtimeClassName"] == "nvidia"
    assert pod["terminationGracePeriodSeconds"] == 0
    assert kit.container(spec)["envFrom"] == sources


def test_nothing_of_it_is_there_unless_it_is_asked_for() -> None:
    names = {
        "priorityClassName",
        "runtimeClassName",
        "topologySpreadConstraints",
    }
    assert not names & kit.pod()["spec"].keys()
    assert "envFrom" not in kit.container()


def test_the_bootstrap_of_a_branch_is_accepted_and_said_to_do_nothing() -> None:
    result = kit.built({"bootstrap": {"configMapRef": {"name": "c", "key": "k"}}})
    assert [(i.code, i.severity, i.path) for i in result.issues] == [
        ("UnsupportedField", "warning", "spec.bootstrap.configMapRef")
    ]
    assert kit.built({"bootstrap": {"configMapRef": {}}}).issues == ()


@pytest.mark.parametrize(
    ("spec", "seconds"),
    [
        ({}, 4200),
        ({"startupProbe": {"failureThreshold": 3, "initialDelaySeconds": 5}}, 635),
        ({"startupProbe": {"enabled": False}}, 600),
        ({"progressDeadlineSeconds": 90}, 90),
        ({"startupProbe": {"periodSeconds": 2**31 - 1}}, 2**31 - 1),
    ],
)
def test_a_rollout_has_as_long_as_the_startup_probe_allows_and_ten_minutes(
    spec: dict[str, Any], seconds: int
) -> None:
    assert kit.body(kit.built(spec), "Deployment")["spec"]["progressDeadlineSeconds"] == seconds
