"""The operator as a process: everything is wired here, and runs until it is told to end."""

import asyncio
import contextlib
import logging
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, cast

import kopf

from semantic_router_operator import __version__, handlers, names
from semantic_router_operator.cli.allocator import give_large_blocks_back
from semantic_router_operator.cli.http_server import health, metrics, serving
from semantic_router_operator.cli.memo import Memo
from semantic_router_operator.cluster.assembly import Cluster, Listed
from semantic_router_operator.cluster.client import Client
from semantic_router_operator.cluster.clock import SystemClock
from semantic_router_operator.cluster.credentials import Credentials
from semantic_router_operator.cluster.lease import Election, Terms
from semantic_router_operator.controller import Controller
from semantic_router_operator.discovery import DiscoveryPolicy
from semantic_router_operator.errors import RouterError
from semantic_router_operator.model.body import RouterKey
from semantic_router_operator.objects import Images
from semantic_router_operator.ports import Clock
from semantic_router_operator.reconcile import World
from semantic_router_operator.settings import Settings
from semantic_router_operator.telemetry import Telemetry

logger = logging.getLogger(__name__)

CRD_RETRY_SECONDS = 2.0
SILENT_SECONDS = 20.0
"""/readyz fails when no cache has heard from the API server for so long, and none hears it now."""


