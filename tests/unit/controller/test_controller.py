"""Which router is looked at when, through the ports."""

from typing import Any

import pytest

from fakes.world import by_url, router_body
from semantic_router_operator.errors import ApiUnreachable
from semantic_router_operator.model.body import RouterKey, key_of
from unit.controller.stage import Body, Stage, changed, ready

R = RouterKey("ns", "r")


def entry(stage: Stage) -> Any:
    return stage.controller._entries[R]


async def test_a_new_router_gets_a_pass_a_status_and_events() -> None:
    stage = Stage()
    async with stage.running():
        stage.saw(router_body())
        await stage.idle()
    assert [ready(status) for status in stage.publisher.statuses("r")] == [("True", "Running")]
    assert ("r", "Running") in stage.publisher.posted
    assert stage.metric('reconcile_duration_seconds_count{result="success"} 1.0')
    assert stage.metric("routers 1.0")


async def test_the_event_of_our_own_status_write_wakes_nobody() -> None:
    stage = Stage()
    async with stage.running():
        stage.saw(router_body())
        await stage.idle()
        stage.saw(entry(stage).body)
        stage.saw(changed(entry(stage).body))
        await stage.idle()
    assert stage.passes("r") == 1


async def test_a_change_of_labels_or_annotations_wakes_nobody() -> None:
    stage = Stage()
    async with stage.running():
        stage.saw(router_body())
        await stage.idle()
        stage.saw(changed(entry(stage).body, labels={"a": "b"}, annotations={"a": "b"}))
        await stage.idle()
    assert stage.passes("r") == 1


async def test_a_new_generation_gets_a_pass() -> None:
    stage = Stage()
    async with stage.running():
        stage.saw(router_body())
        await stage.idle()
        stage.saw(changed(entry(stage).body, generation=2))
        await stage.idle()
    assert [s["observedGeneration"] for s in stage.publisher.statuses("r")] == [1, 2]


async def test_a_status_that_somebody_else_wrote_is_mended() -> None:
    stage = Stage()
    async with stage.running():
        stage.saw(router_body())
        await stage.idle()
        stage.saw({**changed(entry(stage).body), "status": {"phase": "Nonsense"}})
        await stage.idle()
    first, second = stage.publisher.statuses("r")
    assert second["phase"] == first["phase"]


async def test_an_older_state_of_the_router_is_ignored() -> None:
    stage = Stage()
    async with stage.running() as controller:
        stage.saw(router_body(version=9, generation=2))
        await stage.idle()
        controller.saw(router_body(version=10, generation=1))
        await stage.idle()
        controller.saw(router_body(version=8, generation=1))
        await stage.idle()
    assert stage.passes("r") == 1


async def test_versions_are_compared_as_numbers() -> None:
    stage = Stage()
    stage.saw(router_body(version=9, generation=1))
    stage.saw(router_body(version=10, generation=2))
    assert entry(stage).body["metadata"]["generation"] == 2


async def test_a_router_that_was_made_again_is_a_new_one() -> None:
    stage = Stage()
    async with stage.running():
        stage.saw(router_body(version=500, generation=7))
        await stage.idle()
        stage.saw(changed(router_body(version=900), uid="another"))
        await stage.idle()
    assert [s["observedGeneration"] for s in stage.publisher.statuses("r")] == [7, 1]


@pytest.mark.parametrize("late", ["deleted", "being deleted", "changed"])
async def test_late_events_of_its_predecessor_dont_concern_a_router_that_was_made_again(
    late: str,
) -> None:
    stage = Stage()
    ending = {"deletionTimestamp": "now"} if late == "being deleted" else {}
    async with stage.running() as controller:
        stage.saw(router_body(version=5))
        stage.saw(changed(router_body(version=9), uid="another"))
        controller.saw(changed(router_body(version=7), **ending), deleted=late == "deleted")
        await stage.idle()
    assert controller.known == {R}
    assert entry(stage).body["metadata"]["uid"] == "another"
    assert len(stage.publisher.writes) == 1


async def test_what_nobody_reads_is_not_kept() -> None:
    stage = Stage()
    stage.saw(changed(router_body(), managedFields=[{"manager": "kubectl"}]))
    assert "managedFields" not in entry(stage).body["metadata"]


async def test_a_change_during_a_pass_is_not_lost_and_no_status_claims_a_newer_generation() -> None:
    """Field case KO-05."""
    stage = Stage()
    gate = stage.outside.references.hold("r")
    async with stage.running():
        stage.saw(router_body(version=1, generation=1, replicas=1))
        await stage.eventually(lambda: stage.passes("r") == 1)
        stage.saw(router_body(version=2, generation=2, replicas=2))
        gate.set()
        await stage.idle()
    assert [s["observedGeneration"] for s in stage.publisher.statuses("r")] == [1, 2]
    wanted = [
        manifest.body["spec"]["replicas"]
        for _, manifests, _ in stage.outside.cluster.applied
        for manifest in manifests
        if manifest.kind.kind == "Deployment"
    ]
    assert wanted == [1, 2]


