"""The NetworkPolicy of the router's pods: who may connect, port by port.

Only what comes in is limited. What goes out is not: backends, downloads of models, DNS and caches
are wherever the resource says.
"""

from collections.abc import Iterator
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.ingress import NetworkPeer
from semantic_router_operator.model.manifests import NETWORK_POLICY, Manifest
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.metadata import manifest, metadata
from semantic_router_operator.objects.ports import API, METRICS, PodPort, pod_ports
from semantic_router_operator.objects.raw import present

_PATH: Final = "spec.networkPolicy"
_Peers = tuple[NetworkPeer, ...]


def build(router: SemanticRouter) -> Manifest | None:
    """The policy; None when it is off. A port without a rule takes no connection from outside
    the node; the kubelet's probes come from the node itself."""
    if not router.spec.network_policy.enabled:
        return None
    return manifest(
        router,
        NETWORK_POLICY,
        {
            "metadata": metadata(router, names.workload(router.name)),
            "spec": {
                "ingress": list(_rules(router)),
                "podSelector": {"matchLabels": names.selector_labels(router.name)},
                "policyTypes": ["Ingress"],
            },
        },
    )


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """Peers that are nobody, or addresses and pods at once."""
    wanted = router.spec.network_policy
    if not wanted.enabled:
        return ()
    lists = (
        ("ingressFrom", wanted.ingress_from),
        ("metricsFrom", wanted.metrics_from),
        ("apiFrom", wanted.api_from),
    )
    return tuple(
        Issue("InvalidSpec", f"{_PATH}.{field}[{index}]", message)
        for field, peers in lists
        for index, peer in enumerate(peers)
        if (message := _fault(peer))
    )


def _fault(peer: NetworkPeer) -> str:
    selects = peer.pod_selector is not None or peer.namespace_selector is not None
    if peer.ip_block is not None and selects:
        return "has ipBlock and a selector; make two entries of it"
    if peer.ip_block is None and not selects:
        return "names nobody; add podSelector, namespaceSelector or ipBlock"
    return ""


def _rules(router: SemanticRouter) -> Iterator[dict[str, Any]]:
    wanted = router.spec.network_policy
    for port in pod_ports(router):
        if port.name == API:
            if wanted.api_from:
                yield _rule(port, wanted.api_from)
        else:
            yield _rule(port, wanted.metrics_from if port.name == METRICS else wanted.ingress_from)


def _rule(port: PodPort, peers: _Peers) -> dict[str, Any]:
    """Without `from` it is everybody."""
    return present(
        {
            "from": [_peer(peer) for peer in peers],
            "ports": [{"port": port.number, "protocol": "TCP"}],
        }
    )


def _peer(peer: NetworkPeer) -> dict[str, Any]:
    """An empty selector stays: it selects everything."""
    block = peer.ip_block
    ranges = present({"cidr": block.cidr, "except": list(block.except_)}) if block else None
    fields = {
        "ipBlock": ranges,
        "namespaceSelector": peer.namespace_selector,
        "podSelector": peer.pod_selector,
    }
    return {name: value for name, value in fields.items() if value is not None}
