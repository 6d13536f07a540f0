"""Who trespassed, told from audit events; and what a run of `faults.leaders` is made of."""

import json
from pathlib import Path
from typing import Any

import pytest

from faults import leaders
from faults.contenders import Contender
from faults.disturbance import Blow, Kill, Pause, plan
from faults.failover import COLD_LISTS, judge
from faults.lead_log import LeadLog, read
from faults.process import Operator, Program


class Story:
    """Audit events, one a second."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def request(
        self, who: str, verb: str, plural: str, *, code: int = 200, revision: int = 0, **spec: str
    ) -> None:
        second = len(self.events)
        credential = {"authentication.kubernetes.io/credential-id": [who]}
        self.events.append(
            {
                "stage": "ResponseComplete",
                "verb": verb,
                "user": {"extra": credential},
                "objectRef": {"resource": plural, "namespace": "n", "name": "x"},
                "responseStatus": {"code": code},
                "requestObject": {"spec": spec},
                "responseObject": {"metadata": {"resourceVersion": str(revision)}},
                "requestReceivedTimestamp": f"2026-01-01T00:00:{second:02}.000000Z",
                "stageTimestamp": f"2026-01-01T00:00:{second:02}.500000Z",
            }
        )

    def leads(self, who: str, *, revision: int, code: int = 200) -> None:
        self.request(who, "update", "leases", code=code, revision=revision, holderIdentity=who)

    def told(self, folder: Path) -> LeadLog:
        log = folder / "audit.log"
        log.write_text("".join(json.dumps(event) + "\n" for event in self.events) + '{"cut off')
        return LeadLog(read(log))


@pytest.fixture
def story() -> Story:
    found = Story()
    found.leads("a", revision=10)
    found.request("a", "patch", "configmaps", revision=11)
    return found


def trespassers(story: Story, folder: Path) -> list[str]:
    return [one.who for one in story.told(folder).trespasses()]


def killed_at(at: float, folder: Path) -> Blow:
    """Contender a was, at that time."""
    operator = Operator(folder / "kubeconfig", folder / "log", program=Program())
    return Blow(Kill(), Contender("a", "a", operator), at)


def test_whoever_holds_the_lease_may_write(story: Story, tmp_path: Path) -> None:
    story.leads("b", revision=12)
    story.request("b", "patch", "configmaps", revision=13)
    story.request("b", "patch", "configmaps", revision=9)  # nothing to change in it since then
    story.request("b", "delete", "services")
    story.request("a", "get", "services")
    assert trespassers(story, tmp_path) == []


@pytest.mark.parametrize(
    "write",
    [
        ("patch", "configmaps", {"revision": 13}),
        ("patch", "configmaps", {"code": 409}),
        ("patch", "configmaps", {"revision": 11}),
        ("delete", "services", {}),
        ("create", "events", {"code": 201, "revision": 13}),
    ],
)
def test_a_write_after_another_took_the_lease_is_one_too_many(
    write: tuple[str, str, dict[str, Any]], story: Story, tmp_path: Path
) -> None:
    verb, plural, parts = write
    story.leads("b", revision=12)
    story.request("a", verb, plural, **parts)
    assert trespassers(story, tmp_path) == ["a"]


def test_a_write_that_was_committed_before_but_answered_after_is_none(
    story: Story, tmp_path: Path
) -> None:
    story.request("a", "patch", "configmaps", revision=12)
    story.leads("b", revision=13)
    story.events[-2]["stageTimestamp"] = "2026-01-01T00:00:09Z"
    assert trespassers(story, tmp_path) == []


def test_a_write_that_came_in_before_but_was_committed_after_is_one(
    story: Story, tmp_path: Path
) -> None:
    story.request("a", "patch", "configmaps", revision=14)
    story.leads("b", revision=13)
    story.events[-2]["stageTimestamp"] = "2026-01-01T00:00:09Z"
    assert trespassers(story, tmp_path) == ["a"]


def test_nobody_may_write_before_the_lease_was_taken_or_after_it_was_given_back(
    tmp_path: Path,
) -> None:
    story = Story()
    story.request("a", "patch", "configmaps", revision=9)
    story.leads("a", revision=10)
    story.leads("b", revision=0, code=409)
    story.request("a", "update", "leases", revision=11, holderIdentity="")
    story.request("a", "patch", "configmaps", revision=12)
    assert trespassers(story, tmp_path) == ["a", "a"]


def test_the_seconds_count_until_another_one_leads_and_until_it_writes(
    story: Story, tmp_path: Path
) -> None:
    story.leads("a", revision=12)
    story.leads("b", revision=13)
    story.request("b", "list", "semanticrouters")
    story.request("b", "list", "services")
    story.request("b", "patch", "configmaps", revision=14)
    log = story.told(tmp_path)
    blow = killed_at(log.requests[1].done, tmp_path)
    verdict = judge(log.requests, [blow])
    assert verdict.problems == []
    (found,) = verdict.failovers
    assert (found.leader, found.write, found.lists) == (2.0, 4.5, 1)
    late = judge(log.requests[:3], [blow], lost=["r"])
    assert late.problems == ["a killed: a new leader never came", "change lost: r"]


def test_a_leader_that_has_to_fill_its_caches_first_is_told(story: Story, tmp_path: Path) -> None:
    story.leads("a", revision=12)
    story.leads("b", revision=13)
    for _ in range(COLD_LISTS):
        story.request("b", "list", "services")
    story.request("b", "patch", "configmaps", revision=14)
    log = story.told(tmp_path)
    blow = killed_at(log.requests[1].done, tmp_path)
    verdict = judge(log.requests, [blow])
    assert verdict.problems == [
        f"a killed: the new leader listed {COLD_LISTS} times before it wrote"
    ]


def test_each_fourth_blow_is_a_pause_and_all_of_it_fits_into_the_time() -> None:
    found = plan(900, every=30, pause=60)
    assert [type(one) for one in found[:5]] == [Kill, Kill, Kill, Pause, Kill]
    assert sum(one.seconds for one in found) == 900
    assert [type(one) for one in plan(125, every=30, pause=60)] == [Kill] * 4


@pytest.mark.parametrize("flag", ["--minutes=0", "--operators=1", "--churn=nan", "--every=5"])
def test_bad_input_is_refused(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert leaders.main([flag]) == 2
    assert "must be" in capsys.readouterr().err
