"""Errors say who must act: UserError (edit the spec) or TransientError (we retry).

A backend that is not there yet is neither: it is a value (`model.resolution.Unresolved`).
"""

from typing import ClassVar


class RouterGone(Exception):
    """The router is gone, going, or another one of the same name: a pass ends there, since there
    is nothing to write a status on."""


class RouterError(Exception):
    """What a pass may end with besides success. `reason` becomes a condition's reason."""

    reason: ClassVar[str]

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UserError(RouterError):
    """The spec must change. The message begins with the field path and says what to do."""


class InvalidSpec(UserError):
    """A value that the schema let through and the operator can't work with."""

    reason = "InvalidSpec"


class NameConflict(UserError):
    """An object of the wanted name exists and belongs to somebody else."""

    reason = "NameConflict"


class ObjectRejected(UserError):
    """The API server refused an object for what is in it (422, 400, admission 403).

    `fields` are (path in the object, what is wrong); none where a quota or a policy refused it.
    """

    reason = "ObjectRejected"

    def __init__(self, message: str, *, fields: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.fields = fields


class TransientError(RouterError):
    """Trying again may help. `retry_after` in seconds, where the API server said it."""

    reason = "ApiError"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ApiUnreachable(TransientError):
    """No answer, a time-out, or 5xx."""

    reason = "ApiUnreachable"


class ApiConflict(TransientError):
    """409: somebody changed or replaced the object meanwhile."""

    reason = "ApiConflict"


class ApiThrottled(TransientError):
    """429."""

    reason = "ApiThrottled"


class ApiForbidden(TransientError):
    """403 on our own rights: the operator's RBAC must be mended, then a retry succeeds."""

    reason = "ApiForbidden"


class ApiNotFound(TransientError):
    """404: the object, or its whole kind, isn't there."""

    reason = "ApiNotFound"
