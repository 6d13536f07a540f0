"""What goes wrong with one router stays with it, is said on it, and is tried again."""

import asyncio
from typing import Any

import pytest

from fakes.world import router_body
from semantic_router_operator.errors import ApiConflict, ApiThrottled, ApiUnreachable
from semantic_router_operator.model.body import RouterKey
from semantic_router_operator.model.platform import Platform
from unit.controller.stage import Stage, changed, ready

R = RouterKey("ns", "r")


def entry(stage: Stage) -> Any:
    return stage.controller._entries[R]


async def test_a_poisoned_router_does_not_stop_the_others() -> None:
    stage = Stage(workers=1)
    stage.outside.references.broken["poisoned"] = RuntimeError("secret detail")
    async with stage.running():
        for name in ("poisoned", "a", "b"):
            stage.saw(router_body(name))
        await stage.eventually(lambda: stage.passes("poisoned") >= 3)
    assert ready(stage.publisher.statuses("a")[-1]) == ("True", "Running")
    assert ready(stage.publisher.statuses("b")[-1]) == ("True", "Running")


async def test_an_unexpected_error_is_said_once_without_its_details() -> None:
    stage = Stage()
    stage.outside.references.broken["r"] = RuntimeError("secret detail")
    async with stage.running():
        stage.saw(router_body())
        await stage.eventually(lambda: stage.passes("r") >= 3)
    (status,) = stage.publisher.statuses("r")
    assert ready(status)[0] == "Unknown"
    assert "secret detail" not in str(status)
    assert "Traceback" not in str(status)
    assert len(stage.publisher.posted) == len(set(stage.publisher.posted))


async def test_a_failure_that_passes_is_made_good() -> None:
    stage = Stage()
    stage.outside.cluster.platforms = ApiUnreachable("the API server does not answer")
    async with stage.running():
        stage.saw(router_body())
        await stage.eventually(lambda: stage.publisher.writes)
        assert ready(stage.publisher.statuses("r")[-1])[0] == "Unknown"
        stage.outside.cluster.platforms = Platform()
        await stage.eventually(lambda: ready(stage.publisher.statuses("r")[-1])[0] == "True")
        await stage.idle()
        assert entry(stage).failures == 0
    assert stage.metric('reconcile_duration_seconds_count{result="success"} 1.0')


async def test_a_failure_does_not_claim_that_the_new_spec_was_looked_at() -> None:
    stage = Stage()
    async with stage.running():
        stage.saw(router_body())
        await stage.idle()
        stage.outside.references.broken["r"] = ApiUnreachable("no answer")
        stage.saw(changed(entry(stage).body, generation=2))
        await stage.eventually(lambda: len(stage.publisher.writes) == 2)
    accepted = [
        (item["type"], item["observedGeneration"])
        for item in stage.publisher.statuses("r")[-1]["conditions"]
    ]
    assert ("ConfigAccepted", 1) in accepted


async def test_delays_start_anew_after_a_success() -> None:
    """How they grow: test_back_off.py."""
    stage = Stage(backoff_seconds=0.01)
    stage.outside.references.broken["r"] = ApiUnreachable("no answer")
    async with stage.running():
        stage.saw(router_body())
        await stage.eventually(lambda: entry(stage).failures >= 3)
        del stage.outside.references.broken["r"]
        await stage.eventually(lambda: entry(stage).failures == 0)
        await stage.idle()
    assert entry(stage).retry_at == 0.0


async def test_routers_that_fail_together_dont_come_back_together() -> None:
    stage = Stage(backoff_seconds=10.0)
    names = [f"r{number}" for number in range(10)]
    async with stage.running() as controller:
        for name in names:
            stage.outside.references.broken[name] = ApiUnreachable("no answer")
            stage.saw(router_body(name))
        await stage.eventually(lambda: len(stage.publisher.writes) == 10)
        await stage.idle()
        delays = sorted(controller.queue._due.values())
    assert len(delays) == 10
    assert delays[-1] - delays[0] > 0.1


