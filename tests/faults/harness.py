"""An operator behind the proxy, and one trial at a time: a scenario with a perturbation."""

import contextlib
import http.client
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import override

from cluster.live_objects import Kube, Object, Place, Refused, until
from faults.access import Access, HarnessError
from faults.perturbations import Field, Perturbation
from faults.process import DEFAULT_COMMAND, DEFAULT_ENVIRONMENT, Operator
from faults.proxy import FaultProxy, hasty
from faults.scenarios import ROUTER, Scenario
from faults.state import State, differences, duplicates, normalised, orphans

KINDS = (
    "sr",
    "deployment",
    "service",
    "configmap",
    "serviceaccount",
    "hpa",
    "claim",
    "ingress",
    "networkpolicy",
    "pdb",
    "controllerrevision",
    "pod",
)
QUIET_SECONDS = 1.0
STARTED_SECONDS = 2.0
"""From the first look at the routers until the passes of a fresh operator are over."""
CONVERGE_SECONDS = 90.0
CRD_SECONDS = 20.0


class Admin(Kube):
    """Somebody who may do everything, not through the proxy."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._address = access.server.partition("://")[2]
        self._tls = access.tls()
        self._connection = self.connect()
        self.warning = ""

    @override
    def connect(self) -> http.client.HTTPSConnection:
        connection = _Authorized(self._address, timeout=30, context=self._tls)
        connection.headers = self._access.headers
        return connection


class _Authorized(http.client.HTTPSConnection):
    headers: Mapping[str, str] = {}

    @override
    def request(
        self, method: str, url: str, body: Any = None, headers: Any = None, **more: Any
    ) -> None:
        super().request(method, url, body, {**(headers or {}), **self.headers}, **more)


@dataclass(frozen=True)
class Trial:
    """How one run ended. `problems` is empty when it is as good as the run without faults."""

    state: State
    problems: tuple[str, ...]
    writes: int
    """Committed, in the namespace; Events and Leases apart."""
    seconds: float
    struck: bool = True
    attempts: int = 0


class Harness:
    """`with Harness.over(...) as harness:`, then `reference(scenario)` and `trial(...)`."""

    def __init__(self, admin: Access, proxy: FaultProxy, operator: Operator) -> None:
        self.proxy = proxy
        self.operator = operator
        self._admin = admin

    @classmethod
    @contextlib.contextmanager
    def over(
        cls,
        kubeconfig: Path,
        directory: Path,
        *,
        operator_kubeconfig: Path | None = None,
        words: Sequence[str] = DEFAULT_COMMAND,
        environment: Mapping[str, str] = DEFAULT_ENVIRONMENT,
    ) -> Iterator["Harness"]:
        """Checks everything first; then the proxy and the operator run as long as the block.

        `kubeconfig` is an administrator's; `operator_kubeconfig` the operator's own, the same by
        default. Raises HarnessError.
        """
        admin = Access.read(kubeconfig)
        admin.check()
        _check_crd(admin)
        with FaultProxy(Access.read(operator_kubeconfig or kubeconfig)) as proxy:
            path = proxy.kubeconfig(directory / "operator.kubeconfig")
            log = directory / "operator.log"
            operator = Operator(path, log, words=words, environment=environment)
            proxy.kill = operator.kill
            try:
                operator.keep_running()
                yield cls(admin, proxy, operator)
            finally:
                operator.stop()

    @contextlib.contextmanager
    def place(self, scenario: Scenario) -> Iterator[Place]:
        """The scenario's namespace, empty; always the same one, since its name is in what the
        operator writes."""
        with contextlib.closing(Admin(self._admin)) as kube:
            place = Place(kube, "faults-" + scenario.name.lower().replace(" ", "-"))
            with contextlib.suppress(Refused):
                metadata = {"name": place.namespace}
                kube.ask("POST", "/api/v1/namespaces", {"metadata": metadata})
            until(lambda: place.get("serviceaccount", "default"))
            self._empty(place)
            yield place

    def reference(self, scenario: Scenario) -> Trial:
        """The run without faults. Raises HarnessError when even that doesn't come to its end."""
        with self.place(scenario) as place:
            began = self._change(scenario, place, None)
            while not (scenario.done(place) and self._is_quiet(place, began)):
                self._patience(began, f"{scenario.name}: not done without any fault", place)
            return self._ended(place, began, None)

    def trial(
        self,
        scenario: Scenario,
        perturbation: Perturbation,
        reference: Trial,
        *,
        seconds: float = CONVERGE_SECONDS,
    ) -> Trial:
        """The run with faults, until its state is the reference's, or for too long."""
        with self.place(scenario) as place:
            field = Field(self.proxy, self.operator, place.namespace)
            try:
                began = self._change(scenario, place, perturbation)
                rule = self._rule
                perturbation.after(field)
                while not self._settled(place, began, reference):
                    if time.monotonic() - began > seconds:
                        break
                    self._step()
            finally:
                self.proxy.plan.clear()
            ended = self._ended(place, began, reference)
            struck = rule is None or rule.hits > 0
            return Trial(
                ended.state, ended.problems, ended.writes, ended.seconds, struck, ended.attempts
            )

    def _change(self, scenario: Scenario, place: Place, perturbation: Perturbation | None) -> float:
        scenario.prepare(place)
        began = time.monotonic()
        while not (scenario.idle(place) and self._is_quiet(place, began)):
            self._patience(began, f"{scenario.name}: never ready for the change", place)
        began = time.monotonic()
        self._rule = None
        if perturbation is not None:
            self._rule = perturbation.arm(Field(self.proxy, self.operator, place.namespace))
        scenario.change(place)
        return began

    def _settled(self, place: Place, began: float, reference: Trial) -> bool:
        if self.proxy.out or not self._is_quiet(place, began):
            return False
        return normalised(_objects(place)) == reference.state

    def _is_quiet(self, place: Place, began: float) -> bool:
        """Nothing was written for a while, by an operator that has looked at the routers."""
        since = time.monotonic() - QUIET_SECONDS
        if began > since or not self._has_looked():
            return False
        return not any(_is_write(item.subject, place) for item in self.proxy.seen(since))

    def _has_looked(self) -> bool:
        """The operator runs, and had time to act on what it has listed since its start."""
        if not self.operator.running:
            return False
        until = time.monotonic() - STARTED_SECONDS
        return any(
            item.at < until and item.committed and item.subject.resource == "semanticrouters"
            for item in self.proxy.seen(self.operator.started_at)
        )

    def _patience(self, began: float, what: str, place: Place) -> None:
        self._step()
        if time.monotonic() - began > CONVERGE_SECONDS:
            router = place.get("sr", ROUTER) or {}
            told = (router.get("status") or {}).get("conditions")
            tail = self.operator.tail()
            message = (
                f"{what} in {CONVERGE_SECONDS:.0f} s: {told}; the operator's log ends:\n{tail}"
            )
            raise HarnessError(message)

    def _step(self) -> None:
        self.operator.keep_running()
        time.sleep(0.1)

    def _ended(self, place: Place, began: float, reference: Trial | None) -> Trial:
        objects = _objects(place)
        state = normalised(objects)
        seen = [item for item in self.proxy.seen(began) if _is_write(item.subject, place)]
        last = max((item.at for item in seen), default=began)
        problems = [f"orphan: {name}" for name in orphans(objects)]
        problems += [f"duplicate: {name}" for name in duplicates(objects)]
        problems += hasty(seen)
        if reference is not None:
            problems += differences(reference.state, state)
        writes = sum(item.committed for item in seen)
        took = (time.monotonic() if problems else max(last, began)) - began
        return Trial(state, tuple(problems), writes, took, attempts=len(seen))

    def _empty(self, place: Place) -> None:
        deadline = time.monotonic() + CONVERGE_SECONDS
        while left := _clearable(place):
            if time.monotonic() > deadline:
                names = [item["metadata"]["name"] for _, item in left]
                message = f"namespace {place.namespace} can't be emptied: {names}"
                raise HarnessError(message)
            for kind, item in left:
                if "deletionTimestamp" not in item["metadata"]:
                    with contextlib.suppress(Refused):
                        place.delete(kind, item["metadata"]["name"])
            self._step()