def run(settings: Settings, clock: Clock | None = None) -> int:
    """Runs the operator until SIGTERM or SIGINT (exit code 0), or until the lead is lost (1).

    `clock` is the machine's unless somebody wants to see what another one does.
    """
    logging.basicConfig(
        stream=sys.stderr,
        level=settings.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    give_large_blocks_back()
    logging.getLogger("kopf").setLevel(logging.WARNING)
    try:
        return asyncio.run(_Process(settings, clock or SystemClock()).main())
    except (RouterError, OSError) as error:
        logger.error("the operator can't start: %s", error)  # noqa: TRY400 - nothing to trace
        return 1


class _Process:
    """One life of the operator."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._telemetry = Telemetry()
        self._clock = clock
        self._stop = asyncio.Event()
        self._identity = settings.identity or f"{socket.gethostname()}_{secrets.token_hex(4)}"
        self._listed = False
        self.relisted = time.monotonic()
        """When the routers were listed last, or an attempt has failed."""
        self._refused: frozenset[str] = frozenset()
        """Watched namespaces without a right to list routers; a list each RELIST_SECONDS asks
        again."""

    async def main(self) -> int:
        """Everything, in the order in which it is needed; and back."""
        logger.info("semantic-router-operator %s", __version__)
        self._heed_signals()
        credentials = await Credentials.load()
        settings = self._settings
        async with contextlib.AsyncExitStack() as stack:
            client = await stack.enter_async_context(
                Client(
                    credentials,
                    concurrency=settings.api_concurrency,
                    on_request=self._telemetry.requested,
                )
            )
            cluster, controller = self._wire(client)
            await self._serve(stack, cluster)
            cluster.start()
            election = Election(client, self._clock, self._terms())
            stack.push_async_callback(election.stop)
            stack.push_async_callback(cluster.stop)
            if settings.leader_election:
                client.may_write = lambda: election.is_leader
            await self._until_ended(Memo(controller, credentials), cluster, election)
            return 0 if self._stop.is_set() else 1

    def _heed_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for signum in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(signum, self._stop.set)

    def _wire(self, client: Client) -> tuple[Cluster, Controller]:
        settings = self._settings
        self._telemetry.tasks.set_function(lambda: len(asyncio.all_tasks()))

        def wake(namespace: str, name: str) -> None:
            controller.wake(RouterKey(namespace, name))

        def platform_changed() -> None:
            controller.wake_all()

        cluster = Cluster(
            client,
            settings,
            self._clock,
            wake=wake,
            on_platform=platform_changed,
        )
        world = World(
            references=cluster.caches,
            cluster=cluster.writer,
            clock=self._clock,
            policy=DiscoveryPolicy(
                cluster_domain=settings.cluster_domain, cross_namespace=settings.cross_namespace
            ),
            images=Images(
                cpu=settings.image_cpu,
                nvidia=settings.image_nvidia,
                amd=settings.image_amd,
                arm64=settings.image_arm64,
            ),
        )
        controller = Controller(
            world=world,
            publisher=cluster.publisher,
            adoption=cluster.adoption,
            interests=cluster,
            telemetry=self._telemetry,
            settings=settings,
        )
        return cluster, controller

    async def _serve(self, stack: contextlib.AsyncExitStack, cluster: Cluster) -> None:
        settings = self._settings
        probes = health(self._liveness(cluster), self._readiness(cluster))
        address = settings.bind_address
        await stack.enter_async_context(serving(probes, address, settings.health_port))
        exported = metrics(self._telemetry.registry)
        await stack.enter_async_context(serving(exported, address, settings.metrics_port))

    def _liveness(self, cluster: Cluster) -> Callable[[], str | None]:
        def check() -> str | None:
            limit = self._settings.liveness_seconds
            if cluster.silent_seconds > limit:
                return "a watch has made no progress for too long"
            since = time.monotonic() - self.relisted - self._settings.relist_seconds
            return "the routers haven't been listed for too long" if since > limit else None

        return check

    def _readiness(self, cluster: Cluster) -> Callable[[], str | None]:
        def check() -> str | None:
            if not self._listed:
                return "the SemanticRouters have not been listed yet"
            silent = cluster.unheard_seconds > SILENT_SECONDS
            return "the API server has not been heard of" if silent else None

        return check

    def _terms(self) -> Terms:
        settings = self._settings
        return Terms(namespace=settings.lease_namespace or "default", identity=self._identity)

    async def _until_ended(self, memo: Memo, cluster: Cluster, election: Election) -> None:
        """Runs every task until we are told to end, or one of them ends: none does by itself."""
        controller = memo.controller
        if not await self._list_first(controller, cluster):
            return
        tasks = [
            asyncio.create_task(self._stop.wait(), name="stop"),
            asyncio.create_task(self._watch_routers(memo), name="kopf"),
            asyncio.create_task(self._relist(controller, cluster), name="relist"),
            asyncio.create_task(self._lead(controller, cluster, election), name="lead"),
            asyncio.create_task(controller.run(), name="controller"),
        ]
        done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        for task in done:
            if task.exception() is not None:
                logger.error("%s ended", task.get_name(), exc_info=task.exception())

    async def _watch_routers(self, memo: Memo) -> None:
        """kopf's part, until we are cancelled; it ends by itself only when something is wrong.

        Its own runner takes the signals over, and in the end it waits 5 s for every task of the
        loop and cancels it; so we run its tasks ourselves, and take the signals back. It is told
        who we are: by itself it looks up the user's name, and the uid of a pod may have none.
        """
        watched = self._settings.watched
        tasks = await kopf.spawn_tasks(
            identity=cast("Any", self._identity),  # its type has no public name
            registry=kopf.get_default_registry(),
            memo=memo,
            standalone=True,
            clusterwide=not watched,
            namespaces=tuple(space for space in watched if space not in self._refused),
        )
        self._heed_signals()
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()

    async def _list_first(self, controller: Controller, cluster: Cluster) -> bool:
        """Waits until the CRD is there; False when we were told to end before."""
        while not self._stop.is_set():
            try:
                found = await self._routers(cluster)
            except RouterError as error:
                logger.warning("%s can't be listed yet: %s", names.PLURAL, error.message)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), CRD_RETRY_SECONDS)
            else:
                controller.saw_all(found.bodies, listed=set())
                self._listed, self._refused = True, found.refused
                for space in sorted(found.refused):
                    logger.warning("%s: no right to list %s; left out", space, names.PLURAL)
                return True
        return False

    async def _routers(self, cluster: Cluster) -> Listed:
        try:
            return await cluster.routers()
        finally:
            self.relisted = time.monotonic()

    async def _relist(self, controller: Controller, cluster: Cluster) -> None:
        """Heals what kopf's watch has lost (field case KO-03)."""
        while True:
            await asyncio.sleep(self._settings.relist_seconds)
            await self._catch_up(controller, cluster)

    async def _catch_up(self, controller: Controller, cluster: Cluster) -> bool:
        """The routers as they are now; whether they could be listed."""
        known = controller.known
        try:
            found = await self._routers(cluster)
        except RouterError as error:
            logger.warning("%s not listed: %s", names.PLURAL, error.message)
            return False
        listed = {key for key in known if key.namespace not in found.refused}
        controller.saw_all(found.bodies, listed=listed)
        return True

    async def _lead(self, controller: Controller, cluster: Cluster, election: Election) -> None:
        """Ends when the lead is lost: a process that may have been replaced must not write.

        Before it acts, a new leader lists the routers: what it has heard of them as a standby may
        be behind, and a spec of yesterday would take everything back to it.
        """
        if self._settings.leader_election:
            election.start()
            await election.lead()
            while not await self._catch_up(controller, cluster):
                await asyncio.sleep(CRD_RETRY_SECONDS)
                if not election.is_leader:
                    return
        controller.lead()
        await election.lost()


__all__ = ["handlers", "run"]
