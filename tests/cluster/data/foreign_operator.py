"""Somebody else's operator on kopf, which announces itself in the peering `default`."""

from typing import Any

import kopf


@kopf.on.event("", "v1", "configmaps")
async def seen(**_: Any) -> None:
    """It has nothing to do."""