def _clearable(place: Place) -> list[tuple[str, Object]]:
    found = [(kind, item) for kind in KINDS for item in place.all(kind)]
    return [(kind, item) for kind, item in found if item["metadata"]["name"] not in _FIXED]


_FIXED = frozenset(("kube-root-ca.crt", "default"))


def _objects(place: Place) -> list[Object]:
    found = []
    for kind in KINDS:
        listed = place.kube.ask("GET", place.path(kind))
        word = listed["kind"].removesuffix("List")
        found += [{"kind": word, **item} for item in listed["items"]]
    return found


def _is_write(subject: Any, place: Place) -> bool:
    return bool(subject.is_write and subject.namespace == place.namespace)


def _check_crd(access: Access) -> None:
    """A CRD that has just been made answers 429 for a moment."""
    deadline = time.monotonic() + CRD_SECONDS
    with contextlib.closing(Admin(access)) as kube:
        while True:
            try:
                kube.ask("GET", "/apis/vllm.ai/v1alpha1/semanticrouters")
            except Refused as error:
                if error.code != http.client.TOO_MANY_REQUESTS or time.monotonic() > deadline:
                    message = f"SemanticRouters can't be listed at {access.server}: {error}"
                    raise HarnessError(message) from None
                time.sleep(0.2)
            else:
                return
