"""Going back to the last good revision, and forward again."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fakes.cluster_objects import port, service
from fakes.world import RUNNING, FakeWorld, by_service, by_url, router_body
from semantic_router_operator import names
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    DEPLOYMENT,
    SERVICE_ACCOUNT,
    DeploymentFacts,
    Manifest,
    PodTrouble,
    Rollback,
)
from semantic_router_operator.model.parse import parse
from semantic_router_operator.objects.failure import PATIENCE_SECONDS
from semantic_router_operator.objects.rollback import forgets, keeps, read_note, rolls
from semantic_router_operator.reconcile import Outcome, reconcile

TIMED_OUT: Mapping[str, Any] = {
    "updated": 0,
    "conditions": {"Progressing": ("False", "ProgressDeadlineExceeded", "timed out")},
}
PULL = PodTrouble("r-1", "ImagePullBackOff", "container semantic-router: image none:v9")


class Life:
    """A router from pass to pass: its status, and a Deployment that follows what is applied."""

    def __init__(self, *objects: Mapping[str, Any]) -> None:
        self.outside = FakeWorld(objects)
        self.status: Mapping[str, Any] = {}
        self.generation = 0
        self.annotations: dict[str, str] = {}
        self.spec: dict[str, Any] = {}

    async def edit(self, **spec: Any) -> Outcome:
        """The spec changes; the pass that follows, and one that sees what it has applied."""
        self.generation += 1
        self.spec = {"vllmEndpoints": [by_url("a")], **spec}
        await self.go_on()
        return await self.go_on()

    async def go_on(self, **workload: Any) -> Outcome:
        """One more pass; `workload` is what the Deployment says before it."""
        cluster = self.outside.cluster
        if workload:
            cluster.seen = replace(
                cluster.seen, deployment=self._deployment(**workload), pods=(PULL,)
            )
        body = router_body(generation=self.generation, **self.spec)
        body["metadata"]["annotations"] = self.annotations
        outcome = await reconcile({**body, "status": self.status}, self.outside.world)
        self.status = outcome.status
        cluster.seen = replace(cluster.seen, deployment=self._deployment(), pods=())
        return outcome

    def _deployment(self, **more: Any) -> DeploymentFacts:
        annotations = self.deployment.body["metadata"]["annotations"]
        return replace(
            RUNNING,
            template_digest=annotations[names.ANNOTATION_TEMPLATE_DIGEST],
            rolled_back=read_note(annotations.get(names.ANNOTATION_ROLLED_BACK)),
            **more,
        )

    @property
    def deployment(self) -> Manifest:
        """As it was applied last."""
        passes = (applied for _, applied, _ in reversed(self.outside.cluster.applied))
        return next(item for applied in passes for item in applied if item.kind == DEPLOYMENT)

    @property
    def accounts(self) -> list[str]:
        """The ServiceAccounts that the last pass applied."""
        applied = self.outside.cluster.applied[-1][1]
        return [item.name for item in applied if item.kind == SERVICE_ACCOUNT]

    @property
    def image(self) -> str:
        """Of the pods."""
        pod = self.deployment.body["spec"]["template"]["spec"]
        return str(pod["containers"][0]["image"])

    @property
    def document(self) -> str:
        """The live one."""
        return self.outside.cluster.document() or ""


def condition(outcome: Outcome, kind: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(c for c in outcome.status["conditions"] if c["type"] == kind)
    return found


def image(tag: str) -> dict[str, Any]:
    return {"repository": "example.com/router", "tag": tag}


async def back(life: Life) -> Outcome:
    """v1 ran, v2 failed, v1 runs again."""
    await life.edit(image=image("v1"))
    life.generation += 1
    life.spec["image"] = image("v2")
    await life.go_on()
    cluster = life.outside.cluster
    config = {**life.status["config"], "revision": 2, "lastGoodRevision": 1}
    life.status = {**life.status, "config": config}
    assert len(cluster.revisions) == 2
    return await life.go_on(**TIMED_OUT)


async def test_pods_that_dont_become_ready_in_time_go_back_to_the_last_good_revision() -> None:
    life = Life()
    await life.edit(image=image("v1"))
    life.generation += 1
    life.spec["image"] = image("v2")
    await life.go_on(updated=0, conditions={"Progressing": ("True", "ReplicaSetUpdated", "")})
    assert life.image.endswith(":v2")
    waiting = await life.go_on(updated=0, conditions={"Progressing": ("True", "X", "")})
    assert waiting.status["config"]["lastGoodRevision"] == 1
    assert waiting.status["config"]["revision"] == 2
    outcome = await life.go_on(**TIMED_OUT)
    assert life.image.endswith(":v1")
    assert outcome.status["config"]["revision"] == 1
    for kind, status in (("Ready", "False"), ("Degraded", "True"), ("Stalled", "True")):
        told = condition(outcome, kind)
        assert (told["status"], told["reason"]) == (status, "RolledBack")
        assert told["message"].startswith("revision 2 didn't become ready in time")
        assert "ImagePullBackOff" in told["message"]
        assert "; revision 1 runs until the spec changes" in told["message"]
    assert [note.reason for note in outcome.events].count("RolledBack") == 1


async def test_a_revision_that_failed_before_it_was_recorded_is_recorded_first() -> None:
    """The operator died between Deployment and history, and came back after the deadline."""
    life = Life()
    await life.edit(image=image("v1"))
    life.generation += 1
    life.spec["image"] = image("v2")
    await life.go_on()
    life.outside.cluster.revisions.pop()
    config = {**life.status["config"], "revision": 1, "lastGoodRevision": 1}
    life.status = {**life.status, "config": config}
    outcome = await life.go_on(**TIMED_OUT)
    assert life.image.endswith(":v1")
    assert len(life.outside.cluster.revisions) == 2
    assert condition(outcome, "Ready")["message"].startswith("revision 2 didn't become ready")


async def test_it_stays_there_and_says_the_same_until_the_spec_changes() -> None:
    life = Life()
    first = await back(life)
    second = await life.go_on()
    assert life.image.endswith(":v1")
    assert condition(second, "Ready") == condition(first, "Ready")
    assert second.events == ()
    assert len(life.outside.cluster.revisions) == 2
    forward = await life.edit(image=image("v3"))
    assert life.image.endswith(":v3")
    assert names.ANNOTATION_ROLLED_BACK not in life.deployment.body["metadata"]["annotations"]
    assert condition(forward, "Ready")["status"] == "True"
    assert forward.status["config"]["lastGoodRevision"] == 3


async def test_a_lost_status_doesnt_bring_the_failed_revision_back() -> None:
    life = Life()
    await back(life)
    life.status = {}
    outcome = await life.go_on()
    assert life.image.endswith(":v1")
    assert condition(outcome, "Degraded")["reason"] == "RolledBack"


async def test_an_old_view_of_the_router_doesnt_end_a_rollback() -> None:
    """An API server that lags behind shows the spec of before; a generation never goes back."""
    life = Life()
    await back(life)
    life.generation -= 1
    life.spec["image"] = image("v1")
    await life.go_on()
    assert names.ANNOTATION_ROLLED_BACK in life.deployment.body["metadata"]["annotations"]
    life.generation += 1
    life.spec["image"] = image("v2")
    await life.go_on()
    assert life.image.endswith(":v1")


async def test_an_edit_of_something_else_tries_the_same_pods_again() -> None:
    """Until the spec changes is what is promised, and a person who edits wants to see it tried."""
    life = Life()
    await back(life)
    await life.edit(image=image("v2"), replicas=2)
    assert life.image.endswith(":v2")


async def test_manual_leaves_it_as_it_is() -> None:
    life = Life()
    await life.edit(image=image("v1"), rollback="Manual")
    life.generation += 1
    life.spec["image"] = image("v2")
    await life.go_on()
    life.status = {**life.status, "config": {"revision": 2, "lastGoodRevision": 1}}
    outcome = await life.go_on(**TIMED_OUT)
    assert life.image.endswith(":v2")
    assert condition(outcome, "Ready")["reason"] == "ProgressDeadlineExceeded"


async def test_a_first_start_that_fails_has_nothing_to_go_back_to() -> None:
    life = Life()
    life.outside.cluster.seen = replace(life.outside.cluster.seen, deployment=None)
    life.spec, life.generation = {"vllmEndpoints": [by_url("a")], "image": image("v1")}, 1
    await life.go_on()
    life.status = {**life.status, "config": {"revision": 1}}
    outcome = await life.go_on(**TIMED_OUT)
    assert life.image.endswith(":v1")
    assert condition(outcome, "Ready")["reason"] == "ProgressDeadlineExceeded"


async def test_a_newer_spec_is_tried_though_the_pods_of_the_one_before_have_failed() -> None:
    life = Life()
    await life.edit(image=image("v1"))
    await life.edit(image=image("v2"))
    life.generation += 1
    life.spec["image"] = image("v3")
    await life.go_on(**TIMED_OUT)
    assert life.image.endswith(":v3")


async def test_the_document_goes_back_with_the_pods() -> None:
    life = Life()
    await life.edit(image=image("v1"))
    before = life.document
    life.generation += 1
    life.spec |= {"image": image("v2"), "defaultModel": "other"}
    life.spec["vllmEndpoints"] = [by_url("a"), by_url("b", model="other")]
    await life.go_on()
    assert life.document != before
    life.status = {**life.status, "config": {"revision": 2, "lastGoodRevision": 1}}
    outcome = await life.go_on(**TIMED_OUT)
    assert life.document == before
    revisions = life.outside.cluster.revisions
    assert outcome.status["config"]["digest"] == revisions[0].config.digest


async def test_backends_are_followed_while_only_the_pods_went_back() -> None:
    """The address of a model that moves would be lost otherwise, until somebody edits the spec."""
    life = Life()
    await back(life)
    life.spec["vllmEndpoints"] = [{**by_url("a"), "weight": 7}]
    outcome = await life.go_on()
    assert life.image.endswith(":v1")
    assert "weight: 7" in life.document
    assert condition(outcome, "Degraded")["reason"] == "RolledBack"


async def test_a_person_asks_for_an_earlier_revision_until_the_spec_changes() -> None:
    life = Life()
    await life.edit(image=image("v1"))
    await life.edit(image=image("v2"))
    life.annotations = {names.ANNOTATION_ROLLBACK_TO: f"1@{life.generation}"}
    outcome = await life.go_on()
    assert life.image.endswith(":v1")
    told = condition(outcome, "Degraded")
    assert told["reason"] == "RolledBack"
    assert told["message"].startswith(
        "revision 1 runs, as metadata.annotations[vllm.ai/rollback-to]"
    )
    await life.edit(image=image("v3"))
    assert life.image.endswith(":v3")


async def test_what_a_person_asked_for_ends_when_the_wish_is_taken_back() -> None:
    life = Life()
    await life.edit(image=image("v1"))
    await life.edit(image=image("v2"))
    life.annotations = {names.ANNOTATION_ROLLBACK_TO: f"1@{life.generation}"}
    await life.go_on()
    life.annotations = {}
    outcome = await life.go_on()
    assert life.image.endswith(":v2")
    assert condition(outcome, "Ready")["status"] == "True"


async def test_a_person_may_try_the_failed_revision_again() -> None:
    life = Life()
    await back(life)
    life.annotations = {names.ANNOTATION_ROLLBACK_TO: f"2@{life.generation}"}
    outcome = await life.go_on()
    assert life.image.endswith(":v2")
    assert condition(outcome, "Ready")["status"] == "True"


async def test_the_account_of_earlier_pods_comes_back_with_them() -> None:
    life = Life()
    await life.edit(image=image("v1"))
    theirs = {"create": False, "name": "theirs"}
    await life.edit(image=image("v1"), serviceAccount=theirs)
    assert life.accounts == []
    life.annotations = {names.ANNOTATION_ROLLBACK_TO: "1@2"}
    await life.go_on()
    assert life.accounts == ["r"]


async def test_an_account_of_the_users_own_is_left_to_them() -> None:
    life = Life()
    await life.edit(serviceAccount={"create": False, "name": "theirs"})
    await life.edit(image=image("v2"))
    life.annotations = {names.ANNOTATION_ROLLBACK_TO: "1@2"}
    await life.go_on()
    assert life.deployment.body["spec"]["template"]["spec"]["serviceAccountName"] == "theirs"
    assert life.accounts == ["r"], "what the spec asks for"


async def test_a_wish_that_cant_be_read_or_met_is_told() -> None:
    life = Life()
    await life.edit(image=image("v1"))
    for wish, text in (
        ("last", "is <revision>@<generation>, such as 3@7; correct or remove it"),
        (f"9@{life.generation}", "there is no revision 9 in the history; recorded are: 1"),
    ):
        life.annotations = {names.ANNOTATION_ROLLBACK_TO: wish}
        outcome = await life.go_on()
        told = condition(outcome, "ResourcesApplied")
        assert (told["status"], told["reason"]) == ("True", "AppliedWithWarnings")
        assert told["message"] == f"metadata.annotations[vllm.ai/rollback-to]: {text}"


async def test_rolled_back_pods_keep_to_what_else_the_spec_says() -> None:
    life = Life(service("models", port(8000), meta={"namespace": "ns"}))
    await life.edit(image=image("v1"), vllmEndpoints=[by_service("models")])
    life.generation += 1
    life.spec |= {"image": image("v2"), "replicas": 3}
    await life.go_on()
    life.status = {**life.status, "config": {"revision": 2, "lastGoodRevision": 1}}
    await life.go_on(**TIMED_OUT)
    assert life.image.endswith(":v1")
    assert life.deployment.body["spec"]["replicas"] == 3


LOST: Mapping[str, Any] = {"ready": 0, "available": 0}


async def with_new_settings(life: Life) -> None:
    """Other models and the same pods: nothing rolls."""
    await life.edit(image=image("v1"))
    await life.edit(image=image("v1"), vllmEndpoints=[by_url("a"), by_url("b", model="other")])
    assert life.status["config"]["lastGoodRevision"] == 2
    assert life.status["config"]["previousGoodRevision"] == 1


async def after(life: Life, seconds: float, **workload: Any) -> Outcome:
    life.outside.clock.moment += timedelta(seconds=seconds)
    return await life.go_on(**workload)


async def test_pods_that_are_lost_after_new_settings_go_back_when_the_deadline_has_passed() -> None:
    """A document that the router can't live with shows only when the pods have read it."""
    life = Life()
    await with_new_settings(life)
    await after(life, 120, **LOST)
    waiting = await after(life, 60, **LOST)
    assert "other" in life.document
    assert waiting.again_in == PATIENCE_SECONDS - 60
    outcome = await after(life, PATIENCE_SECONDS - 60, **LOST)
    assert "other" not in life.document
    assert condition(outcome, "Ready")["reason"] == "RolledBack"
    assert outcome.status["config"]["revision"] == 1
    assert outcome.status["config"]["lastGoodRevision"] == 1
    again = await after(life, 600)
    assert "other" not in life.document
    assert condition(again, "Ready")["reason"] == "RolledBack"


