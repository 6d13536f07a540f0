"""What a rule looks at, and what it finds."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from semantic_router_operator.model.canonical import Candidate
from semantic_router_operator.model.endpoints import Endpoint
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.routing_block import each, mapping, mappings, text


class Found(NamedTuple):
    """What is wrong at a path, and what to do. The path is the document's, or the CR's."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A candidate and the router that it comes from. Paths are the document's."""

    router: SemanticRouter
    candidate: Candidate

    @property
    def endpoints(self) -> Iterator[tuple[str, Endpoint]]:
        """The entries of the CR; their paths are the CR's."""
        for index, endpoint in enumerate(self.router.spec.vllm_endpoints):
            yield f"spec.vllmEndpoints[{index}]", endpoint

    @property
    def routing(self) -> Mapping[str, Any]:
        """The routing block of the document."""
        return mapping(self.candidate.document.get("routing"))

    @property
    def decisions(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The decisions that are maps."""
        for index, decision in mappings(self.routing.get("decisions")):
            yield f"routing.decisions[{index}]", decision

    @property
    def signals(self) -> Mapping[str, Any]:
        """Signal collections by name."""
        return mapping(self.routing.get("signals"))

    @property
    def models(self) -> frozenset[str]:
        """Models of the CR, whether they are served now or not, and models with a card."""
        written = {endpoint.model for _, endpoint in self.endpoints}
        return frozenset(written | set(self.texts("routing.modelCards[].name")))

    @property
    def loras(self) -> Mapping[str, frozenset[str]]:
        """LoRA adapters of each model, from the entries and from the cards."""
        found: dict[str, set[str]] = {}
        for _, endpoint in self.endpoints:
            found.setdefault(endpoint.model, set()).update(lora.name for lora in endpoint.loras)
        for _, card in mappings(self.routing.get("modelCards")):
            names = {text(name) for _, name in each(card, "loras[].name")}
            found.setdefault(text(card.get("name")), set()).update(names)
        return {model: frozenset(names) for model, names in found.items()}

    @property
    def aliases(self) -> frozenset[str]:
        """Every name that may stand where a model is named."""
        return self.models | frozenset(name for names in self.loras.values() for name in names)

    def each(self, pattern: str) -> Iterator[tuple[str, Any]]:
        """Every value of the document at a path such as `routing.decisions[].name`."""
        return each(self.candidate.document, pattern)

    def texts(self, pattern: str) -> Iterator[str]:
        """Every non-empty text at such a path."""
        return (text(value) for _, value in self.each(pattern) if text(value))


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: a code that users may look for, how bad it is, and the check."""

    code: str
    check: Callable[[Subject], Iterable[Found]]
    severity: Literal["error", "warning"] = "error"
