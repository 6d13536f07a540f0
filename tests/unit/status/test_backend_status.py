"""status.backends, and what the next pass reads from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_router_operator.model.resolution import Note, Resolution, Resolved, Target
from semantic_router_operator.status import last_known, previous_default
from unit.status.lifecycle import (
    HEALTHY,
    Point,
    endpoint,
    resolved,
    router,
    target,
    unresolved,
)

LABELS = st.from_regex(r"[a-z]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)
HOSTS = (
    st.lists(LABELS, min_size=1, max_size=5).map(".".join)
    | st.ip_addresses(v=4).map(str)
    | st.ip_addresses(v=6).map(str)
)
PATHS = st.lists(LABELS, max_size=3).map(lambda parts: "".join(f"/{part}" for part in parts))
TARGETS = st.builds(
    Target,
    protocol=st.sampled_from(["http", "https"]),
    host=HOSTS,
    port=st.none() | st.integers(1, 65535),
    base_path=PATHS,
    suffix=st.just("") | LABELS,
    api_version=st.none() | LABELS,
    chat_path=st.none() | PATHS.filter(bool),
)


def entry(resolution: Resolution, *, weight: int = 1) -> dict[str, object]:
    spec = router(vllmEndpoints=[endpoint("a", weight=weight)])
    (found,) = Point(router=spec, resolutions=(resolution,)).status()["backends"]
    return dict(found)


def test_a_resolved_backend_says_where_it_is_and_where_that_comes_from() -> None:
    assert entry(resolved()) == {
        "name": "a",
        "model": "m",
        "type": "service",
        "source": "Service ns/a",
        "state": "Resolved",
        "reason": "Resolved",
        "targets": [{"url": "http://a.ns.svc.cluster.local:8000"}],
    }


def test_a_note_about_a_backend_that_works_is_its_message() -> None:
    note = Note("Cut", "spec.vllmEndpoints[0]: more than 64 addresses; the rest is cut")
    assert entry(Resolved((target(),), notes=(note,)))["message"] == note.message


def test_sr_09_a_drained_backend_keeps_its_target_in_sight() -> None:
    found = entry(resolved(), weight=0)
    assert (found["state"], found["reason"]) == ("Drained", "Drained")
    assert found["targets"] == [{"url": "http://a.ns.svc.cluster.local:8000"}]


def test_sr_09_a_drained_backend_that_is_missing_is_drained_and_says_so() -> None:
    found = entry(unresolved(message="Service ns/a isn't there"), weight=0)
    assert found["state"] == "Drained"
    assert found["message"] == "weight is 0: no request goes there; Service ns/a isn't there"


def test_a_missing_service_tells_its_declared_address_and_records_no_target() -> None:
    found = entry(unresolved(declared=target()))
    assert found["state"] == "Unresolved"
    assert found["reason"] == "NotFound"
    assert "http://a.ns.svc.cluster.local:8000 stays configured" in str(found["message"])
    assert "targets" not in found


def test_a_declared_address_is_not_told_while_another_backend_of_the_model_serves() -> None:
    spec = router(vllmEndpoints=[endpoint("a"), endpoint("b")])
    point = Point(router=spec, resolutions=(unresolved(declared=target()), resolved()))
    assert "stays configured" not in str(point.status()["backends"][0])


def test_ks_03_a_backend_that_can_not_be_asked_for_keeps_its_last_targets_pass_after_pass() -> None:
    known = last_known(HEALTHY.status())
    for _ in range(3):
        lost = unresolved("Unreachable", "no answer", uncertain=True, last_known=known["a"].targets)
        status = Point(resolutions=(lost,)).status()
        assert last_known(status)["a"].targets == known["a"].targets
    assert status["backends"][0]["message"] == "no answer; the last known targets are kept"
    assert status["backends"][0]["state"] == "Unresolved"


def test_a_backend_that_is_gone_for_certain_leaves_nothing_to_keep() -> None:
    gone = unresolved(last_known=(target(),), declared=target())
    assert last_known(Point(resolutions=(gone,)).status()) == {}


def test_at_most_64_targets_of_a_backend_are_shown() -> None:
    many = [target(f"10.0.0.{i}", suffix=str(i)) for i in range(100)]
    found = last_known(Point(resolutions=(resolved(*many),)).status())
    assert found["a"].targets == tuple(many[:64])


@given(st.lists(TARGETS, min_size=1, max_size=3))
def test_targets_come_back_as_they_were(targets: list[Target]) -> None:
    found = Point(resolutions=(Resolved(tuple(targets)),)).status()
    assert last_known(found)["a"].targets == tuple(targets)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "a.ns:80",
        "ftp://a.ns:80",
        "http://",
        "http://user:pw@a.ns:80",
        "http://a.ns:0",
        "http://a.ns:70000",
        "http://a.ns:80/?q=1",
        "http://a.ns:80/#f",
        "http://a ns:80",
        "http://a.ns:80/v1/",
        7,
        None,
        ["http://a.ns:80"],
    ],
)
def test_what_is_no_url_of_ours_is_no_target(url: object) -> None:
    status = {"backends": [{"name": "a", "targets": [{"url": url}, "http://a.ns:80", None]}]}
    assert last_known(status) == {}


@pytest.mark.parametrize(
    "status",
    [
        {},
        {"backends": None, "config": None},
        {"backends": "x", "config": "x"},
        {"backends": [None, "x", {}, {"name": 1}], "config": {"defaultModel": 3}},
        {"backends": [{"name": "a", "targets": "http://a.ns:80"}], "config": {}},
        {"observedGeneration": -1},
    ],
)
def test_a_status_of_somebody_else_tells_nothing(status: dict[str, object]) -> None:
    assert last_known(status) == {}
    assert previous_default(status) is None
