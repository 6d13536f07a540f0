"""Rules on providers.models[].backend_refs (canonical rules E, N; contract of backend refs).

That the refs of one model agree is translate's to say: it knows the entries that differ.
"""

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import mapping, text
from semantic_router_operator.validation.subject import Found, Node, Subject

_REFS: Final = "providers.models[].backend_refs[]"
_AUTHORITY: Final = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^\[\]:/?#@\s]+)(:(\d{1,5}))?")
_SCHEMES: Final = ("http://", "https://")
_PROFILE: Final = (
    "provider",
    "auth_header",
    "auth_prefix",
    "extra_headers",
    "api_version",
    "chat_path",
)
"""Settings of a provider profile, whose address comes only from base_url."""
_PORT_MAX: Final = 65535


def odd_addresses(subject: Subject) -> Iterator[Found]:
    """A ref has exactly one address, endpoint or base_url, that can be dialled.

    With settings of a provider it must be base_url: with endpoint each request would fail.
    """
    for path, ref in _refs(subject):
        message = _address_problem(ref)
        if message:
            yield Found(path, message)


def _address_problem(ref: Mapping[str, Any]) -> str | None:
    endpoint, url = text(ref.get("endpoint")), text(ref.get("base_url"))
    if bool(endpoint) == bool(url):
        return "needs one address for its backend_ref: endpoint or base_url, not both"
    if endpoint and any(key in ref for key in _PROFILE):
        return "has provider settings, which work only with a base_url; give the backend as url"
    if url and not url.startswith(_SCHEMES):
        return "has a base_url that is not http:// or https://; write one of them"
    found = _AUTHORITY.fullmatch(_authority(ref))
    if found is None:
        return "has no host in its address that a router can dial; correct host and port"
    port = found.group(3)
    if port is not None and not 1 <= int(port) <= _PORT_MAX:
        return f"has a port out of range; write one from 1 to {_PORT_MAX}"
    return None


def https_to_address(subject: Subject) -> Iterator[Found]:
    """The newer router refuses https to an IP literal (contract, semantics 7 and 8)."""
    for path, ref in _refs(subject):
        if _protocol(ref) == "https" and _is_address(_authority(ref)):
            yield Found(path, "the router refuses https to an IP address; use a DNS name, or http")


def duplicates(subject: Subject) -> Iterator[Found]:
    """Names of the refs of one model are unique; the newer loader normalises them."""
    seen: set[tuple[str, str]] = set()
    for path, ref in _refs(subject):
        name = text(ref.get("name"))
        key = (path.partition(".backend_refs")[0], name.strip().casefold())
        if key in seen:
            shown = paths.quoted(name)
            yield Found(path, f"gives a second backend_ref {shown}; rename the entry")
        seen.add(key)


def _refs(subject: Subject) -> Iterator[Node]:
    return ((path, mapping(ref)) for path, ref in subject.each(_REFS))


def _protocol(ref: Mapping[str, Any]) -> str:
    url = text(ref.get("base_url"))
    return url.partition("://")[0] if url else text(ref.get("protocol")) or "http"


def _authority(ref: Mapping[str, Any]) -> str:
    url = text(ref.get("base_url"))
    return url.partition("://")[2].partition("/")[0] if url else text(ref.get("endpoint"))


def _is_address(authority: str) -> bool:
    if authority.startswith("["):
        return True
    try:
        ipaddress.ip_address(authority.partition(":")[0])
    except ValueError:
        return False
    return True