async def test_a_change_during_the_status_write_is_not_lost() -> None:
    stage = Stage()

    def change(body: Body) -> None:
        if body["metadata"]["generation"] == 1:
            stage.saw(router_body(version=1000, generation=2))

    stage.publisher.on_write = change
    async with stage.running():
        stage.saw(router_body())
        await stage.idle()
    assert [s["observedGeneration"] for s in stage.publisher.statuses("r")] == [1, 2]


async def test_a_wake_during_a_pass_gives_another_pass() -> None:
    stage = Stage()
    gate = stage.outside.references.hold("r")
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.eventually(lambda: stage.passes("r") == 1)
        controller.wake(R)
        controller.wake(R)
        gate.set()
        await stage.idle()
    assert stage.passes("r") == 2


async def test_a_pass_with_nothing_to_do_writes_nothing() -> None:
    stage = Stage()
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.idle()
        for _ in range(3):
            controller.wake(R)
            await stage.idle()
    assert stage.passes("r") == 4
    assert len(stage.publisher.writes) == 1


async def test_a_wake_for_a_router_that_nobody_knows_is_passed_over() -> None:
    stage = Stage()
    async with stage.running() as controller:
        controller.wake(RouterKey("ns", "nobody"))
        await stage.idle()
    assert stage.outside.references.asked == []


async def test_a_router_is_looked_at_again_after_some_time() -> None:
    stage = Stage(resync_seconds=0.01)
    async with stage.running():
        stage.saw(router_body())
        await stage.eventually(lambda: stage.passes("r") >= 3)
    assert len(stage.publisher.writes) == 1


async def test_one_router_never_has_two_passes_at_a_time_and_others_dont_wait_for_it() -> None:
    stage = Stage(workers=3)
    gate = stage.outside.references.hold("slow")
    async with stage.running() as controller:
        stage.saw(router_body("slow"))
        await stage.eventually(lambda: stage.passes("slow") == 1)
        controller.wake(RouterKey("ns", "slow"))
        for name in ("a", "b", "c"):
            stage.saw(router_body(name))
        await stage.eventually(lambda: len(stage.publisher.writes) == 3)
        assert stage.passes("slow") == 1
        gate.set()
        await stage.idle()
    assert stage.passes("slow") == 2


async def test_a_standby_looks_at_everything_and_writes_nothing() -> None:
    stage = Stage()
    async with stage.running(leading=False):
        stage.saw(router_body())
        stage.saw(router_body("bad", replicas="x"))
        await stage.idle()
    assert stage.passes("r") == 1
    assert stage.outside.cluster.applied == []
    assert stage.publisher.writes == []
    assert stage.publisher.posted == []
    assert stage.metric("leader 0.0")


async def test_a_standby_that_fails_says_nothing_on_the_router() -> None:
    stage = Stage()
    stage.outside.references.broken["r"] = ApiUnreachable("no answer")
    async with stage.running(leading=False):
        stage.saw(router_body())
        await stage.eventually(lambda: stage.passes("r") >= 2)
    assert stage.publisher.writes == []


async def test_who_takes_the_lead_gives_every_router_a_pass() -> None:
    stage = Stage()
    async with stage.running(leading=False) as controller:
        stage.saw(router_body("a"))
        stage.saw(router_body("b"))
        await stage.idle()
        controller.lead()
        await stage.idle()
    assert sorted(name for name, _ in stage.publisher.writes) == ["a", "b"]
    assert stage.metric("leader 1.0")


@pytest.mark.parametrize("how", ["deleted", "being deleted"])
async def test_a_router_that_goes_is_forgotten(how: str) -> None:
    stage = Stage()
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.idle()
        if how == "deleted":
            controller.saw(router_body(version=3), deleted=True)
        else:
            stage.saw(changed(router_body(version=3), deletionTimestamp="now"))
        controller.wake(R)
        await stage.idle()
    assert controller.known == set()
    assert stage.interests.forgotten == [R]
    assert stage.passes("r") == 1
    assert stage.metric("routers 0.0")


async def test_a_router_that_goes_during_its_pass_gets_no_further_one() -> None:
    stage = Stage()
    gate = stage.outside.references.hold("r")
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.eventually(lambda: stage.passes("r") == 1)
        controller.wake(R)
        controller.saw(router_body(version=3), deleted=True)
        stage.publisher.gone.add("r")
        gate.set()
        await stage.idle()
    assert stage.passes("r") == 1
    assert controller.known == set()
    assert stage.metric("routers 0.0")