async def test_the_pause_that_the_api_server_asks_for_is_kept() -> None:
    stage = Stage(backoff_seconds=0.01)
    stage.outside.references.broken["r"] = ApiThrottled("slow down", retry_after=30.0)
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.eventually(lambda: R in controller.queue._due)
        now = asyncio.get_running_loop().time()
        assert controller.queue._due[R] - now > 29.0


async def woken_during_its_pass(stage: Stage) -> None:
    """An event comes while the first pass runs, which ends then."""
    held = stage.outside.references.hold("r")
    stage.saw(router_body())
    await stage.eventually(lambda: stage.passes("r") == 1)
    stage.controller.wake(R)
    held.set()


async def test_no_event_hastens_what_the_api_server_asked_to_put_off() -> None:
    stage = Stage()
    stage.outside.references.broken["r"] = ApiThrottled("slow down", retry_after=30.0)
    async with stage.running() as controller:
        await woken_during_its_pass(stage)
        await stage.eventually(lambda: R in controller.queue._due)
        controller.wake(R)
        controller.wake_all()
        stage.saw(changed(entry(stage).body, generation=2))
        await stage.idle()
        now = asyncio.get_running_loop().time()
        assert controller.queue._due[R] - now > 29.0
    assert stage.passes("r") == 1


@pytest.mark.parametrize("pause", [0.0, 0.3], ids=["within the pause", "after it"])
async def test_an_edit_need_not_wait_for_an_hour(
    monkeypatch: pytest.MonkeyPatch, pause: float
) -> None:
    """One that comes within the minute gets its pass when that is over."""
    monkeypatch.setattr("semantic_router_operator.known_router.PATIENCE_SECONDS", 0.2)
    stage = Stage()
    stage.outside.references.broken["r"] = ApiThrottled("slow down", retry_after=3600.0)
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.eventually(lambda: R in controller.queue._due)
        await asyncio.sleep(pause)
        stage.saw(changed(entry(stage).body, generation=2))
        await stage.eventually(lambda: stage.passes("r") == 2)


async def test_what_came_during_the_pass_that_was_put_off_is_not_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("semantic_router_operator.known_router.PATIENCE_SECONDS", 0.2)
    stage = Stage()
    stage.outside.references.broken["r"] = ApiThrottled("slow down", retry_after=3600.0)
    async with stage.running():
        await woken_during_its_pass(stage)
        await stage.eventually(lambda: stage.passes("r") == 2)


async def test_an_event_hastens_what_only_waits_for_an_object_to_go_away() -> None:
    stage = Stage(backoff_seconds=60.0)
    stage.outside.references.broken["r"] = ApiConflict("is being removed", retry_after=2.0)
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.eventually(lambda: R in controller.queue._due)
        controller.wake(R)
        await stage.eventually(lambda: stage.passes("r") == 2)


@pytest.mark.parametrize("outcome", ["conflict", "failed"])
async def test_an_object_that_could_not_be_written_is_tried_again(outcome: str) -> None:
    stage = Stage()
    stage.outside.cluster.outcomes["Service"] = {"outcome": outcome, "reason": "NameConflict"}
    async with stage.running():
        stage.saw(router_body())
        await stage.eventually(lambda: stage.passes("r") >= 3)
        assert ready(stage.publisher.statuses("r")[-1])[0] == "False"
        stage.outside.cluster.outcomes.clear()
        await stage.eventually(lambda: ready(stage.publisher.statuses("r")[-1])[0] == "True")
    assert stage.metric('reconcile_duration_seconds_count{result="success"} 1.0')


async def test_a_status_that_could_not_be_written_is_tried_again() -> None:
    stage = Stage()
    stage.publisher.broken["r"] = ApiUnreachable("no answer")
    async with stage.running():
        stage.saw(router_body())
        await stage.eventually(lambda: stage.passes("r") >= 2)
        stage.publisher.broken.clear()
        await stage.eventually(lambda: stage.publisher.writes)
        await stage.idle()
    assert ready(stage.publisher.statuses("r")[-1]) == ("True", "Running")


