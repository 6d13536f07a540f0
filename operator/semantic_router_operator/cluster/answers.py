"""The bytes of an answer -> JSON objects. Raises ApiUnreachable for what is none."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import orjson

from semantic_router_operator.errors import ApiUnreachable


def parsed(body: bytes, *, about: str) -> dict[str, Any]:
    """One object; `about` names the request."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        answer = None
    if not isinstance(answer, dict):
        text = f"{about}: the answer is no JSON object"
        raise ApiUnreachable(text)
    return answer


async def lines(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    """One JSON object per line, of any length."""
    rest = b""
    async for chunk in response.content.iter_any():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if line:
                try:
                    yield orjson.loads(line)
                except orjson.JSONDecodeError:
                    text = "a watch sent something that is no JSON"
                    raise ApiUnreachable(text) from None