async def test_a_router_whose_deletion_we_missed_is_forgotten_when_its_status_cant_be_written() -> (
    None
):
    stage = Stage()
    stage.publisher.gone.add("r")
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.idle()
    assert controller.known == set()
    assert set(stage.interests.forgotten) == {R}
    assert stage.publisher.posted == []


async def test_its_successor_of_the_same_name_is_not_forgotten_with_it() -> None:
    stage = Stage()
    stage.publisher.gone.add("r")

    def replaced(body: Body) -> None:
        if body["metadata"]["uid"] == "uid-r":
            stage.saw(changed(router_body(version=900), uid="successor"))
        else:
            stage.publisher.gone.clear()

    stage.publisher.on_write = replaced
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.idle()
    assert controller.known == {R}
    assert len(stage.publisher.writes) == 1


async def test_a_successor_that_came_during_the_last_pass_of_a_router_is_not_forgotten() -> None:
    stage = Stage()

    def replaced(body: Body) -> None:
        if body["metadata"]["uid"] == "uid-r":
            stage.publisher.gone.add("r")
            stage.controller.saw(router_body(version=800), deleted=True)
            stage.saw(changed(router_body(version=900), uid="successor"))
        else:
            stage.publisher.gone.clear()

    stage.publisher.on_write = replaced
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.idle()
    assert controller.known == {R}
    assert len(stage.publisher.writes) == 1
    assert stage.metric("routers 1.0")


async def test_a_list_brings_routers_whose_event_was_lost() -> None:
    stage = Stage()
    async with stage.running() as controller:
        controller.saw_all([router_body("a"), router_body("b")], listed=controller.known)
        await stage.idle()
    assert {key.name for key in controller.known} == {"a", "b"}
    assert len(stage.publisher.writes) == 2


async def test_a_list_brings_changes_whose_event_was_lost() -> None:
    stage = Stage()
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.idle()
        newer = router_body(version=900, generation=2)
        controller.saw_all([newer], listed=controller.known)
        await stage.idle()
    assert [s["observedGeneration"] for s in stage.publisher.statuses("r")] == [1, 2]


async def test_a_list_with_nothing_new_wakes_nobody() -> None:
    stage = Stage()
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.idle()
        controller.saw_all([entry(stage).body], listed=controller.known)
        await stage.idle()
    assert stage.passes("r") == 1


async def test_two_lists_of_the_past_are_a_restored_backup() -> None:
    """resourceVersions went back: what was heard of later never happened."""
    stage = Stage()
    async with stage.running() as controller:
        before = router_body(vllmEndpoints=[by_url("before")])
        undone = {**before, "spec": {"vllmEndpoints": [by_url("undone")]}}
        stage.saw(changed(undone, generation=2, resourceVersion="100"))
        await stage.idle()
        past = {**before, "metadata": {**before["metadata"], "resourceVersion": "1"}}
        stage.publisher.live["r"] = past
        controller.saw_all([past], listed=controller.known)
        await stage.idle()
        assert stage.passes("r") == 1, "one may be a server that lags"
        controller.saw_all([past], listed=controller.known)
        await stage.eventually(lambda: stage.passes("r") == 2)
        assert entry(stage).body["spec"] == before["spec"]


async def test_lists_that_our_own_writes_have_overtaken_are_no_backup() -> None:
    stage = Stage()
    async with stage.running() as controller:
        for version in (5, 6, 7):
            body = router_body()
            listed = {**body, "metadata": {**body["metadata"], "resourceVersion": str(version)}}
            known = {**body, "metadata": {**body["metadata"], "resourceVersion": str(version + 1)}}
            stage.saw(known)
            controller.saw_all([listed], listed=controller.known)
            assert entry(stage).body["metadata"]["resourceVersion"] == str(version + 1)


async def test_a_list_forgets_routers_whose_deletion_was_lost() -> None:
    stage = Stage()
    async with stage.running() as controller:
        stage.saw(router_body("a"))
        stage.saw(router_body("b"))
        await stage.idle()
        controller.saw_all([router_body("a")], listed=controller.known)
    assert {key.name for key in controller.known} == {"a"}
    assert [key.name for key in stage.interests.forgotten] == ["b"]


async def test_a_router_that_came_after_the_list_was_asked_for_is_not_forgotten() -> None:
    stage = Stage()
    before = stage.controller.known
    stage.saw(router_body("young"))
    stage.controller.saw_all([], listed=before)
    assert {key.name for key in stage.controller.known} == {"young"}


async def test_a_changed_platform_concerns_everybody() -> None:
    stage = Stage()
    async with stage.running() as controller:
        stage.saw(router_body("a"))
        stage.saw(router_body("b"))
        await stage.idle()
        controller.wake_all()
        await stage.idle()
    assert (stage.passes("a"), stage.passes("b")) == (2, 2)


def test_a_router_is_known_by_namespace_and_name() -> None:
    assert key_of(router_body()) == R
    assert str(R) == "ns/r"
