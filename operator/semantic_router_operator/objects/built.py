"""What `objects.build` comes to."""

from dataclasses import dataclass

from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.manifests import ChildKey, Manifest


@dataclass(frozen=True, slots=True)
class Built:
    """What to apply, what to leave as it is, and what is wrong.

    `issues` are errors and warnings, each once. `withheld` are the objects that the resource wants
    and that can't be made now, for an error or for want of a document: a live one must not be
    removed. `refused` pairs such an object with each error that holds it back; an object that only
    waits for a document is in `withheld` alone.
    """

    manifests: tuple[Manifest, ...]
    issues: tuple[Issue, ...] = ()
    withheld: tuple[ChildKey, ...] = ()
    refused: tuple[tuple[ChildKey, Issue], ...] = ()
