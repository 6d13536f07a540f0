"""One entry of spec.vllmEndpoints while it is being resolved: where it stands, what binds it."""

from dataclasses import dataclass, replace
from typing import Literal

from semantic_router_operator.discovery import addresses, cluster_names
from semantic_router_operator.discovery.misses import explained
from semantic_router_operator.model.endpoints import Connection, Endpoint
from semantic_router_operator.model.facts import Missing, ObjectRef
from semantic_router_operator.model.resolution import Note, Reason, Unresolved


@dataclass(frozen=True, slots=True)
class DiscoveryPolicy:
    """What the administrator settled (settings.py)."""

    cluster_domain: str = "cluster.local"
    cross_namespace: bool = True
    """Whether backends of other namespaces may be used at all; never with a credential."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An endpoint with its place in the CR. `part` is always a path below the entry."""

    endpoint: Endpoint
    index: int
    namespace: str
    """The router's."""
    owner: str
    """uid of the router: what it owns is no backend of it."""
    policy: DiscoveryPolicy

    @property
    def connection(self) -> Connection:
        """spec.vllmEndpoints[].connection."""
        return self.endpoint.connection

    @property
    def has_credential(self) -> bool:
        """Whether a key is sent along."""
        return self.connection.auth is not None and (
            self.connection.auth.secret_key_ref is not None
        )

    def path(self, part: str) -> str:
        """`spec.vllmEndpoints[2].backend.service` for `backend.service`."""
        return f"spec.vllmEndpoints[{self.index}].{part}"

    def invalid(self, part: str, text: str) -> Unresolved:
        """The user must change `part`."""
        return self.unresolved("Invalid", part, text)

    def unresolved(
        self, reason: Reason, part: str, text: str, *, source: ObjectRef | None = None
    ) -> Unresolved:
        """No target, for certain. `text` says what is wrong and what to do."""
        return Unresolved(reason, f"{self.path(part)}: {text}", source=source)

    def note(self, reason: str, part: str, text: str) -> Note:
        """A warning about `part`."""
        return Note(reason, f"{self.path(part)}: {text}")

    def fqdn(self, service: str, namespace: str) -> str:
        """Qualified DNS name of a Service."""
        return f"{service}.{namespace}.svc.{self.policy.cluster_domain}"

    def namespace_of(self, part: str, given: str | None) -> str | Unresolved:
        """The namespace that `<part>.namespace` means; Unresolved when it must not be used."""
        if not given:
            return self.namespace
        if not addresses.is_label(given):
            return self.invalid(f"{part}.namespace", "this is no name of a namespace")
        return self.refused_namespace(f"{part}.namespace", given) or given

    def refused_host(self, part: str, host: str) -> Unresolved | None:
        """Unresolved when the host is a Service's and its namespace must not be used."""
        namespace = cluster_names.namespace_in(host, domain=self.policy.cluster_domain)
        return self.refused_namespace(part, namespace) if namespace else None

    def refused_namespace(self, part: str, namespace: str) -> Unresolved | None:
        """Unresolved when it is another namespace and a rule is against it."""
        if namespace == self.namespace:
            return None
        if self.has_credential:
            return self.invalid(
                part,
                f"a backend with a credential must be in the router's own namespace, not in "
                f"{namespace}; remove connection.auth.secretKeyRef or move the router there",
            )
        if not self.policy.cross_namespace:
            return self.invalid(
                part,
                f"namespace {namespace} is not the router's, and this operator runs with backends "
                "of other namespaces switched off; use a backend of the router's namespace",
            )
        return None

    def unseen(self, part: str, ref: ObjectRef, missing: Missing) -> Unresolved:
        """Why a look-up of `ref` found nothing. A ref without a name means the whole list."""
        what = str(ref) if ref.name else f"{ref.kind}s of namespace {ref.namespace}"
        miss = explained(what, missing)
        found = self.unresolved(miss.reason, part, miss.text, source=ref if ref.name else None)
        return replace(found, uncertain=miss.uncertain)


def scheme(entry: Entry, found: Literal["http", "https"] | None) -> Literal["http", "https"]:
    """The protocol: what the CR says, else what was found, else http."""
    return entry.connection.protocol or found or "http"
