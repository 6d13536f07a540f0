"""The entries of spec.vllmEndpoints with what discovery found, grouped by model."""

from collections.abc import Mapping
from dataclasses import dataclass

from semantic_router_operator.model import paths
from semantic_router_operator.model.endpoints import Endpoint
from semantic_router_operator.model.resolution import (
    Discovery,
    Resolution,
    Resolved,
    Target,
    Unresolved,
)
from semantic_router_operator.model.router import SemanticRouter

_TEMPORARY = ("NotReady", "NoReadyEndpoints", "Unreachable")
"""Reasons that time alone can heal; the others need somebody to change an object."""
_STATES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry and where its backend is."""

    index: int
    endpoint: Endpoint
    resolution: Resolution

    @property
    def path(self) -> str:
        """Its path in the CR."""
        return paths.item("spec.vllmEndpoints", self.index)

    @property
    def drained(self) -> bool:
        """Weight 0: known, but not in backend_refs (field case SR-09)."""
        return self.endpoint.weight == 0

    @property
    def targets(self) -> tuple[Target, ...]:
        """What was found, or the last known targets when the cluster could not be asked."""
        match self.resolution:
            case Resolved(targets=targets):
                return targets
            case Unresolved(uncertain=True, last_known=targets):
                return targets
            case Unresolved():
                return ()

    @property
    def declared(self) -> tuple[Target, ...]:
        """The address that the CR itself states, for kind service."""
        match self.resolution:
            case Unresolved(declared=Target() as declared):
                return (declared,)
            case Resolved() | Unresolved():
                return ()

    @property
    def temporary(self) -> bool:
        """Unresolved in a way that time alone can heal."""
        match self.resolution:
            case Resolved():
                return False
            case Unresolved(reason=reason, uncertain=uncertain):
                return uncertain or reason in _TEMPORARY

    @property
    def state(self) -> str:
        """For messages: why the entry doesn't serve."""
        match self.resolution:
            case _ if self.drained:
                return "drained by weight 0"
            case Resolved():
                return "resolved"
            case Unresolved(reason=reason):
                return reason


@dataclass(frozen=True, slots=True)
class Serving:
    """An entry that gives backend_refs, with the targets that it gives."""

    entry: Entry
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class ModelEntries:
    """All entries of one model, in the order written."""

    name: str
    entries: tuple[Entry, ...]

    @property
    def active(self) -> tuple[Entry, ...]:
        """Those that aren't drained."""
        return tuple(entry for entry in self.entries if not entry.drained)

    @property
    def found(self) -> tuple[Serving, ...]:
        """Those with a backend that was found (or is the last known one)."""
        return tuple(Serving(entry, entry.targets) for entry in self.active if entry.targets)

    @property
    def serving(self) -> tuple[Serving, ...]:
        """Those that are written: what was found, or else every declared address.

        Contract (backends.md): a model of which some entries resolve serves with those; of kind
        service, the declared address is kept when none resolves.
        """
        declared = (Serving(entry, entry.declared) for entry in self.active if entry.declared)
        return self.found or tuple(declared)

    @property
    def loras(self) -> frozenset[str]:
        """Names of the LoRA adapters, each an alias of the model."""
        return frozenset(lora.name for entry in self.entries for lora in entry.endpoint.loras)

    @property
    def outage(self) -> str:
        """For messages: why no entry serves."""
        states = sorted({f"{entry.endpoint.name} is {entry.state}" for entry in self.entries})
        shown = [*states[:_STATES_SHOWN], *(["..."] if len(states) > _STATES_SHOWN else [])]
        return f"model {paths.quoted(self.name)} has no backend ({', '.join(shown)})"


Models = Mapping[str, ModelEntries]
"""By name, sorted."""


def by_model(router: SemanticRouter, discovery: Discovery) -> Models:
    """The entries of each model. Discovery has one resolution for each entry, in order."""
    pairs = zip(router.spec.vllm_endpoints, discovery.endpoints, strict=True)
    groups: dict[str, list[Entry]] = {}
    for index, (endpoint, resolution) in enumerate(pairs):
        groups.setdefault(endpoint.model, []).append(Entry(index, endpoint, resolution))
    return {name: ModelEntries(name, tuple(groups[name])) for name in sorted(groups)}


def outages(models: Models) -> Mapping[str, str]:
    """Every name that nothing serves now (a model's, or a LoRA adapter's) and why.

    A LoRA adapter that another, serving model has as well isn't among them.
    """
    served = {name for name, model in models.items() if model.serving}
    served |= {lora for name in served for lora in models[name].loras}
    gone: dict[str, str] = {}
    for name, model in models.items():
        for alias in (name, *sorted(model.loras)):
            if alias not in served:
                gone.setdefault(alias, model.outage)
    return gone
