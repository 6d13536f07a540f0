"""What the demo reads in objects: the facts that its steps check."""

from typing import Any

import pytest

from demo import views


def router(*, generation: int = 2, observed: int = 2, **status: Any) -> dict[str, Any]:
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "Running",
        "observedGeneration": observed,
    }
    return {"metadata": {"generation": generation}, "status": {"conditions": [ready], **status}}


def test_a_condition_is_read() -> None:
    assert views.condition(router(), "Ready") == ("True", "Running")


def test_a_condition_about_an_older_spec_is_not_believed() -> None:
    assert views.condition(router(observed=1), "Ready").status == "Unknown"


def test_a_condition_that_is_not_there_is_unknown() -> None:
    assert views.condition(router(), "Stalled") == ("Unknown", "")
    assert views.condition({"metadata": {"generation": 1}}, "Ready") == ("Unknown", "")


def test_a_backend_is_read_with_its_urls() -> None:
    found = {"name": "a", "state": "Resolved", "reason": "Resolved", "targets": [{"url": "u"}]}
    assert views.backend(router(backends=[found]), "a") == ("Resolved", "Resolved", ("u",))


def test_a_backend_that_is_not_there_is_nobody() -> None:
    assert views.backend(router(), "a") == views.NOBODY


def test_the_summary_names_ready_replicas_and_each_backend() -> None:
    lost = {"name": "a", "state": "Unresolved", "reason": "NotFound"}
    text = views.summary(router(backends=[lost], replicasSummary="1/2"))
    assert text == "Ready=True (Running), replicas 1/2, backends: a Unresolved/NotFound"


@pytest.mark.parametrize("wanted", ["demo True", "True 2/2", "demo 2/2"])
def test_words_that_stand_in_one_line_are_there(wanted: str) -> None:
    assert views.missing("NAME READY\ndemo   True   Running   2/2\n", (wanted,)) == []


@pytest.mark.parametrize("wanted", ["demo False", "NAME demo", "dem"])
def test_words_that_no_single_line_has_are_missing(wanted: str) -> None:
    assert views.missing("NAME READY\ndemo   True   Running   2/2\n", (wanted,)) == [wanted]


def test_pods_are_told_apart_by_uid() -> None:
    listed = {"items": [{"metadata": {"uid": "b"}}, {"metadata": {"uid": "a"}}]}
    assert views.pods(listed) == {"a", "b"}
