"""The outside of a pass, by hand: every port, with what went in and what goes wrong on demand."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from fakes.cluster_view import FakeView
from semantic_router_operator import names
from semantic_router_operator.discovery import DiscoveryPolicy
from semantic_router_operator.errors import RouterGone
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    AppliedObject,
    ChildKey,
    DeploymentFacts,
    Manifest,
    Observed,
    Recorded,
    Revision,
    RevisionFacts,
)
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import Images
from semantic_router_operator.objects.deployment import template_digest
from semantic_router_operator.ports import ClusterView
from semantic_router_operator.reconcile import World

T = TypeVar("T")
NOW = datetime(2026, 11, 30, 10, 0, 0, tzinfo=UTC)
RUNNING = DeploymentFacts(
    generation=1,
    observed_generation=1,
    wanted=1,
    replicas=1,
    updated=1,
    ready=1,
    available=1,
    conditions={"Progressing": ("True", "NewReplicaSetAvailable", "")},
)


class FakeClock:
    """Stands still until somebody moves it."""

    def __init__(self) -> None:
        self.moment = NOW

    def now(self) -> datetime:
        return self.moment


class FakeReferences:
    """Answers from a view. `hold` stops a router's question until the event is set; `broken` is
    what is raised for it."""

    def __init__(self, view: ClusterView) -> None:
        self.view = view
        self.asked: list[str] = []
        self._held: dict[str, asyncio.Event] = {}
        self.broken: dict[str, Exception] = {}

    def hold(self, name: str) -> asyncio.Event:
        self._held[name] = asyncio.Event()
        return self._held[name]

    async def consult(self, router: SemanticRouter, ask: Callable[[ClusterView], T]) -> T:
        self.asked.append(router.name)
        if router.name in self._held:
            await self._held[router.name].wait()
        if router.name in self.broken:
            raise self.broken[router.name]
        return ask(self.view)


class FakeCluster:
    """Takes what is applied. `outcomes` by kind replace "unchanged"; `good` is what is live."""

    def __init__(self) -> None:
        self.platforms: Platform | Exception = Platform()
        self.good: CanonicalConfig | None = None
        self.outcomes: dict[str, Mapping[str, Any]] = {}
        self.seen = Observed(deployment=RUNNING)
        self.applied: list[tuple[str, tuple[Manifest, ...], tuple[ChildKey, ...]]] = []
        self.revisions: list[Revision] = []
        self.live: dict[str, str] = {}
        """Router -> digest of the document in its ConfigMap."""
        self.gone: set[str] = set()
        """Names of routers that aren't there any more."""

    async def ready(self) -> None:
        """Everything is known from the start."""

    async def platform(self) -> Platform:
        if isinstance(self.platforms, Exception):
            raise self.platforms
        return self.platforms

    async def last_good(self, router: SemanticRouter) -> CanonicalConfig | None:
        return self.good

    async def apply(
        self, router: SemanticRouter, manifests: Sequence[Manifest], keep: Sequence[ChildKey]
    ) -> tuple[AppliedObject, ...]:
        if router.name in self.gone:
            raise RouterGone
        self.applied.append((router.name, tuple(manifests), tuple(keep)))
        for manifest in manifests:
            if manifest.kind == CONFIG_MAP and "ConfigMap" not in self.outcomes:
                annotations = manifest.body["metadata"]["annotations"]
                self.live[router.name] = annotations[names.ANNOTATION_CONFIG_DIGEST]
        return tuple(self._outcome(manifest.key) for manifest in manifests)

    async def record(
        self,
        router: SemanticRouter,
        config: CanonicalConfig,
        pods: Mapping[str, Any],
        *,
        keep: Collection[int],
    ) -> Recorded:
        newest = self.revisions[-1] if self.revisions else None
        if newest is None or (newest.config, newest.template) != (config, pods):
            self.revisions.append(Revision(len(self.revisions) + 1, config, pods))
        return Recorded(len(self.revisions))

    def history(self, router: SemanticRouter) -> tuple[RevisionFacts, ...]:
        return tuple(
            RevisionFacts(
                item.number,
                item.config.digest,
                template_digest(item.template or {}),
                item.config.settings_digest,
            )
            for item in self.revisions
        )

    async def revision(self, router: SemanticRouter, number: int) -> Revision | None:
        return next((item for item in self.revisions if item.number == number), None)

    def observe(self, router: SemanticRouter) -> Observed:
        return replace(self.seen, live_digest=self.live.get(router.name))

    def document(self) -> str | None:
        """config.yaml of the last pass, None when it applied none."""
        for manifest in self.applied[-1][1]:
            if manifest.kind == CONFIG_MAP:
                return str(manifest.body["data"]["config.yaml"])
        return None

    def _outcome(self, key: ChildKey) -> AppliedObject:
        return AppliedObject(
            key, **{"outcome": "unchanged", **self.outcomes.get(key.kind.kind, {})}
        )


class FakeWorld:
    """A World, and its parts by name."""

    def __init__(self, objects: Iterable[Mapping[str, Any]] = (), **view: Any) -> None:
        self.references = FakeReferences(FakeView(objects, **view))
        self.cluster = FakeCluster()
        self.clock = FakeClock()
        self.world = World(
            references=self.references,
            cluster=self.cluster,
            clock=self.clock,
            policy=DiscoveryPolicy(),
            images=Images(),
        )


def router_body(
    name: str = "r", *, generation: int = 1, version: int = 1, **spec: Any
) -> dict[str, Any]:
    """A SemanticRouter as a watch brings it."""
    return {
        "apiVersion": "vllm.ai/v1alpha1",
        "kind": "SemanticRouter",
        "metadata": {
            "name": name,
            "namespace": "ns",
            "uid": f"uid-{name}",
            "generation": generation,
            "resourceVersion": str(version),
        },
        "spec": spec,
    }


def by_service(name: str, *, model: str = "m", **more: Any) -> dict[str, Any]:
    """An entry of spec.vllmEndpoints that refers to the Service of that name."""
    backend = {"type": "service", "service": {"name": name, "port": 8000}}
    return {"name": name, "model": model, "backend": backend, **more}


def by_url(name: str, *, model: str = "m", **more: Any) -> dict[str, Any]:
    """An entry that needs no look at the cluster."""
    backend = {"type": "url", "url": f"http://{name}.example.com:8000"}
    return {"name": name, "model": model, "backend": backend, **more}
