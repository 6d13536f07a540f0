"""DNS names of Services: `<service>.<namespace>.svc.<cluster domain>`, and their short forms."""

import re

from semantic_router_operator.discovery import addresses

_OUTSIDE = frozenset(
    {
        "app",
        "arpa",
        "biz",
        "cloud",
        "com",
        "corp",
        "edu",
        "example",
        "gov",
        "home",
        "info",
        "int",
        "internal",
        "intranet",
        "invalid",
        "lan",
        "local",
        "mil",
        "name",
        "net",
        "onion",
        "online",
        "org",
        "pro",
        "private",
        "site",
        "tech",
        "xyz",
    }
)
"""Last labels that make a name of two labels one of the Internet or of a site, like every label of
two letters (the country codes, .ai, .io). Any other second label is taken for a namespace."""


def qualified(host: str, *, namespace: str, domain: str) -> str:
    """The host with the parts that a short Service name leaves out (field case SR-05).

    `a` is a Service of `namespace`; `a.b` is Service a of namespace b, where b is `namespace` or
    doesn't look like an Internet domain (see `_OUTSIDE`); `a.b.svc` lacks the cluster domain.
    Every other name, and every IP address, stays itself. Raises AddressError when it gets too long.
    """
    if addresses.is_ip(host) or addresses.is_loopback(host):
        return host
    labels = host.split(".")
    if len(labels) == 1:
        full = f"{host}.{namespace}.svc.{domain}"
    elif len(labels) == 2 and (labels[1] == namespace or not _outside(labels[1])):
        full = f"{host}.svc.{domain}"
    elif len(labels) > 2 and labels[-1] == "svc":
        full = f"{host}.{domain}"
    else:
        full = host
    return addresses.host(full)


def service_in(host: str, *, domain: str) -> tuple[str, str] | None:
    """(namespace, name) of the Service that a qualified host means, else None.

    The domain may be the configured one, the usual one, or left out.
    """
    found = re.fullmatch(r"([^.]+)\.([^.]+)\.svc(\.(?P<domain>.+))?", host)
    if found is None or found["domain"] not in {None, domain, "cluster.local"}:
        return None
    return found[2], found[1]


def namespace_in(host: str, *, domain: str) -> str | None:
    """Namespace of the Service, or of the pod behind one, that a qualified host means."""
    inside = host.removesuffix(f".svc.{domain}")
    _, dot, namespace = inside.rpartition(".")
    return namespace if dot and inside != host else None


def _outside(label: str) -> bool:
    return len(label) == 2 or label in _OUTSIDE or label.startswith("xn--")
