"""kopf handlers: a table of contents. kopf watches SemanticRouters; all else is ours.

Only low-level event handlers: they keep nothing on the CR, need no finalizer, and their loss of an
event is healed by the controller's own list (docs/adr/0001).
"""

from typing import Protocol

import kopf

from semantic_router_operator import names
from semantic_router_operator.controller import Controller


class Operator(Protocol):
    """What the handlers hand on to; kopf passes it as `memo`."""

    controller: Controller

    async def connection(self) -> kopf.ConnectionInfo:
        """How to reach the API server, with credentials that are valid now."""


@kopf.on.login(errors=kopf.ErrorsMode.TEMPORARY)
async def log_in(memo: Operator, **_: object) -> kopf.ConnectionInfo:
    """Lends kopf the connection that everything else uses."""
    return await memo.connection()


@kopf.on.startup()
async def configure(settings: kopf.OperatorSettings, **_: object) -> None:
    """Switches off what writes, and sets every time-out (field cases KO-03, KO-06, KO-08)."""
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.peering.standalone = True
    settings.queueing.idle_timeout = 1.0
    settings.watching.server_timeout = 300
    settings.watching.client_timeout = 330
    settings.watching.connect_timeout = 10
    settings.watching.chunk_size = 500
    settings.networking.request_timeout = 60
    settings.networking.connect_timeout = 10


@kopf.on.event(names.GROUP, names.VERSION, names.PLURAL)
async def router_changed(event: kopf.RawEvent, memo: Operator, **_: object) -> None:
    """A SemanticRouter was listed, added, changed or deleted."""
    memo.controller.saw(event["object"], deleted=event["type"] == "DELETED")
