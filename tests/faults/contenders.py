"""Several operators that stand for one Lease: killed, stopped, and begun again under a new name."""

import base64
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from cluster.live_objects import Kube, until
from controlplane import ControlPlane
from faults.access import Access, HarnessError
from faults.lead_log import POLICY
from faults.process import Operator, Program
from installation import NAMESPACE, SERVICE_ACCOUNT, install

START_SECONDS = 45.0
ENDS_ALLOWED = 4
TESTS = str(Path(__file__).parents[1])
"""Where a process finds `faults.skewed`."""
LEASE = "/".join(
    ("/apis/coordination.k8s.io/v1/namespaces", NAMESPACE, "leases", "semantic-router-operator")
)


@dataclass
class Contender:
    """One process, as a pod is: it has a name and a token that nobody had before."""

    name: str
    who: str
    """Id of its token, as the audit log has it."""
    operator: Operator

    @override
    def __str__(self) -> str:
        return self.name


class Contenders:
    """`with Contenders.over(plane, folder, skews) as them:`; as many as there are skews.

    `skews` says for each how wrong its clock is, in seconds, at each start of it in turn.
    """

    def __init__(
        self, plane: ControlPlane, kube: Kube, folder: Path, skews: Sequence[Sequence[float]]
    ) -> None:
        self.kube = kube
        self._plane = plane
        self._folder = folder
        self._skews = skews
        self._starts = [0 for _ in skews]
        self._environment: Mapping[str, str] = {}
        self.running: dict[int, Contender] = {}
        self.paused: set[int] = set()

    @classmethod
    @contextlib.contextmanager
    def over(
        cls,
        plane: ControlPlane,
        kube: Kube,
        folder: Path,
        skews: Sequence[Sequence[float]],
        environment: Mapping[str, str] | None = None,
    ) -> Iterator["Contenders"]:
        """Starts all of them; they end with the block. Raises HarnessError when one doesn't run."""
        them = cls(plane, kube, folder, skews)
        them._environment = environment or {}
        try:
            for number in range(len(skews)):
                them.start(number)
            yield them
        finally:
            for one in them.running.values():
                one.operator.stop()

    def start(self, number: int) -> Contender:
        """Starts one under a new name; returns at once."""
        self._starts[number] += 1
        name = f"operator-{number}-{self._starts[number]}"
        theirs = self._plane.kubeconfig_for_service_account(NAMESPACE, SERVICE_ACCOUNT)
        kubeconfig = theirs.rename(self._folder / f"{name}.kubeconfig")
        skew = self._skews[number][(self._starts[number] - 1) % len(self._skews[number])]
        environment = {
            "BIND_ADDRESS": "127.0.0.1",
            "POD_NAME": name,
            "POD_NAMESPACE": NAMESPACE,
            "PYTHONPATH": os.pathsep.join(filter(None, (TESTS, os.environ.get("PYTHONPATH")))),
            **self._environment,
        }
        program = Program(_words(skew), environment)
        operator = Operator(kubeconfig, self._folder / f"{name}.log", program=program)
        one = Contender(name, _credential(Access.read(kubeconfig).token), operator)
        self.running[number] = one
        operator.keep_running()
        return one

    def holder(self) -> str:
        """Who holds the Lease; "" for nobody."""
        found = self.kube.ask("GET", LEASE.rpartition("/")[0])["items"]
        return found[0]["spec"].get("holderIdentity") or "" if found else ""

    def leader(self) -> int:
        """Number of the contender that holds the Lease, once one of them does that runs."""

        def found() -> tuple[int] | None:
            holder = self.holder()
            live = self.running.items()
            return next(((n,) for n, one in live if one.name == holder and self.is_up(n)), None)

        try:
            return until(found, seconds=START_SECONDS)[0]
        except AssertionError:
            logs = "\n".join(one.operator.tail() for one in self.running.values())
            message = f"no operator leads within {START_SECONDS:.0f} s; their logs end:\n{logs}"
            raise HarnessError(message) from None

    def is_up(self, number: int) -> bool:
        """Whether it runs and isn't paused."""
        return number not in self.paused and self.running[number].operator.running

    def kill(self, number: int) -> None:
        """SIGKILL."""
        self.running[number].operator.kill()

    def pause(self, number: int) -> None:
        """SIGSTOP."""
        self.paused.add(number)
        self.running[number].operator.pause()

    def resume(self, number: int) -> None:
        """SIGCONT."""
        self.running[number].operator.resume()
        self.paused.discard(number)

    def wait(self, seconds: float) -> None:
        """Lets them run for so long, and starts what has ended by itself, as the kubelet does: who
        lost the lead ends. Raises HarnessError when they end all the time."""
        end, ends = time.monotonic() + seconds, 0
        while (left := end - time.monotonic()) > 0:
            for number, one in list(self.running.items()):
                if number in self.paused or one.operator.running:
                    continue
                ends += 1
                if ends > ENDS_ALLOWED:
                    message = f"operators keep ending; a log ends:\n{one.operator.tail()}"
                    raise HarnessError(message)
                self.start(number)
            time.sleep(min(0.5, left))


@contextlib.contextmanager
def audited_plane(folder: Path) -> Iterator[tuple[ControlPlane, Path]]:
    """A control plane with CRD and RBAC whose audit log has what `lead_log` reads; the log."""
    policy, log = folder / "audit-policy.yaml", folder / "audit.log"
    policy.write_text(POLICY.format(namespace=NAMESPACE))
    flags = (f"--audit-policy-file={policy}",)
    where = folder / "control-plane"
    with ControlPlane.start(where, audit_log=log, apiserver_args=flags) as plane:
        install(plane)
        yield plane, log


def _words(skew: float) -> tuple[str, ...]:
    if not skew:
        return Program().words
    return (sys.executable, "-m", "faults.skewed", str(skew), "run")


def _credential(token: str) -> str:
    """The id that the API server gives a ServiceAccount's token in its audit log."""
    payload = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return f"JTI={claims['jti']}"