async def test_how_long_pods_may_be_lost_is_what_the_spec_says() -> None:
    life = Life()
    await with_new_settings(life)
    life.spec["progressDeadlineSeconds"] = 20
    await after(life, 1, **LOST)
    assert (await after(life, 5, **LOST)).again_in == 15
    await after(life, 15, **LOST)
    assert "other" not in life.document


async def test_the_first_look_at_lost_pods_says_when_to_look_again() -> None:
    life = Life()
    await with_new_settings(life)
    assert (await after(life, 5, **LOST)).again_in == PATIENCE_SECONDS


async def test_pods_of_which_some_are_left_were_not_ended_by_the_settings() -> None:
    """An autoscaler that adds a pod which finds no node, an eviction."""
    life = Life()
    await with_new_settings(life)
    some = {"wanted": 3, "replicas": 3, "ready": 2, "available": 2}
    await after(life, 60, **some)
    outcome = await after(life, PATIENCE_SECONDS, **some)
    assert "other" in life.document
    assert outcome.again_in is None


async def test_a_router_that_is_not_ready_for_another_reason_has_lost_no_pods() -> None:
    """Not ready since minute 1 of the settings; hours later every pod is away for a moment."""
    life = Life()
    await with_new_settings(life)
    life.outside.cluster.outcomes = {"Service": {"outcome": "conflict", "message": "theirs"}}
    outcome = await after(life, 60)
    assert condition(outcome, "Ready")["status"] == "False"
    outcome = await after(life, 3 * 3600, **LOST)
    assert "other" in life.document
    assert outcome.again_in is None


