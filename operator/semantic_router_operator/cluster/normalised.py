"""What the API server made of what we wrote, where the two aren't the same.

It spells some values in its own way, and fields that others own stay. What was written and came out
like that needs no second write.
"""

from collections.abc import Hashable

from semantic_router_operator.cluster.interests import RouterKey


class Normalised:
    """Digests by router, so that nothing stays of one that is gone."""

    def __init__(self) -> None:
        self._of: dict[RouterKey, dict[Hashable, tuple[bytes, bytes]]] = {}

    def __len__(self) -> int:
        return sum(len(known) for known in self._of.values())

    def remember(self, router: RouterKey, what: Hashable, wanted: bytes, made: bytes) -> None:
        """Writing `wanted` made the API server hold `made`."""
        if wanted == made:
            self.drop(router, what)
        else:
            self._of.setdefault(router, {})[what] = (wanted, made)

    def holds(self, router: RouterKey, what: Hashable, wanted: bytes, live: bytes) -> bool:
        """Whether writing `wanted` has made `live` before."""
        return self._of.get(router, {}).get(what) == (wanted, live)

    def drop(self, router: RouterKey, what: Hashable) -> None:
        """The object is gone."""
        self._of.get(router, {}).pop(what, None)

    def forget(self, router: RouterKey) -> None:
        """The router is gone."""
        self._of.pop(router, None)
