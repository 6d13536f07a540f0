"""The addresses in EndpointSlices: which count, in which order, as targets."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal

from semantic_router_operator.discovery import addresses
from semantic_router_operator.discovery.service_ports import Scheme
from semantic_router_operator.discovery.service_targets import is_ready
from semantic_router_operator.model.facts import EndpointSliceFacts, ServicePortFacts
from semantic_router_operator.model.resolution import Target

Family = Literal["IPv4", "IPv6", "FQDN"]


@dataclass(frozen=True, slots=True)
class Collected:
    """(host, port) of each ready endpoint, and (slice, what is wrong) of what is no address."""

    usable: frozenset[tuple[str, int]]
    bad: tuple[tuple[str, str], ...]


def any_ready(pieces: Iterable[EndpointSliceFacts]) -> bool:
    """Whether a slice has an endpoint that may get traffic."""
    return any(is_ready(endpoint) for piece in pieces for endpoint in piece.endpoints)


def collect(
    pieces: Iterable[EndpointSliceFacts], port: ServicePortFacts, *, by_number: bool
) -> Collected:
    """The union over the slices, each address once.

    `by_number` takes the ports with the number of `port`, else those with its name. Of several
    addresses of an endpoint the first stands for all: they are the same pod.
    """
    usable: set[tuple[str, int]] = set()
    bad: set[tuple[str, str]] = set()
    for piece in pieces:
        numbers = {
            item.port
            for item in piece.ports
            if item.port is not None
            and item.protocol == "TCP"
            and (item.port == port.port if by_number else item.name == port.name)
        }
        for endpoint in filter(is_ready, piece.endpoints):
            for text in endpoint.addresses[:1]:
                try:
                    host = addresses.host(text)
                except addresses.AddressError as error:
                    bad.add((piece.name, str(error)))
                else:
                    usable.update((host, number) for number in numbers)
    return Collected(frozenset(usable), tuple(sorted(bad)))


def targets(usable: Iterable[tuple[str, int]], protocol: Scheme) -> tuple[Target, ...]:
    """Sorted numerically (names last, by alphabet). The suffix is the address with dashes, and the
    port too where one address has several."""
    ordered = sorted(usable, key=_order)
    times = Counter(host for host, _ in ordered)
    return tuple(
        Target(
            protocol,
            host,
            port,
            suffix=_suffix(host) if times[host] == 1 else f"{_suffix(host)}-{port}",
        )
        for host, port in ordered
    )


def _order(item: tuple[str, int]) -> tuple[int, int, str, int]:
    host, port = item
    if not addresses.is_ip(host):
        return 9, 0, host, port
    address = ip_address(host)
    return address.version, int(address), host, port


def _suffix(host: str) -> str:
    """`10-0-0-1`; IPv6 in its long form, so that no two addresses give the same text."""
    text = ip_address(host).exploded if ":" in host else host
    return re.sub(r"[^a-z0-9]", "-", text)