async def test_settings_go_back_only_with_the_note_that_tells_why() -> None:
    life = Life()
    await with_new_settings(life)
    await after(life, 60, **LOST)
    await after(life, PATIENCE_SECONDS, **LOST)
    applied = life.outside.cluster.applied[-1][1]
    kinds = [item.kind for item in applied]
    assert kinds.index(DEPLOYMENT) < kinds.index(CONFIG_MAP)
    (document,) = (item for item in applied if item.kind == CONFIG_MAP)
    assert document.after == life.deployment.key


@pytest.mark.parametrize(
    ("wish", "why"),
    [("3", "is <revision>@<generation>"), ("9@{}", "there is no revision 9 in the history")],
)
async def test_a_wish_that_cant_be_met_doesnt_end_a_rollback(wish: str, why: str) -> None:
    life = Life()
    await back(life)
    life.annotations = {names.ANNOTATION_ROLLBACK_TO: wish.format(life.generation)}
    for _ in range(2):
        outcome = await life.go_on()
        assert life.image.endswith(":v1")
        assert condition(outcome, "Degraded")["reason"] == "RolledBack"
        assert why in condition(outcome, "ResourcesApplied")["message"]


async def test_what_runs_stays_when_the_revision_is_gone_that_it_went_back_to() -> None:
    life = Life()
    await back(life)
    cluster = life.outside.cluster
    del cluster.revisions[0]
    outcome = await life.go_on()
    _, applied, kept = cluster.applied[-1]
    assert {CONFIG_MAP, DEPLOYMENT}.isdisjoint(item.kind for item in applied)
    assert {CONFIG_MAP, DEPLOYMENT} <= {key.kind for key in kept}
    assert condition(outcome, "Degraded")["reason"] == "RolledBack"
    await life.edit(image=image("v3"))
    assert life.image.endswith(":v3")


