"""Where a cluster keeps what: all of it under names that tell whose it is."""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.binaries import cache_home
from controlplane.progress import Reporter

CACHE = "kind"
"""The folder, in the cache outside the repo, of images and of what they are made from."""


@dataclass(frozen=True)
class Layout:
    """The places of one cluster. `state` is the folder in the repo, `.kind`, as an absolute path.

    What needs short paths (a socket's may have 107 bytes) or a disk is elsewhere, under a name
    with a tag of `state`: clusters of two clones on a machine don't meet.
    """

    state: Path
    runtime: Path = Path("/run")

    @property
    def tag(self) -> str:
        """Eight hexadecimal digits that stand for `state`."""
        return hashlib.sha256(str(self.state).encode()).hexdigest()[:8]

    @property
    def kubeconfig(self) -> Path:
        """The admin's kubeconfig."""
        return self.state / "kubeconfig"

    @property
    def notes(self) -> Path:
        """What `up` decided, for the commands after it: JSON."""
        return self.state / "cluster.json"

    @property
    def logs(self) -> Path:
        """Output of the steps of `up`."""
        return self.state / "logs"

    @property
    def run(self) -> Path:
        """Sockets, pids and logs of a dockerd of ours; empty after a reboot, as they are."""
        return self.runtime / f"semantic-router-kind-{self.tag}"

    @property
    def socket(self) -> Path:
        """Where a dockerd of ours listens."""
        return self.run / "docker.sock"

    @property
    def data(self) -> Path:
        """Images and volumes of a dockerd of ours; gone with the cluster."""
        return cache() / f"dockerd-{self.tag}"

    @property
    def bridge(self) -> str:
        """The network interface of the nodes' network, at most 15 characters."""
        return f"srk-{self.tag}"

    @property
    def cgroup(self) -> str:
        """The cgroup of every container, in each hierarchy."""
        return f"semantic-router-kind-{self.tag}"

    @contextmanager
    def alone(self, reporter: Reporter) -> Iterator[None]:
        """Keep other commands on this cluster out while the block runs; wait for one at work."""
        cache().mkdir(parents=True, exist_ok=True)
        with (cache() / f".lock-{self.tag}").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                reporter.say("waiting for another command on this cluster")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def cache() -> Path:
    """Return the folder of images and of what they are made from."""
    return cache_home() / CACHE
