"""The body of a write, which asks at the last moment whether we still may.

Between the decision to write and the bytes on the wire lie a pool of connections, TCP and TLS; a
process may be stopped there for a minute, and another replica lead by then, and it alone
may write.
"""

from collections.abc import Callable

from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import BytesPayload
from typing_extensions import override


class NotLeading(Exception):  # noqa: N818 - no error of anyone
    """Nothing of the body was sent."""


class FencedBody(BytesPayload):
    """Bytes that are sent only if `may_write()` says so when the connection is there. Headers wait
    for them, so that the API server has nothing to act upon otherwise."""

    def __init__(self, value: bytes, may_write: Callable[[], bool]) -> None:
        super().__init__(value)
        self._may_write = may_write

    @override
    async def write_with_length(
        self, writer: AbstractStreamWriter, content_length: int | None
    ) -> None:
        if not self._may_write():
            raise NotLeading
        await super().write_with_length(writer, content_length)
