"""Answers of the API server -> errors, once, by status code."""

import re
from collections.abc import Mapping
from typing import Any

import orjson

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

MESSAGE_LIMIT = 1000
"""Characters of a message; a status has to stay small."""

_VALUE = re.compile(
    r"(Invalid value|Unsupported value|Duplicate value): (\"(?:[^\"\\]|\\.)*\"|.*?)(?=: |$)", re.S
)
"""A rejected value: of ours, it may carry what a user wrote, so it is not repeated."""


class ApiGone(TransientError):  # noqa: N818 - named as errors.py names them
    """410: the resourceVersion is too old; list again."""

    reason = "ApiGone"


class ApiUnauthorized(ApiUnreachable):
    """401: the credentials have expired or are wrong."""


_BY_CODE: Mapping[int, type[RouterError]] = {
    401: ApiUnauthorized,
    404: ApiNotFound,
    408: ApiUnreachable,
    409: ApiConflict,
    410: ApiGone,
}


def failure(code: int, body: bytes, *, about: str, retry_after: str | None = None) -> RouterError:
    """The error that an answer with this code means; the message begins with `about`.

    `body` is the answer's: a Status as JSON, or any text (which is not repeated).
    `retry_after` is the header's text, in seconds; a date is ignored.
    """
    status = _status(body)
    message = f"{about}: {_text(code, status)}"[:MESSAGE_LIMIT]
    seconds = _seconds(retry_after, status)
    if code == 403:
        return _forbidden(message, status)
    if code == 429:
        return ApiThrottled(message, retry_after=1.0 if seconds is None else seconds)
    if code == 422 and _is_another_object(status):
        return ApiConflict(message)
    known = _BY_CODE.get(code)
    if known is not None:
        return known(message)
    if 400 <= code < 500:
        return ObjectRejected(message, fields=_fields(status))
    return ApiUnreachable(message, retry_after=seconds)


def status_failure(status: Mapping[str, Any], *, about: str) -> RouterError:
    """The error that a Status object inside a watch means."""
    return failure(int(status.get("code") or 500), orjson.dumps(status), about=about)


def _forbidden(message: str, status: Mapping[str, Any]) -> RouterError:
    """Our own rights (ApiForbidden), a namespace that goes away, or an admission check."""
    text = str(status.get("message", ""))
    causes = (status.get("details") or {}).get("causes") or ()
    if any(cause.get("reason") == "NamespaceTerminating" for cause in causes):
        return ApiConflict(message)
    if not text or re.search(r'User "[^"]*" cannot ', text):
        return ApiForbidden(message)
    return ObjectRejected(message)


def _is_another_object(status: Mapping[str, Any]) -> bool:
    """An apply that carries a uid meets an object with another one: the field is immutable."""
    causes = (status.get("details") or {}).get("causes") or ()
    return bool(causes) and all(cause.get("field") == "metadata.uid" for cause in causes)


def _status(body: bytes) -> Mapping[str, Any]:
    try:
        status = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return status if isinstance(status, dict) and status.get("kind") == "Status" else {}


def _text(code: int, status: Mapping[str, Any]) -> str:
    if (found := _fields(status)) and code == 422:
        return "; ".join(f"{field}: {text}" for field, text in found)
    return _without_value(str(status.get("message") or f"the API server answered {code}"))


def _fields(status: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """(field path, what is wrong with it), as far as the API server says it."""
    causes = (status.get("details") or {}).get("causes") or ()
    return tuple(
        (str(cause["field"]), _without_value(str(cause["message"])))
        for cause in causes
        if cause.get("field") and cause.get("message")
    )


def _without_value(message: str) -> str:
    return _VALUE.sub(lambda match: match[1], message)


def _seconds(header: str | None, status: Mapping[str, Any]) -> float | None:
    text = header or (status.get("details") or {}).get("retryAfterSeconds")
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None
