"""One kind cluster: made, looked up by the commands after that, and ended."""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from controlplane.binaries import Binaries
from controlplane.progress import Reporter
from kind import (
    commands,
    config,
    containers,
    daemon,
    kernel,
    leftovers,
    node_image,
    packages,
    programs,
)
from kind.errors import CommandError, KindError, LeftoverError
from kind.layout import Layout
from kind.modes import Mode

METRICS_SERVER = Path(__file__).parent / "manifests" / "metrics-server.yaml"
SYSTEM_NAMESPACES = ("kube-system", "local-path-storage")
WAIT = "180s"


@dataclass(frozen=True)
class Notes:
    """What `create` wrote down, enough to end the cluster: no program has to be built for it."""

    mode: Mode
    name: str
    nodes: int
    containers: tuple[str, ...] = ()
    """In the machine's own Docker, the ids of the nodes, once they were made."""

    @classmethod
    def of(cls, layout: Layout) -> "Notes | None":
        """Return those of this folder, None when nothing was made in it."""
        try:
            found = json.loads(layout.notes.read_text())
        except FileNotFoundError:
            return None
        ids = tuple(found.get("containers", ()))
        return cls(Mode(found["mode"]), found["name"], found["nodes"], ids)

    def write(self, layout: Layout) -> None:
        """From here on the cluster of that name is ours, to be ended by `destroy`."""
        layout.notes.write_text(json.dumps(asdict(self)))


@dataclass(frozen=True)
class Cluster:
    """A cluster that `create` made; `environment` is what `docker` and `kind` need to find it."""

    layout: Layout
    mode: Mode
    name: str
    nodes: int
    tools: Binaries

    @property
    def environment(self) -> Mapping[str, str]:
        """What `docker` and `kind` run in."""
        return daemon.environment(self.layout) if self.mode is Mode.OWN else os.environ

    @property
    def changed_environment(self) -> dict[str, str]:
        """What of it differs from our own environment."""
        return {k: v for k, v in self.environment.items() if os.environ.get(k) != v}

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        """Run kubectl as admin and return what it prints. Raises CommandError."""
        settings = {"KUBECONFIG": str(self.layout.kubeconfig)}
        settings["KUBECACHEDIR"] = str(self.layout.state / "kubectl-cache")
        environment = {**os.environ, **settings}
        argv = (self.tools.path("kubectl"), *arguments)
        return commands.output(*argv, environment=environment, stdin=stdin)

    def docker(self, *arguments: str) -> str:
        """Run docker and return what it prints. Raises CommandError."""
        return commands.output("docker", *arguments, environment=self.environment)

    def kind(self, *arguments: str) -> str:
        """Run kind on this cluster and return what it prints. Raises CommandError."""
        argv = (self.tools.path("kind"), *arguments, "--name", self.name)
        return commands.output(*argv, environment=self.environment)

    def load(self, image: str) -> None:
        """Copy an image to every node: an archive's path, or a name that the Docker knows.

        The archive is docker's or OCI's. Raises CommandError.
        """
        kind = "image-archive" if Path(image).is_file() else "docker-image"
        self.kind("load", kind, image)


def attach(layout: Layout, reporter: Reporter) -> Cluster:
    """Return the cluster that was made in this folder.

    Raises KindError when there is none, BuildError when kind or kubectl can't be had.
    """
    notes = Notes.of(layout)
    if notes is None:
        message = f"there is no cluster in {layout.state}; `make kind-up` makes one"
        raise KindError(message)
    tools = programs.tools(reporter)
    return Cluster(layout, notes.mode, notes.name, notes.nodes, tools)


def create(layout: Layout, mode: Mode, *, name: str, nodes: int, reporter: Reporter) -> Cluster:
    """Make the cluster and return it once its pods, DNS, storage and metrics work.

    Raises KindError, BuildError; what was begun is still there then, for `destroy`.
    """
    if mode is Mode.DOCKER:
        containers.refuse_another(name, os.environ)
    layout.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    image = ""
    if mode is Mode.OWN:
        packages.install(reporter, layout.logs / "apt.log")
    cluster = Cluster(layout, mode, name, nodes, programs.tools(reporter))
    notes = Notes(mode, name, nodes)
    if mode is Mode.OWN:
        image = _own_node_image(cluster, notes, reporter)
    else:
        containers.refuse_another(name, os.environ)  # building took minutes, maybe
        notes.write(layout)
    _create(cluster, config.node_image(mode, image), reporter)
    if mode is Mode.DOCKER:
        ids = tuple(containers.find(name, os.environ))
        replace(notes, containers=ids).write(layout)
    _settle(cluster, reporter)
    return cluster


