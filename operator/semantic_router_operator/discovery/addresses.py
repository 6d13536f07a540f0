"""Hosts, ports, paths and URLs that people and controllers write: read, checked, normalised.

The router checks almost nothing (contract: backend-ref-semantics.md, section 4): a port of 70000 or
a host with a colon loads and fails on each request. So it is refused here (field cases SR-03,
SR-05, DS-05).
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Literal

NAME_LIMIT = 253
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PATH = re.compile(r"(/([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)*")
_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/]*)(?P<path>/.*)?", re.DOTALL
)
_AUTHORITY = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]*)(:(?P<port>.*))?", re.DOTALL)


class AddressError(ValueError):
    """Not an address. The text says what is wrong, without a field path and without the value."""


@dataclass(frozen=True, slots=True)
class Url:
    """An http(s) URL. `host` as `host()` gives it; `path` as `base_path()` gives it."""

    scheme: Literal["http", "https"]
    host: str
    port: int | None
    path: str

    @property
    def effective_port(self) -> int:
        """`port`, or the scheme's own."""
        return self.port or (443 if self.scheme == "https" else 80)


def host(text: str) -> str:
    """A DNS name in lower case without its trailing dot, or an IP address.

    IPv6 comes with or without brackets and goes without them, in its short form; an IPv4 address
    inside of IPv6 becomes plain IPv4. Raises AddressError.
    """
    name = text.lower()
    if ":" in name or name.startswith("["):
        return _ipv6(name)
    name = name.removesuffix(".")
    if not name:
        msg = "the host is empty"
        raise AddressError(msg)
    if len(name) > NAME_LIMIT:
        msg = f"the host is longer than {NAME_LIMIT} characters"
        raise AddressError(msg)
    labels = name.split(".")
    if _NUMBER_LABEL.fullmatch(labels[-1]):
        return _ipv4(name)
    if "_" in name:
        msg = "a host name has no underscore"
        raise AddressError(msg)
    if not all(_LABEL.fullmatch(label) for label in labels):
        msg = (
            "the host is no DNS name (letters, digits and dashes, at most 63 between two dots; "
            "other scripts in their xn-- form)"
        )
        raise AddressError(msg)
    return name


def is_label(text: str) -> bool:
    """Whether it is a DNS label, as names of Services, namespaces and their ports are."""
    return _LABEL.fullmatch(text) is not None


def is_ip(name: str) -> bool:
    """Whether a host, as `host()` gives it, is an IP address."""
    return ":" in name or _NUMBER_LABEL.fullmatch(name.rpartition(".")[2]) is not None


def is_loopback(name: str) -> bool:
    """Whether a host, as `host()` gives it, means the pod itself."""
    if is_ip(name):
        return ip_address(name).is_loopback
    return name == "localhost" or name.endswith(".localhost")


def port(value: int | str) -> int:
    """A port number, from a number or its decimal text. Raises AddressError."""
    if isinstance(value, bool) or (isinstance(value, str) and not re.fullmatch(r"[0-9]+", value)):
        msg = "the port is not a number"
        raise AddressError(msg)
    number = int(value) if len(str(value)) <= 5 else 0
    if not 1 <= number <= 65535:
        msg = "the port is outside 1 to 65535"
        raise AddressError(msg)
    return number


def host_port(text: str) -> tuple[str, int]:
    """`host:port` with an IPv6 host in brackets. Raises AddressError."""
    if "://" in text or "/" in text:
        msg = "this is a URL, not host:port; use type url (backend.url) for a scheme or a path"
        raise AddressError(msg)
    found = _AUTHORITY.fullmatch(text.strip())
    if found is None:
        msg = "this is not host:port; an IPv6 address goes in brackets, [fd00::1]:8000"
        raise AddressError(msg)
    if found["port"] is None:
        msg = "the port is missing; write host:port"
        raise AddressError(msg)
    return host(found["host"]), port(found["port"])


def base_path(text: str) -> str:
    """`""` or a path that begins with one slash and ends without one. Raises AddressError.

    A missing first slash is added and doubled ones become one, so that every join has exactly one.
    """
    if "?" in text or "#" in text:
        msg = "a path has no query and no fragment; remove what follows ? or #"
        raise AddressError(msg)
    path = re.sub(r"/{2,}", "/", f"/{text}").rstrip("/")
    if not _PATH.fullmatch(path) or {".", ".."} & set(path.split("/")):
        msg = "the path has characters or dot segments that a URL path must not have"
        raise AddressError(msg)
    return path


def url(text: str) -> Url:
    """An absolute http or https URL without user info, query and fragment. Raises AddressError."""
    found = _URL.fullmatch(text.strip())
    if found is None:
        msg = "this is no URL; write http(s)://host[:port][/path]"
        raise AddressError(msg)
    if "?" in text or "#" in text:
        msg = "a URL here has no query and no fragment; remove what follows ? or #"
        raise AddressError(msg)
    if "@" in found["authority"]:
        msg = "a URL here has no user info; give the credential in connection.auth.secretKeyRef"
        raise AddressError(msg)
    authority = _AUTHORITY.fullmatch(found["authority"])
    if authority is None:
        msg = "an IPv6 address in a URL goes in brackets"
        raise AddressError(msg)
    return Url(
        scheme=_scheme(found["scheme"]),
        host=host(authority["host"]),
        port=None if authority["port"] is None else port(authority["port"]),
        path=base_path(found["path"] or ""),
    )


def _scheme(text: str) -> Literal["http", "https"]:
    match text.lower():
        case "http":
            return "http"
        case "https":
            return "https"
        case _:
            msg = "the scheme is neither http nor https"
            raise AddressError(msg)


def _ipv4(text: str) -> str:
    try:
        address = IPv4Address(text)
    except ValueError:
        msg = "the host looks like an IPv4 address and is none"
        raise AddressError(msg) from None
    return _connectable(address)


def _ipv6(text: str) -> str:
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if "%" in bare:
        msg = "an IPv6 address with a zone means nothing in another pod"
        raise AddressError(msg)
    try:
        address = IPv6Address(bare)
    except ValueError:
        msg = "the host is neither a DNS name nor an IPv6 address"
        raise AddressError(msg) from None
    return _connectable(address.ipv4_mapped or address)


def _connectable(address: IPv4Address | IPv6Address) -> str:
    if address.is_unspecified or address.is_multicast:
        msg = "nobody can connect to an unspecified or multicast address"
        raise AddressError(msg)
    return str(address)
