"""Answers of the API server become errors by their status code."""

import json
from typing import Any

import pytest

from semantic_router_operator.cluster.failures import (
    ApiGone,
    ApiUnauthorized,
    failure,
    status_failure,
)
from semantic_router_operator.errors import (
    ApiConflict,
    ApiForbidden,
    ApiNotFound,
    ApiThrottled,
    ApiUnreachable,
    ObjectRejected,
    RouterError,
    TransientError,
)


def status(message: str, **details: Any) -> bytes:
    return json.dumps({"kind": "Status", "message": message, "details": details}).encode()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (400, ObjectRejected),
        (401, ApiUnauthorized),
        (403, ApiForbidden),
        (404, ApiNotFound),
        (405, ObjectRejected),
        (408, ApiUnreachable),
        (409, ApiConflict),
        (410, ApiGone),
        (413, ObjectRejected),
        (422, ObjectRejected),
        (429, ApiThrottled),
        (500, ApiUnreachable),
        (503, ApiUnreachable),
        (504, ApiUnreachable),
    ],
)
def test_every_code_has_its_class(code: int, kind: type[RouterError]) -> None:
    error = failure(code, b"<html>secret</html>", about="GET /x")
    assert type(error) is kind
    assert error.message.startswith("GET /x: ")
    assert "secret" not in error.message


@pytest.mark.parametrize(("code", "header"), [(429, "7"), (503, "7"), (500, "7")])
def test_the_server_says_when_to_come_back(code: int, header: str) -> None:
    error = failure(code, b"", about="x", retry_after=header)
    assert isinstance(error, TransientError)
    assert error.retry_after == 7.0


def test_a_throttled_answer_without_a_time_means_a_second() -> None:
    error = failure(429, b"", about="x", retry_after="Wed, 21 Oct 2026 07:28:00 GMT")
    assert isinstance(error, ApiThrottled)
    assert error.retry_after == 1.0


def test_the_time_may_be_in_the_status() -> None:
    error = failure(429, status("slow", retryAfterSeconds=3), about="x")
    assert isinstance(error, ApiThrottled)
    assert error.retry_after == 3.0


def test_our_own_rights_are_told_from_what_admission_refuses() -> None:
    ours = status('configmaps "x" is forbidden: User "me" cannot get resource "configmaps"')
    theirs = status('pods "x" is forbidden: violates PodSecurity "restricted:latest"')
    assert isinstance(failure(403, ours, about="x"), ApiForbidden)
    assert isinstance(failure(403, theirs, about="x"), ObjectRejected)


def test_a_namespace_that_goes_away_is_no_fault_of_the_spec() -> None:
    text = status("forbidden", causes=[{"reason": "NamespaceTerminating", "field": "metadata"}])
    assert isinstance(failure(403, text, about="x"), ApiConflict)


def test_an_apply_that_meets_another_object_of_that_name_is_a_conflict() -> None:
    text = status("invalid", causes=[{"field": "metadata.uid", "message": "immutable"}])
    assert isinstance(failure(422, text, about="x"), ApiConflict)


def test_a_refused_value_is_not_repeated() -> None:
    causes = [
        {"field": "spec.a", "message": 'Invalid value: "hunter2 \\"quoted\\"": must be short'},
        {"field": "spec.b", "message": "Required value: give one"},
    ]
    error = failure(422, status("x is invalid", causes=causes), about="PATCH /x")
    assert error.message == (
        "PATCH /x: spec.a: Invalid value: must be short; spec.b: Required value: give one"
    )


def test_a_long_message_is_cut() -> None:
    assert len(failure(400, status("m" * 5000), about="x").message) == 1000


def test_a_status_in_a_watch_is_an_error_like_any_other() -> None:
    assert isinstance(status_failure({"code": 410, "message": "old"}, about="x"), ApiGone)
    assert isinstance(status_failure({}, about="x"), ApiUnreachable)
