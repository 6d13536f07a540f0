"""What kopf hands to the handlers."""

import asyncio
from dataclasses import dataclass

import kopf

from semantic_router_operator.cluster.credentials import Credentials
from semantic_router_operator.controller import Controller

AGAIN_SECONDS = 2.0
"""Before credentials are lent once more: those of before were refused just now."""


@dataclass(slots=True)
class Memo:
    """The controller, and a connection to lend."""

    controller: Controller
    credentials: Credentials
    again_seconds: float = AGAIN_SECONDS
    lent: int = 0

    async def connection(self) -> kopf.ConnectionInfo:
        """Our own connection, in kopf's form; asked for again, read anew.

        kopf breaks down when it is given what it was refused with before (its `Vault`), though that
        may be good by now: an API server that starts refuses everybody, a kubelet may be late with
        the next token. With a priority of its own, no connection equals another.
        """
        if self.lent:
            await asyncio.sleep(self.again_seconds)
            await self.credentials.renew()
        self.lent += 1
        known = await self.credentials.connection()
        return kopf.ConnectionInfo(
            server=known.server,
            ca_path=known.ca_path,
            certificate_path=known.certificate_path,
            private_key_path=known.private_key_path,
            scheme=known.scheme,
            token=known.token,
            insecure=known.insecure,
            proxy_url=known.proxy,
            priority=self.lent,
        )
