"""Which port of a Service (or EndpointSlice) is meant, and which protocol it speaks.

Never "the first one": the order of ports says nothing (field cases LS-02, KS-04, DS-05).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from semantic_router_operator.discovery import addresses
from semantic_router_operator.discovery.entry import Entry
from semantic_router_operator.model.facts import ServicePortFacts
from semantic_router_operator.model.resolution import Unresolved

Scheme = Literal["http", "https"]

_APP_PROTOCOLS: dict[str, Scheme] = {
    "http": "http",
    "http2": "http",
    "kubernetes.io/h2c": "http",
    "kubernetes.io/ws": "http",
    "https": "https",
    "kubernetes.io/wss": "https",
}
_OTHER_PURPOSE = re.compile(
    r"(^|-)(metrics?|prom|prometheus|telemetry|grpc\w*|health\w*|probes?|status|admin|debug|"
    r"webhooks?|zmq|dns)(-|$)"
)
_OTHER_PURPOSE_NUMBERS = frozenset({9090, 9100, 15020, 15021, 15090})
"""Unnamed ports that are Prometheus's or a mesh's by convention."""


@dataclass(frozen=True, slots=True)
class PortFault:
    """No port could be chosen. `text` goes on from `<object> ...`."""

    reason: Literal["PortNotFound", "Ambiguous"]
    text: str


@dataclass(frozen=True, slots=True)
class Convention:
    """How the serving port of a kind of server is known, besides http and https."""

    prefix: str = ""
    """Port names that begin so are serving ports; empty for none."""
    number: int | None = None
    """The usual number: decides between several."""


PLAIN = Convention()


def wanted(entry: Entry, part: str, value: int | str | None) -> int | str | Unresolved | None:
    """The port of the CR: a number in range, a port's name, or None for "choose".

    Text of digits is the number; range and form of all else are the model's business.
    """
    if not isinstance(value, str) or not value.isdecimal():
        return value
    try:
        return addresses.port(value)
    except addresses.AddressError as error:
        return entry.invalid(part, f"{error}; write a number from 1 to 65535 or a port's name")


def protocol(port: ServicePortFacts) -> Scheme | None:
    """What the port says itself: appProtocol, else its name (`https*`, `http*`), else None."""
    stated = _APP_PROTOCOLS.get((port.app_protocol or "").lower())
    if stated is not None:
        return stated
    name = (port.name or "").lower()
    if name.startswith("https"):
        return "https"
    return "http" if name.startswith("http") else None


def listed(ports: Iterable[ServicePortFacts], port: int | str) -> ServicePortFacts | PortFault:
    """The TCP port of that number or name."""
    known = sorted(ports, key=_order)
    for item in known:
        if item.protocol == "TCP" and port in {item.port, item.name}:
            return item
    return PortFault("PortNotFound", f"has no TCP port {port}; it has {_describe(known)}")


def serving(
    ports: Iterable[ServicePortFacts], *, scheme: Scheme | None = None, by: Convention = PLAIN
) -> ServicePortFacts | PortFault:
    """The one port that serves HTTP.

    Ports known for something else don't count. Ports that say they are HTTP, or that the
    convention knows, come before those that say nothing; among several the wanted scheme decides,
    then the convention's number. What is still not one is a fault.
    """
    known = sorted(ports, key=_order)
    free = [port for port in known if port.protocol == "TCP" and not _other_purpose(port)]
    marked = [port for port in free if _marked(port, by)]
    pool = _of_scheme(marked, free, scheme) or marked or free
    if len(pool) > 1:
        pool = [port for port in pool if port.port == by.number] or pool
    if len(pool) == 1:
        return pool[0]
    if not pool:
        return PortFault(
            "PortNotFound", f"has no TCP port that is known to serve; it has {_describe(known)}"
        )
    return PortFault(
        "Ambiguous", f"has several ports that may serve ({_describe(pool)}); name one with port"
    )


def _of_scheme(
    marked: list[ServicePortFacts], free: list[ServicePortFacts], scheme: Scheme | None
) -> list[ServicePortFacts]:
    if scheme is None:
        return []
    exact = [port for port in marked if protocol(port) == scheme]
    silent = [port for port in free if protocol(port) is None]
    return exact or (silent if scheme == "http" else [])


def _marked(port: ServicePortFacts, by: Convention) -> bool:
    named = bool(by.prefix) and (port.name or "").lower().startswith(by.prefix)
    return protocol(port) is not None or named or port.port == by.number


def _other_purpose(port: ServicePortFacts) -> bool:
    if port.app_protocol and port.app_protocol.lower() not in _APP_PROTOCOLS:
        return True
    if port.name:
        return _OTHER_PURPOSE.search(port.name.lower()) is not None
    return protocol(port) is None and port.port in _OTHER_PURPOSE_NUMBERS


def _describe(ports: list[ServicePortFacts]) -> str:
    texts = [
        f"{port.name} ({port.port}/{port.protocol})"
        if port.name
        else f"{port.port}/{port.protocol}"
        for port in ports
    ]
    return ", ".join(texts) or "no ports"


def _order(port: ServicePortFacts) -> tuple[int, str, str]:
    return port.port, port.protocol, port.name or ""