@pytest.mark.parametrize(
    "note",
    [
        '{"revision":1e999,"generation":1,"failed":1,"why":""}',
        "[" * 100_000,
        '{"revision":1,"generation":1,"failed":null,"why":""}',
    ],
)
def test_a_note_that_nobody_can_read_is_none(note: str) -> None:
    """Anybody may write an annotation."""
    assert read_note(note) is None


async def test_pods_that_are_lost_long_after_new_settings_are_not_laid_to_them() -> None:
    life = Life()
    await with_new_settings(life)
    await after(life, 3600, **LOST)
    outcome = await after(life, PATIENCE_SECONDS, **LOST)
    assert "other" in life.document
    assert outcome.again_in is None
    assert condition(outcome, "Ready")["status"] == "False"


async def test_pods_that_come_back_in_time_keep_the_new_settings() -> None:
    life = Life()
    await with_new_settings(life)
    await after(life, 60, **LOST)
    await after(life, 60)
    outcome = await after(life, PATIENCE_SECONDS)
    assert "other" in life.document
    assert condition(outcome, "Ready")["status"] == "True"


async def test_a_backend_that_moves_doesnt_count_as_new_settings() -> None:
    life = Life()
    await with_new_settings(life)
    life.spec["vllmEndpoints"] = [{**by_url("a"), "weight": 3}, by_url("b", model="other")]
    outcome = await life.go_on()
    assert outcome.status["config"]["lastGoodRevision"] == 3
    assert outcome.status["config"]["previousGoodRevision"] == 1


