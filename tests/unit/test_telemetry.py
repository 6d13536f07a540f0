"""What a scrape of the operator's metrics shows."""

from typing import Any

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from semantic_router_operator import __version__
from semantic_router_operator.telemetry import Telemetry

PREFIX = "semantic_router_operator_"
Sample = tuple[str, frozenset[tuple[str, str]]]


def scraped(telemetry: Telemetry) -> dict[Sample, float]:
    """(name without prefix, labels) -> value."""
    text = generate_latest(telemetry.registry).decode()
    return {
        (sample.name.removeprefix(PREFIX), frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(telemetry: Telemetry, name: str, **labels: str) -> float | None:
    return scraped(telemetry).get((name, frozenset(labels.items())))


def status(ready: str = "True", *states: str) -> dict[str, Any]:
    return {
        "conditions": [{"type": "Ready", "status": ready}],
        "backends": [{"name": str(number), "state": state} for number, state in enumerate(states)],
    }


def test_a_pass_is_counted_by_its_result() -> None:
    telemetry = Telemetry()
    telemetry.passed("success", 0.01)
    telemetry.passed("success", 0.03)
    telemetry.passed("error", 1.0)
    assert value(telemetry, "reconcile_duration_seconds_count", result="success") == 2
    assert value(telemetry, "reconcile_duration_seconds_sum", result="success") == 0.04
    assert value(telemetry, "reconcile_duration_seconds_count", result="error") == 1


def test_the_time_in_the_queue_is_measured() -> None:
    telemetry = Telemetry()
    telemetry.waited(0.5)
    assert value(telemetry, "queue_wait_seconds_sum") == 0.5


def test_requests_are_counted_by_verb_resource_and_code() -> None:
    telemetry = Telemetry()
    telemetry.requested("PATCH", "deployments", 200, 0.1)
    telemetry.requested("PATCH", "deployments", 200, 0.1)
    telemetry.requested("GET", "services", 0, 10.0)
    patch = {"verb": "PATCH", "resource": "deployments", "code": "200"}
    assert value(telemetry, "api_requests_total", **patch) == 2
    none = {"verb": "GET", "resource": "services", "code": "0"}
    assert value(telemetry, "api_requests_total", **none) == 1


def test_how_long_a_watch_lasts_is_not_taken_for_a_slow_request() -> None:
    telemetry = Telemetry()
    telemetry.requested("WATCH", "services", 200, 300.0)
    telemetry.requested("GET", "services", 200, 0.1)
    assert value(telemetry, "api_request_duration_seconds_count", verb="WATCH") is None
    assert value(telemetry, "api_request_duration_seconds_count", verb="GET") == 1
    watch = {"verb": "WATCH", "resource": "services", "code": "200"}
    assert value(telemetry, "api_requests_total", **watch) == 1


def test_conditions_and_backends_are_summed_up_over_routers() -> None:
    telemetry = Telemetry()
    telemetry.published("a", status("True", "Resolved", "Unresolved"))
    telemetry.published("b", status("False", "Resolved"))
    assert value(telemetry, "routers") == 2
    assert value(telemetry, "router_conditions", type="Ready", status="True") == 1
    assert value(telemetry, "router_conditions", type="Ready", status="False") == 1
    assert value(telemetry, "backends", state="Resolved") == 2
    assert value(telemetry, "backends", state="Unresolved") == 1


def test_a_router_counts_with_its_last_status_only() -> None:
    telemetry = Telemetry()
    telemetry.published("a", status("False", "Unresolved"))
    telemetry.published("a", status("True", "Resolved"))
    assert value(telemetry, "router_conditions", type="Ready", status="False") is None
    assert value(telemetry, "backends", state="Unresolved") is None


def test_a_deleted_router_leaves_nothing_behind() -> None:
    telemetry = Telemetry()
    before = scraped(telemetry)
    telemetry.published("a", status("True", "Resolved"))
    telemetry.forgotten("a")
    telemetry.forgotten("never seen")
    assert scraped(telemetry) == before


def test_no_router_name_becomes_a_label() -> None:
    telemetry = Telemetry()
    telemetry.published(("team", "secret-project"), status("True", "Resolved"))
    assert "secret-project" not in generate_latest(telemetry.registry).decode()


def test_a_status_without_parts_is_no_problem() -> None:
    telemetry = Telemetry()
    telemetry.published("a", {})
    assert value(telemetry, "routers") == 1


def test_the_build_is_named() -> None:
    found = [labels for name, labels in scraped(Telemetry()) if name == "build_info"]
    assert [dict(labels)["version"] for labels in found] == [__version__]


def test_two_operators_in_one_process_do_not_share_counters() -> None:
    first, second = Telemetry(), Telemetry()
    first.passed("success", 0.1)
    assert value(second, "reconcile_duration_seconds_count", result="success") is None


def test_every_metric_is_ours_by_name_and_has_a_help_text() -> None:
    text = generate_latest(Telemetry().registry).decode()
    families = list(text_string_to_metric_families(text))
    assert {
        "reconcile_duration_seconds",
        "queue_wait_seconds",
        "asyncio_tasks",
        "queue_depth",
        "api_requests",
        "api_request_duration_seconds",
        "leader",
        "build_info",
        "routers",
        "router_conditions",
        "backends",
    } == {family.name.removeprefix(PREFIX).removesuffix("_created") for family in families}
    assert all(family.name.startswith(PREFIX) and family.documentation for family in families)
