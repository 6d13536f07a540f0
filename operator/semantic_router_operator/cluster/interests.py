"""Who wants to know of which object: what a router asked, turned around."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from semantic_router_operator.model.facts import LabelQuery

RouterKey = tuple[str, str]
"""(namespace, name) of a SemanticRouter"""


@dataclass(frozen=True, slots=True, order=True)
class Area:
    """Objects of one kind in one namespace: what one cache holds."""

    kind: str
    namespace: str


@dataclass(frozen=True, slots=True)
class Interest:
    """What a router asked for: one object by name, or all that a query selects."""

    area: Area
    name: str | None = None
    query: LabelQuery | None = None


class Readers:
    """The routers that are interested in something of one area.

    Found by name, or by one label pair that a query demands, so that an event costs no walk over
    all routers.
    """

    def __init__(self) -> None:
        self._names: dict[str, set[RouterKey]] = defaultdict(set)
        self._pairs: dict[tuple[str, str], dict[RouterKey, list[LabelQuery]]] = defaultdict(dict)
        self._loose: dict[RouterKey, list[LabelQuery]] = {}
        self._routers: dict[RouterKey, list[Interest]] = {}

    def __bool__(self) -> bool:
        return bool(self._routers)

    def routers(self) -> tuple[RouterKey, ...]:
        """All of them."""
        return tuple(self._routers)

    def replace(self, router: RouterKey, interests: Iterable[Interest]) -> None:
        """From now on the router is interested in these, and in nothing else."""
        self._remove(router)
        listed = list(interests)
        if not listed:
            return
        self._routers[router] = listed
        for interest in listed:
            if interest.name is not None:
                self._names[interest.name].add(router)
            if interest.query is not None:
                self._queries(interest.query).setdefault(router, []).append(interest.query)

    def of(self, name: str, *labels: Mapping[str, str] | None) -> Iterator[RouterKey]:
        """Whom the object concerns: by its name, or by its labels (earlier or later ones)."""
        found = set(self._names.get(name, ()))
        for known in labels:
            if known is not None:
                for candidates in (self._loose, *self._by_pairs(known)):
                    found.update(
                        router
                        for router, queries in candidates.items()
                        if any(query.matches(known) for query in queries)
                    )
        return iter(found)

    def _by_pairs(
        self, labels: Mapping[str, str]
    ) -> Iterator[Mapping[RouterKey, list[LabelQuery]]]:
        return (self._pairs[pair] for pair in labels.items() if pair in self._pairs)

    def _queries(self, query: LabelQuery) -> dict[RouterKey, list[LabelQuery]]:
        pair = _pair(query)
        return self._loose if pair is None else self._pairs[pair]

    def _remove(self, router: RouterKey) -> None:
        for interest in self._routers.pop(router, ()):
            if interest.name is not None:
                self._names[interest.name].discard(router)
                if not self._names[interest.name]:
                    del self._names[interest.name]
            if interest.query is not None:
                self._queries(interest.query).pop(router, None)
                pair = _pair(interest.query)
                if pair is not None and not self._pairs[pair]:
                    del self._pairs[pair]


def _pair(query: LabelQuery) -> tuple[str, str] | None:
    """The label pair under which a query is filed: the last one, which tends to be the rarest."""
    return max(query.match_labels.items()) if query.match_labels else None
