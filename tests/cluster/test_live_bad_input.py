"""Whatever the API server lets through: it is told, what ran runs on, nobody else notices."""

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from cluster.live_objects import (
    Audit,
    Object,
    Place,
    Refused,
    by_service,
    conditions,
    new_place,
    until,
)
from controlplane import ControlPlane
from installation import OperatorProcess

TABLE = yaml.safe_load((Path(__file__).parent / "data" / "bad_routers.yaml").read_text())
HUGE = {"routing": {"decisions": [{"name": "d", "description": "x" * 1_100_000}]}}
TABLE.append(
    {"name": "too-large", "reason": "ConfigTooLarge", "path": "spec", "spec": {"config": HUGE}}
)
ROWS = pytest.mark.parametrize("bad", TABLE, ids=[bad["name"] for bad in TABLE])
GOOD = "neighbour"
QUIET_SECONDS = 3.0
MOST_WRITES = 6
"""ServiceAccount, ConfigMap, Service, Deployment, and the status twice."""


class Spoilt(NamedTuple):
    """A namespace with every bad router beside a good one, the audit log of its making, and what
    the API server said of the routers that it refused by itself."""

    place: Place
    audit: Audit
    refused: dict[str, str]


@pytest.fixture(scope="module")
def spoilt(control_plane: ControlPlane, operator: OperatorProcess) -> Iterator[Spoilt]:
    with new_place(control_plane, "bad-input") as place:
        place.service("model")
        place.router(GOOD)
        place.ready(GOOD)
        audit, refused = Audit.of(control_plane), {}
        for bad in TABLE:
            spec = {"vllmEndpoints": [by_service("model")], **bad["spec"]}
            try:
                place.create("sr", bad["name"], spec=spec)
            except Refused as error:
                refused[bad["name"]] = str(error)
        waiting = {bad["name"] for bad in TABLE} - refused.keys()
        until(lambda: all(conditions(place.the("sr", name)) for name in waiting))
        yield Spoilt(place, audit, refused)


@ROWS
def test_a_bad_router_is_told_what_is_wrong_and_where(spoilt: Spoilt, bad: Object) -> None:
    place, name = spoilt.place, bad["name"]
    if name in spoilt.refused:
        assert bad["path"].partition("[")[0] in spoilt.refused[name]
        return
    ready = place.condition(name, "Ready", "False", reason=bad["reason"])
    assert ready["message"].startswith(bad["path"])
    assert place.condition(name, "Stalled", "True")["message"] == ready["message"]
    status = place.the("sr", name)["status"]
    assert "Traceback" not in str(status)
    assert status["observedGeneration"] == 1


def test_the_api_server_lets_most_of_them_through(spoilt: Spoilt) -> None:
    assert len(TABLE) - len(spoilt.refused) >= 40


def test_a_neighbour_of_bad_routers_is_ready_and_reacts(spoilt: Spoilt) -> None:
    place = spoilt.place
    assert place.conditions(GOOD)["Ready"]["status"] == "True"
    place.service("other")
    began = time.monotonic()
    place.edit(GOOD, vllmEndpoints=[by_service("model"), by_service("other")])
    until(lambda: len(place.the("sr", GOOD)["status"]["backends"]) == 2, seconds=5)
    place.ready(GOOD)
    assert time.monotonic() - began < 10


def test_a_bad_router_is_not_written_to_again_and_again(spoilt: Spoilt) -> None:
    time.sleep(QUIET_SECONDS)  # time for retries that must not come
    found = spoilt.audit.writes(namespace=spoilt.place.namespace)
    by_router = Counter(line.split()[-1].removesuffix("-config") for line in found)
    assert by_router.keys() >= {bad["name"] for bad in TABLE} - spoilt.refused.keys()
    assert {name: n for name, n in by_router.items() if n > MOST_WRITES and name != GOOD} == {}


def test_the_log_of_the_operator_has_no_traceback(
    spoilt: Spoilt, operator: OperatorProcess
) -> None:
    assert spoilt.place.all("sr")
    assert "Traceback" not in operator.log.read_text()


@pytest.mark.parametrize(
    "name",
    ["a" * 63, "b" * 64, "c" * 200, f"{'d' * 80}-1", "dots.in.it", "7-leads", "x" * 253],
    ids=["63", "64", "200", "81", "dots", "digit", "253"],
)
def test_an_odd_name_makes_legal_objects_and_the_router_is_ready(place: Place, name: str) -> None:
    place.service("model")
    place.router(name, autoscaling={"enabled": True}, resources={"requests": {"cpu": "1"}})
    router = place.ready(name)
    (deployment,) = place.all("deployment")
    assert len(deployment["metadata"]["name"]) <= 63
    assert deployment["metadata"]["ownerReferences"][0]["name"] == name
    service = place.the("service", deployment["metadata"]["name"])
    assert service["spec"]["selector"] == deployment["spec"]["selector"]["matchLabels"]
    assert len(place.all("pod", router["status"]["selector"])) == 1
    assert {event["regarding"]["name"] for event in place.all("event")} >= {name}


def test_long_names_that_begin_alike_do_not_meet(place: Place) -> None:
    place.service("model")
    routers = [f"{'e' * 80}-{number}" for number in range(2)]
    for name in routers:
        place.router(name)
    for name in routers:
        place.ready(name)
    assert len(place.all("deployment")) == 2
    selectors = {place.the("sr", name)["status"]["selector"] for name in routers}
    assert len(selectors) == 2
    for selector in selectors:
        assert len(place.all("pod", selector)) == 1