async def test_a_bad_spec_is_said_once_and_not_tried_again() -> None:
    stage = Stage()
    async with stage.running():
        stage.saw(router_body(replicas="many"))
        await stage.idle()
        await asyncio.sleep(0.1)
        await stage.idle()
    (status,) = stage.publisher.statuses("r")
    assert ready(status) == ("False", "InvalidSpec")
    assert stage.metric('reconcile_duration_seconds_count{result="success"} 1.0')


async def test_a_report_that_breaks_as_well_stays_with_its_router() -> None:
    stage = Stage(workers=1)
    stage.publisher.broken["poisoned"] = RuntimeError("a defect of ours")
    async with stage.running():
        stage.saw(router_body("poisoned"))
        stage.saw(router_body("a"))
        await stage.eventually(lambda: stage.passes("poisoned") >= 3)
    assert ready(stage.publisher.statuses("a")[-1]) == ("True", "Running")


async def test_a_router_that_goes_while_it_has_a_pass_leaves_no_interest() -> None:
    """The pass tells the caches what the router depends on, after they were told to forget it."""
    stage = Stage()
    free = stage.outside.references.hold("r")
    async with stage.running() as controller:
        stage.saw(router_body())
        await stage.eventually(lambda: stage.passes("r"))
        controller.saw(router_body(version=2), deleted=True)
        before = len(stage.interests.forgotten)
        free.set()
        await stage.idle()
    assert stage.interests.forgotten[before:] == [R]


async def test_the_depth_of_the_queue_is_told_while_every_worker_is_busy() -> None:
    stage = Stage(workers=1)
    free = stage.outside.references.hold("r0")
    async with stage.running():
        for number in range(3):
            stage.saw(router_body(f"r{number}"))
        await stage.eventually(lambda: stage.passes("r0"))
        stage.saw(router_body("r3"))
        assert stage.metric("queue_depth 3.0")
        free.set()
        await stage.idle()
    assert stage.metric("queue_depth 0.0")


async def test_a_pass_ends_where_the_router_turns_out_to_be_gone() -> None:
    stage = Stage()
    stage.outside.cluster.gone.add("r")
    async with stage.running():
        stage.saw(router_body())
        await stage.eventually(lambda: R in stage.interests.forgotten)
        await stage.idle()
    assert stage.publisher.writes == []
    assert stage.publisher.posted == []
    assert stage.adoption.asked == []
    assert R not in stage.controller.known
    assert stage.metric('reconcile_duration_seconds_count{result="success"} 1.0')


async def test_another_router_of_the_name_that_came_meanwhile_gets_a_pass_of_its_own() -> None:
    stage = Stage()
    stage.outside.cluster.gone.add("r")
    held = stage.outside.references.hold("r")
    async with stage.running():
        stage.saw(router_body())
        await stage.eventually(lambda: stage.passes("r"))
        stage.saw(changed(router_body(), uid="successor"))
        held.set()
        await stage.eventually(lambda: stage.passes("r") >= 2)
        assert stage.publisher.writes == []
        stage.outside.cluster.gone.clear()
        stage.saw(changed(router_body(version=3), uid="successor"))
        await stage.eventually(lambda: stage.publisher.writes)
    assert R in stage.controller.known


async def test_ko_03_a_pass_that_never_ends_is_given_up_and_tried_again() -> None:
    """Its worker is free for others; four such routers would silence the operator otherwise."""
    stage = Stage(workers=1)
    stage.controller.pass_seconds = 0.05
    go_on = stage.outside.references.hold("r")
    async with stage.running():
        stage.saw(router_body())
        stage.saw(router_body("other"))
        await stage.eventually(lambda: stage.publisher.statuses("other"))
        await stage.eventually(lambda: stage.publisher.statuses("r"))
        assert ready(stage.publisher.statuses("r")[-1])[0] == "Unknown"
        go_on.set()
        await stage.eventually(lambda: ready(stage.publisher.statuses("r")[-1])[0] == "True")