def destroy(layout: Layout, reporter: Reporter) -> None:
    """End the cluster and all that was started for it, with nothing but docker.

    Raises LeftoverError when something is still there, KindError when that can't be found out; the
    notes stay then, for another try.
    """
    notes = Notes.of(layout)
    if notes is not None and notes.mode is Mode.DOCKER:
        _end_in_docker(layout, notes)
        return
    if notes is not None and daemon.answers(layout):
        try:
            containers.end(notes.name, daemon.environment(layout))
        except KindError as error:
            reporter.say(f"the nodes could not be removed, so their processes are ended: {error}")
    daemon.stop(layout)
    leftovers.end(layout)
    unset = kernel.restore(layout)
    leftovers.remove_folders(layout)
    left = [*leftovers.find(layout), *(f"sysctl {name}, not set back" for name in unset)]
    if left:
        raise LeftoverError("still there:\n  " + "\n  ".join(left))


def remains(layout: Layout) -> list[str]:
    """Return a line for each thing of ours on the machine. Raises CommandError."""
    notes = Notes.of(layout)
    nodes = dict[str, str]()
    if notes is not None and notes.mode is Mode.DOCKER:
        nodes = containers.find(notes.name, os.environ, among=notes.containers)
    return [*leftovers.find(layout), *(f"container {name}" for name in nodes.values())]


def _end_in_docker(layout: Layout, notes: Notes) -> None:
    try:
        containers.end(notes.name, os.environ, among=notes.containers)
    except KindError as error:
        message = (
            f"the cluster {notes.name!r} isn't ended: {error}\nThis can be repeated; if the Docker"
            f" that it was made in is no more, remove {layout.state}"
        )
        raise type(error)(message) from None
    shutil.rmtree(layout.state)


def _own_node_image(cluster: Cluster, notes: Notes, reporter: Reporter) -> str:
    """Start a dockerd of ours that has the node image; its name."""
    layout = cluster.layout
    binaries = programs.node(reporter)
    archive = node_image.archive(binaries, reporter)
    notes.write(layout)
    daemon.start(layout, reporter)
    command = ["docker", "load", "--quiet", "--input", str(archive)]
    settings = cluster.changed_environment
    commands.step(reporter, "load the node image", command, layout.logs / "load.log", settings)
    return node_image.name(binaries)


def _create(cluster: Cluster, image: str, reporter: Reporter) -> None:
    layout = cluster.layout
    path = layout.state / "kind.yaml"
    path.write_text(
        config.render(cluster.mode, name=cluster.name, image=image, nodes=cluster.nodes)
    )
    command = [cluster.tools.path("kind"), "create", "cluster", f"--config={path}"]
    command += [f"--kubeconfig={layout.kubeconfig}", f"--wait={WAIT}"]
    settings = cluster.changed_environment
    commands.step(reporter, "create the cluster", command, layout.logs / "create.log", settings)


def _settle(cluster: Cluster, reporter: Reporter) -> None:
    cluster.kubectl("apply", "--server-side", "--filename", str(METRICS_SERVER))
    reporter.say("wait for DNS, storage and metrics")
    try:
        _wait(cluster)
    except CommandError as error:
        message = f"{error}\n{_troubles(cluster)}"
        raise KindError(message) from None


def _wait(cluster: Cluster) -> None:
    for namespace in SYSTEM_NAMESPACES:
        cluster.kubectl(
            *("wait", "deployments", "--all", "--for=condition=Available"),
            *("--namespace", namespace, "--timeout", WAIT),
        )
    cluster.kubectl("wait", "apiservices", "v1beta1.metrics.k8s.io", "--for=condition=Available")


def _troubles(cluster: Cluster) -> str:
    """What a person would look at next: the pods, and the last words of those that aren't ready."""
    told = [cluster.kubectl("get", "pods", "--all-namespaces", "--output=wide")]
    for namespace in SYSTEM_NAMESPACES:
        scope = ("--namespace", namespace)
        pods = json.loads(cluster.kubectl("get", "pods", *scope, "--output=json"))["items"]
        for pod in pods:
            states = pod["status"].get("containerStatuses", ())
            if states and not all(state["ready"] for state in states):
                name = pod["metadata"]["name"]
                log = cluster.kubectl("logs", name, *scope, "--tail=5", "--ignore-errors")
                told.append(f"{name}:\n{log}")
    return "\n".join(told)
