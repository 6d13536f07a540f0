"""What a cluster must do before tests lean on it, each seen and not assumed."""

import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from controlplane.progress import Reporter
from kind.archive import Entry, Image, write_archive, write_layer
from kind.cluster import Cluster
from kind.errors import CommandError, KindError

MANIFEST = Path(__file__).parent / "manifests" / "check.yaml"
NAMESPACE = "kind-check"
IMAGE = "local/kind-probe:1"
WAIT = "--timeout=90s"
METRICS_SECONDS = 90.0
SOON_SECONDS = 8.0

Check = tuple[str, Callable[[], str]]


def run(cluster: Cluster, reporter: Reporter) -> int:
    """Do every check, print a line for each, and return 0 only if all passed."""
    failed = 0
    _prepare(cluster)
    try:
        for name, check in _checks(cluster):
            try:
                reporter.say(f"ok    {name}: {check()}")
            except KindError as error:
                failed += 1
                reporter.say(f"FAIL  {name}: {error}")
    finally:
        cluster.kubectl("delete", "namespace", NAMESPACE, "--wait=false")
    reporter.say("all checks passed" if not failed else f"{failed} checks failed")
    return 1 if failed else 0


def _prepare(cluster: Cluster) -> None:
    with TemporaryDirectory(dir=cluster.layout.state) as folder:
        scratch = Path(folder)
        layer = write_layer(scratch / "layer.tar", [Entry("probe", cluster.tools.paths["probe"])])
        image = Image(IMAGE, (layer,), ("/probe",))
        cluster.load(str(write_archive(scratch / "probe.tar", [image])))
    cluster.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found")
    cluster.kubectl("apply", "--server-side", "--filename", str(MANIFEST))


def _checks(cluster: Cluster) -> Iterator[Check]:
    yield "nodes are Ready", partial(_nodes_ready, cluster)
    yield "kube-system works", partial(_rolled_out, cluster, "kube-system")
    yield "pods of an image from scratch, restricted", partial(_rolled_out, cluster, NAMESPACE)
    yield "a claim is bound, its pod runs", partial(_claim_bound, cluster)
    pods = _get(cluster, "pods", "--selector", "app=probe")["items"]
    for pod in pods:
        node = pod["spec"].get("nodeName", "no node")
        for what, url in _targets(cluster, pods).items():
            yield f"{node}: {what}", partial(_fetched, cluster, pod, url)
        yield f"{node}: a name that isn't", partial(_unknown_name, cluster, pod)
        yield f"{node}: the API server reaches its pod", partial(_proxied, cluster, pod)
    yield "top pods answers", partial(_top, cluster)


def _get(cluster: Cluster, *arguments: str) -> dict[str, Any]:
    text = cluster.kubectl("get", *arguments, "--namespace", NAMESPACE, "--output=json")
    found: dict[str, Any] = json.loads(text)
    return found


def _targets(cluster: Cluster, pods: list[dict[str, Any]]) -> dict[str, str]:
    """What a pod can reach -> its URL."""
    service = _get(cluster, "service", "probe")["spec"]
    nodes = json.loads(cluster.kubectl("get", "nodes", "--output=json"))["items"]
    addresses = [
        address["address"]
        for node in nodes
        for address in node["status"]["addresses"]
        if address["type"] == "InternalIP"
    ]
    return {
        "a Service by its name": f"http://probe.{NAMESPACE}.svc.cluster.local",
        "the API server, as its account": "https://kubernetes.default.svc/api",
        **{f"pod {p['status']['podIP']}": f"http://{p['status']['podIP']}:8080" for p in pods},
        **{
            f"a node port at {address}": f"http://{address}:{service['ports'][0]['nodePort']}"
            for address in addresses
        },
    }


def _nodes_ready(cluster: Cluster) -> str:
    cluster.kubectl("wait", "nodes", "--all", "--for=condition=Ready", WAIT)
    names = cluster.kubectl("get", "nodes", "--output=name").split()
    if len(names) != cluster.nodes:
        message = f"wanted {cluster.nodes}, there are {', '.join(names)}"
        raise KindError(message)
    return ", ".join(name.removeprefix("node/") for name in names)


def _rolled_out(cluster: Cluster, namespace: str) -> str:
    scope = ("--namespace", namespace)
    names = cluster.kubectl("get", "deployments,daemonsets", *scope, "--output=name").split()
    for name in names:
        cluster.kubectl("rollout", "status", name, *scope, WAIT)
    return ", ".join(name.rpartition("/")[2] for name in names)


def _claim_bound(cluster: Cluster) -> str:
    scope = ("--namespace", NAMESPACE)
    cluster.kubectl("wait", "pods/keeper", "--for=condition=Ready", *scope, WAIT)
    volume = _get(cluster, "persistentvolumeclaim", "data")
    if volume["status"]["phase"] != "Bound":
        raise KindError(volume["status"]["phase"])
    return str(volume["spec"]["storageClassName"])


def _exec(cluster: Cluster, pod: dict[str, Any], *arguments: str) -> str:
    name = pod["metadata"]["name"]
    scope = ("--namespace", NAMESPACE)
    return cluster.kubectl("exec", name, *scope, "--", "/probe", *arguments).strip()


def _fetched(cluster: Cluster, pod: dict[str, Any], url: str) -> str:
    answer = _exec(cluster, pod, "get", url)
    if not answer.startswith("200 "):
        raise KindError(answer[:200])
    return "200"


def _unknown_name(cluster: Cluster, pod: dict[str, Any]) -> str:
    began = time.monotonic()
    try:
        answer = _exec(cluster, pod, "lookup", "example.invalid")
    except CommandError:
        took = time.monotonic() - began
        if took > SOON_SECONDS:
            message = f"the refusal took {took:.1f} s"
            raise KindError(message) from None
        return f"refused after {took:.1f} s"
    message = f"it was found: {answer}"
    raise KindError(message)


def _proxied(cluster: Cluster, pod: dict[str, Any]) -> str:
    """The way of a call to a webhook."""
    name = pod["metadata"]["name"]
    path = f"/api/v1/namespaces/{NAMESPACE}/pods/{name}:8080/proxy/"
    return cluster.kubectl("get", "--raw", path).strip()


def _top(cluster: Cluster) -> str:
    """The figures of a new pod take two rounds of metrics-server."""
    deadline = time.monotonic() + METRICS_SECONDS
    while True:
        try:
            lines = cluster.kubectl("top", "pods", "--namespace", NAMESPACE, "--no-headers")
        except CommandError:
            lines = ""
        if len(lines.splitlines()) == 3:
            return "; ".join(" ".join(line.split()) for line in lines.splitlines())
        if time.monotonic() > deadline:
            message = f"after {METRICS_SECONDS:.0f} s: {lines or 'no figures'}"
            raise KindError(message)
        time.sleep(1)