async def test_new_pods_prove_the_settings() -> None:
    life = Life()
    await with_new_settings(life)
    outcome = await life.edit(image=image("v2"), vllmEndpoints=life.spec["vllmEndpoints"])
    assert outcome.status["config"]["lastGoodRevision"] == 3
    assert "previousGoodRevision" not in outcome.status["config"]


async def test_a_deployment_that_was_rolled_back_unseen_is_not_rolled_forward() -> None:
    """What a cache lags behind is looked at live before pods are replaced."""
    life = Life()
    await life.edit(image=image("v1"))
    await life.edit(image=image("v2"))
    wanted = life.deployment
    digest = wanted.body["metadata"]["annotations"][names.ANNOTATION_TEMPLATE_DIGEST]
    assert not rolls(wanted, replace(RUNNING, template_digest=digest))
    assert rolls(wanted, replace(RUNNING, template_digest="sha256:other"))
    assert keeps(wanted, replace(RUNNING, template_digest=digest))
    for other in (replace(RUNNING, template_digest="sha256:other"), RUNNING, None):
        assert not keeps(wanted, other), "pods that somebody else has made may go"
    router = parse(router_body(generation=life.generation, **life.spec))
    gone_back = replace(RUNNING, rolled_back=Rollback(1, life.generation, 2, "why"))
    assert forgets(router, wanted, gone_back)
    assert not forgets(router, wanted, RUNNING)
    newer = parse(router_body(generation=life.generation + 1, **life.spec))
    assert not forgets(newer, wanted, gone_back)
