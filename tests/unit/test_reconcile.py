"""One pass, through the ports: what is judged, what is applied, what is said in the end."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from fakes.cluster_objects import gateway, port, service
from fakes.world import NOW, RUNNING, FakeWorld, by_service, by_url, router_body
from semantic_router_operator.errors import ApiUnreachable
from semantic_router_operator.model.canonical import CanonicalConfig, Rejected
from semantic_router_operator.model.manifests import Observed, PodTrouble
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.reconcile import Outcome, judge, look, reconcile

GATEWAY: dict[str, Any] = {"gateway": {"existingRef": {"name": "gw", "namespace": "infra"}}}
EVERY_CONDITION = [
    "Ready",
    "ConfigAccepted",
    "BackendsResolved",
    "ResourcesApplied",
    "Available",
    "Progressing",
    "Degraded",
    "Reconciling",
    "Stalled",
]
GOOD = CanonicalConfig("version: v0.3 # the last good one\n", "sha256:good", "sha256:restart")
WORKLOAD = {"ServiceAccount", "ConfigMap", "Service", "Deployment"}


def models(name: str = "models", namespace: str = "ns") -> dict[str, Any]:
    return service(name, port(8000), meta={"namespace": namespace})


def condition(outcome: Outcome, kind: str) -> tuple[str, str]:
    found = next(item for item in outcome.status["conditions"] if item["type"] == kind)
    return found["status"], found["reason"]


def message(outcome: Outcome, kind: str) -> str:
    return str(next(i for i in outcome.status["conditions"] if i["type"] == kind)["message"])


def applied(outside: FakeWorld) -> set[str]:
    return {manifest.kind.kind for manifest in outside.cluster.applied[-1][1]}


async def verdict(outside: FakeWorld, body: Mapping[str, Any]) -> Any:
    router = parse(body)
    discovery = await look(router, {}, outside.world)
    return judge(router, discovery, previous_default=None)


async def test_a_router_with_a_backend_is_made_and_ready() -> None:
    outside = FakeWorld([models()])
    outcome = await reconcile(router_body(vllmEndpoints=[by_service("models")]), outside.world)
    assert applied(outside) == WORKLOAD
    assert 'endpoint: "models.ns.svc.cluster.local:8000"' in (outside.cluster.document() or "")
    assert condition(outcome, "Ready") == ("True", "Running")
    assert (outcome.retry, outcome.retry_after) == (False, None)
    assert outcome.status["observedGeneration"] == 1


async def test_a_second_pass_over_its_own_status_says_the_same_and_has_no_news() -> None:
    outside = FakeWorld([models()])
    body = router_body(vllmEndpoints=[by_service("models")])
    first = await reconcile(body, outside.world)
    second = await reconcile({**body, "status": first.status}, outside.world)
    assert second.status == first.status
    assert first.events
    assert second.events == ()


async def test_a_gateway_that_is_certainly_missing_stops_the_candidate() -> None:
    found = await verdict(FakeWorld(), router_body(**GATEWAY))
    assert isinstance(found, Rejected)
    assert [issue.path for issue in found.errors] == ["spec.gateway.existingRef"]
    assert str(found.errors[0]).count("spec.gateway.existingRef") == 1


@pytest.mark.parametrize("trouble", ["forbidden", "silent"])
async def test_a_gateway_that_cant_be_asked_for_stops_nothing(trouble: str) -> None:
    outside = FakeWorld([models()], **{trouble: ["Gateway"]})
    body = router_body(vllmEndpoints=[by_service("models")], **GATEWAY)
    outcome = await reconcile(body, outside.world)
    assert condition(outcome, "ConfigAccepted")[0] == "True"
    assert applied(outside) >= {"ConfigMap", "Deployment"}


async def test_a_gateway_that_is_there_is_used() -> None:
    outside = FakeWorld([models(), gateway("gw")])
    body = router_body(vllmEndpoints=[by_service("models")], **GATEWAY)
    outcome = await reconcile(body, outside.world)
    assert condition(outcome, "ConfigAccepted") == ("True", "Accepted")
    assert outcome.status["gatewayMode"] == "gateway-integration"


async def test_a_default_that_nothing_serves_holds_the_document_back() -> None:
    """It waits for the backend; what runs keeps its last good document."""
    outside = FakeWorld()
    selector = {"type": "serviceSelector", "serviceSelector": {"matchLabels": {"a": "b"}}}
    body = router_body(
        vllmEndpoints=[{"name": "a", "model": "m", "backend": selector}], defaultModel="m"
    )
    found = await verdict(outside, body)
    assert isinstance(found, Rejected)
    assert found.reason == "WaitingForBackends"
    outside.cluster.good = GOOD
    outcome = await reconcile(body, outside.world)
    assert outside.cluster.document() == GOOD.text
    assert condition(outcome, "ConfigAccepted")[0] == "False"
    assert condition(outcome, "Stalled")[0] == "False"


async def test_a_document_that_breaks_a_rule_is_rejected_with_every_error() -> None:
    spec: dict[str, Any] = {
        "vllmEndpoints": [by_url("a")],
        "config": {
            "routing": {
                "decisions": [
                    {"name": "d", "modelRefs": [{"model": "nobody"}]},
                    {"name": "d", "modelRefs": [{"model": "no-one"}]},
                ]
            }
        },
    }
    found = await verdict(FakeWorld(), router_body(**spec))
    assert isinstance(found, Rejected)
    assert found.reason == "InvalidConfig"
    text = "\n".join(map(str, found.errors))
    assert all(word in text for word in ("nobody", "no-one", "decisions[1].name"))
    assert all(issue.path.startswith("spec.") for issue in found.errors)


async def test_a_rejected_document_leaves_the_last_good_one_and_the_objects_follow_the_spec() -> (
    None
):
    outside = FakeWorld()
    outside.cluster.good = GOOD
    twice = [by_url("a"), by_url("a")]
    outcome = await reconcile(
        router_body(vllmEndpoints=twice, generation=4, replicas=3), outside.world
    )
    assert outside.cluster.document() == GOOD.text
    deployment = next(m for m in outside.cluster.applied[-1][1] if m.kind.kind == "Deployment")
    assert deployment.body["spec"]["replicas"] == 3
    assert condition(outcome, "ConfigAccepted")[0] == "False"
    assert condition(outcome, "Ready")[0] == "False"
    assert outcome.status["observedGeneration"] == 4
    assert outside.cluster.revisions == []


async def test_without_a_good_document_nothing_is_started() -> None:
    outside = FakeWorld()
    outcome = await reconcile(router_body(vllmEndpoints=[by_url("a"), by_url("a")]), outside.world)
    assert "Deployment" not in applied(outside)
    assert "ConfigMap" not in applied(outside)
    assert condition(outcome, "Ready")[0] == "False"


async def test_a_document_that_doesnt_fit_into_a_config_map_is_rejected() -> None:
    long = [by_url(f"e{number}", model="m" * 200 + str(number)) for number in range(5000)]
    found = await verdict(FakeWorld(), router_body(vllmEndpoints=long))
    assert isinstance(found, Rejected)
    assert found.reason == "ConfigTooLarge"
    assert len(found.errors) == 1


async def test_warnings_dont_stop_a_document() -> None:
    outside = FakeWorld([models()])
    body = router_body(vllmEndpoints=[by_service("models"), by_service("gone", model="other")])
    outcome = await reconcile(body, outside.world)
    assert condition(outcome, "ConfigAccepted")[0] == "True"
    assert condition(outcome, "BackendsResolved") == ("False", "BackendsUnresolved")
    assert "models.ns.svc.cluster.local:8000" in (outside.cluster.document() or "")


async def test_a_backend_that_cant_be_asked_for_keeps_its_last_known_address() -> None:
    body = router_body(vllmEndpoints=[by_service("models")])
    status = (await reconcile(body, FakeWorld([models()]).world)).status
    mute = FakeWorld(silent=["Service"])
    outcome = await reconcile({**body, "status": status}, mute.world)
    assert 'endpoint: "models.ns.svc.cluster.local:8000"' in (mute.cluster.document() or "")
    targets = outcome.status["backends"][0]["targets"]
    assert targets == status["backends"][0]["targets"] != []


async def test_a_spec_that_cant_be_read_is_said_and_nothing_is_touched() -> None:
    outside = FakeWorld()
    outcome = await reconcile(router_body(generation=5, replicas="many"), outside.world)
    assert outside.cluster.applied == []
    assert condition(outcome, "Ready") == ("False", "InvalidSpec")
    assert message(outcome, "Ready").startswith("spec.replicas: ")
    assert condition(outcome, "Available")[0] == "True"
    assert outcome.status["observedGeneration"] == 5
    assert outcome.retry is False


async def test_an_unknown_platform_is_no_answer_at_all() -> None:
    """Security contexts depend on it, so nothing is guessed."""
    outside = FakeWorld()
    outside.cluster.platforms = ApiUnreachable("the API server does not answer")
    with pytest.raises(ApiUnreachable):
        await reconcile(router_body(), outside.world)
    assert outside.cluster.applied == []


async def test_openshift_gets_a_route_and_no_user_id() -> None:
    outside = FakeWorld([models()])
    outside.cluster.platforms = Platform(openshift=True, routes=True)
    body = router_body(
        vllmEndpoints=[by_service("models")], openshift={"routes": {"enabled": True}}
    )
    outcome = await reconcile(body, outside.world)
    assert "Route" in applied(outside)
    deployment = next(m for m in outside.cluster.applied[-1][1] if m.kind.kind == "Deployment")
    assert "runAsUser" not in str(deployment.body)
    assert outcome.status["openshiftFeatures"]["routesEnabled"] is True


@pytest.mark.parametrize(
    ("outcome", "reason"), [("conflict", "NameConflict"), ("failed", "ApiForbidden")]
)
async def test_an_object_that_cant_be_written_is_said_and_asks_for_another_pass(
    outcome: str, reason: str
) -> None:
    outside = FakeWorld([models()])
    outside.cluster.outcomes["Service"] = {
        "outcome": outcome,
        "reason": reason,
        "message": "Service ns/r: no",
        "retry_after": 7.0,
    }
    found = await reconcile(router_body(vllmEndpoints=[by_service("models")]), outside.world)
    assert (found.retry, found.retry_after) == (True, 7.0)
    assert condition(found, "ResourcesApplied") == ("False", reason)
    assert "Service ns/r" in message(found, "ResourcesApplied")


async def test_the_longest_pause_that_the_api_server_asked_for_counts() -> None:
    outside = FakeWorld([models()])
    for kind, seconds in (("Service", 3.0), ("Deployment", 9.0), ("ConfigMap", None)):
        outside.cluster.outcomes[kind] = {
            "outcome": "failed",
            "reason": "ApiThrottled",
            "retry_after": seconds,
        }
    found = await reconcile(router_body(vllmEndpoints=[by_service("models")]), outside.world)
    assert found.retry_after == 9.0


async def test_an_accepted_document_goes_into_the_history_once_it_is_live() -> None:
    outside = FakeWorld([models()])
    body = router_body(vllmEndpoints=[by_service("models")])
    outside.cluster.outcomes["ConfigMap"] = {"outcome": "failed", "reason": "ApiUnreachable"}
    await reconcile(body, outside.world)
    assert outside.cluster.revisions == []
    outside.cluster.outcomes.clear()
    await reconcile(body, outside.world)
    assert [item.config.text for item in outside.cluster.revisions] == [outside.cluster.document()]


async def test_pods_in_trouble_are_said_with_their_message() -> None:
    outside = FakeWorld([models()])
    trouble = PodTrouble("r-1", "ImagePullBackOff", "image x is not there")
    waiting = replace(RUNNING, available=0, ready=0)
    outside.cluster.seen = Observed(deployment=waiting, pods=(trouble,))
    found = await reconcile(router_body(vllmEndpoints=[by_service("models")]), outside.world)
    assert condition(found, "Available")[0] == "False"
    assert "image x is not there" in str(found.status["conditions"])


BODIES: dict[str, dict[str, Any]] = {
    "empty": {},
    "healthy": {"vllmEndpoints": [by_service("models")]},
    "unreadable": {"replicas": "many"},
    "rejected": {"vllmEndpoints": [by_url("a"), by_url("a")]},
    "held": {"vllmEndpoints": [by_service("models", weight=0)], "defaultModel": "nobody"},
    "no gateway": GATEWAY,
    "bad image": {"image": {"repository": "BAD IMAGE"}},
}


@pytest.mark.parametrize("name", [*BODIES, "suspended"])
async def test_no_pass_judges_by_caches_that_are_still_empty(name: str) -> None:
    """What is not seen yet would be told as not there, and a rollback that stands would end."""
    outside = FakeWorld([models()])
    running, outside.cluster.seen = outside.cluster.seen, Observed(deployment=None)

    async def filled() -> None:
        outside.cluster.seen = running

    outside.cluster.ready = filled  # type: ignore[method-assign]
    spec = {"suspend": True} if name == "suspended" else BODIES[name]
    outcome = await reconcile(router_body(generation=3, **spec), outside.world)
    assert condition(outcome, "Available")[0] == "True"


@pytest.mark.parametrize("name", BODIES)
async def test_every_pass_ends_with_a_whole_status_and_exactly_one_summary_is_true(
    name: str,
) -> None:
    outcome = await reconcile(
        router_body(generation=3, **BODIES[name]), FakeWorld([models()]).world
    )
    status = outcome.status
    assert [item["type"] for item in status["conditions"]] == EVERY_CONDITION
    assert status["observedGeneration"] == 3
    assert status["phase"]
    summary = [condition(outcome, kind)[0] for kind in ("Ready", "Reconciling", "Stalled")]
    assert summary.count("True") == 1
    stamps = {item["lastTransitionTime"] for item in status["conditions"]}
    assert stamps == {NOW.strftime("%Y-%m-%dT%H:%M:%SZ")}
    assert "Traceback" not in str(status)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"persistence": {"accessMode": "ReadWriteOnce"}, "replicas": 3}, "persistence.accessMode"),
        ({"autoscaling": {"enabled": True}}, "resources.requests.cpu"),
        ({"bootstrap": {"configMapRef": {"name": "c", "key": "k"}}}, "bootstrap.configMapRef"),
        ({"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}, "env[0]"),
    ],
)
async def test_op_15_and_op_20_a_warning_about_an_object_is_told_and_stops_nothing(
    spec: dict[str, Any], path: str
) -> None:
    outside = FakeWorld([models()])
    body = router_body(vllmEndpoints=[by_service("models")], **spec)
    outcome = await reconcile(body, outside.world)
    assert condition(outcome, "ResourcesApplied") == ("True", "AppliedWithWarnings")
    assert f"spec.{path}: " in message(outcome, "ResourcesApplied")
    assert condition(outcome, "Stalled")[0] == "False"
