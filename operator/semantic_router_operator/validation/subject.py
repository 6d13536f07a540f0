"""What a rule looks at, and what it finds."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from semantic_router_operator.model.canonical import Candidate
from semantic_router_operator.model.endpoints import Endpoint
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.routing_block import each, mapping, mappings, text
from semantic_router_operator.validation.schema_check import Flaw, flaws

Node = tuple[str, Mapping[str, Any]]
"""A path and the map there."""


class Found(NamedTuple):
    """What is wrong at a path, and what to do. The path is the document's, or the CR's."""

    path: str
    message: str


def tree_nodes(tree: object, path: str) -> Iterator[Node]:
    """A condition and all below it."""
    if isinstance(tree, dict):
        yield path, tree
        for index, child in mappings(tree.get("conditions")):
            yield from tree_nodes(child, f"{path}.conditions[{index}]")


@dataclass(frozen=True)
class Subject:
    """A candidate and the router that it comes from. Paths are the document's.

    What several rules ask for is worked out once.
    """

    router: SemanticRouter
    candidate: Candidate
    _known: dict[str, frozenset[str]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def flaws(self) -> tuple[Flaw, ...]:
        """What the document's schema says."""
        return flaws(self.candidate.document)

    @property
    def endpoints(self) -> Iterator[tuple[str, Endpoint]]:
        """The entries of the CR; their paths are the CR's."""
        for index, endpoint in enumerate(self.router.spec.vllm_endpoints):
            yield f"spec.vllmEndpoints[{index}]", endpoint

    @cached_property
    def routing(self) -> Mapping[str, Any]:
        """The routing block of the document."""
        return mapping(self.candidate.document.get("routing"))

    @cached_property
    def decisions(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The decisions that are maps."""
        found = mappings(self.routing.get("decisions"))
        return tuple((f"routing.decisions[{index}]", decision) for index, decision in found)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every condition and tree of conditions of every decision: (path, node).

        An empty `rules` is as none: it matches every request.
        """
        trees = ((f"{path}.rules", decision.get("rules")) for path, decision in self.decisions)
        return tuple(node for path, tree in trees if tree for node in tree_nodes(tree, path))

    @cached_property
    def signals(self) -> Mapping[str, Any]:
        """Signal collections by name."""
        return mapping(self.routing.get("signals"))

    def signal(self, collection: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The signals of a collection that are maps."""
        for index, signal in mappings(self.signals.get(collection)):
            yield f"routing.signals.{collection}[{index}]", signal

    @cached_property
    def signal_names(self) -> Mapping[str, frozenset[str]]:
        """Names that each collection declares."""
        return {
            collection: frozenset(text(signal.get("name")) for _, signal in mappings(signals))
            for collection, signals in self.signals.items()
        }

    @cached_property
    def models(self) -> frozenset[str]:
        """Models of the CR, whether they are served now or not, and models with a card."""
        written = {endpoint.model for _, endpoint in self.endpoints}
        return frozenset(written | set(self.texts("routing.modelCards[].name")))

    @cached_property
    def loras(self) -> Mapping[str, frozenset[str]]:
        """LoRA adapters of each model, from the entries and from the cards."""
        found: dict[str, set[str]] = {}
        for _, endpoint in self.endpoints:
            found.setdefault(endpoint.model, set()).update(lora.name for lora in endpoint.loras)
        for _, card in mappings(self.routing.get("modelCards")):
            names = {text(name) for _, name in each(card, "loras[].name")}
            found.setdefault(text(card.get("name")), set()).update(names)
        return {model: frozenset(names) for model, names in found.items()}

    @cached_property
    def aliases(self) -> frozenset[str]:
        """Every name that may stand where a model is named."""
        return self.models | frozenset(name for names in self.loras.values() for name in names)

    def known(self, pattern: str) -> frozenset[str]:
        """The texts at such a path as of `each`; worked out once."""
        if pattern not in self._known:
            self._known[pattern] = frozenset(self.texts(pattern))
        return self._known[pattern]

    def at(self, path: str) -> Mapping[str, Any]:
        """The map at a path such as `global.services.management_api`; empty if there is none."""
        return next((mapping(value) for _, value in self.each(path)), {})

    def each(self, pattern: str) -> Iterator[tuple[str, Any]]:
        """Every value of the document at a path such as `routing.decisions[].name`."""
        return each(self.candidate.document, pattern)

    def texts(self, pattern: str) -> Iterator[str]:
        """Every non-empty text at such a path."""
        return (text(value) for _, value in self.each(pattern) if text(value))


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: a code that users may look for, how bad it is, and the check.

    `at` and `fix` are for docs/validation.md: where in the CR, and what to do. What is checked
    says the check's docstring. `startup` marks what the router checks only when it starts.
    """

    code: str
    check: Callable[[Subject], Iterable[Found]]
    severity: Literal["error", "warning"] = "error"
    at: str = ""
    fix: str = ""
    startup: bool = False
