"""An operator behind the proxy, and one trial at a time: a scenario with a perturbation."""

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.client import OK
from pathlib import Path
from typing import Any

from cluster.live_objects import Place, Refused
from faults.access import Access, HarnessError
from faults.ground import Ground, check_crd, objects_in, standing
from faults.health import RECOVERY_SECONDS, Probe, unhealthy
from faults.perturbations import Field, Perturbation, Strike
from faults.process import Operator, Program
from faults.proxy import FaultProxy
from faults.scenario import ROUTER, Scenario, Who
from faults.trial import Ending, Rules, Trial, pods

QUIET_SECONDS = 1.0
STARTED_SECONDS = 2.0
"""From the first look at the routers until the passes of a fresh operator are over."""
STEP_SECONDS = 0.1
ANY = 1000
LONGEST_STRIKE_SECONDS = 90.0
"""A fault that isn't over by then is waited for no longer."""


class StoppedError(HarnessError):
    """Somebody asked us to end."""


@dataclass(frozen=True)
class Setup:
    """What a harness works with. `operator_kubeconfig` is the operator's own, the administrator's
    by default."""

    kubeconfig: Path
    directory: Path
    operator_kubeconfig: Path | None = None
    tested: Program = field(default_factory=Program)
    previous: Program | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    """Set it to end whatever is under way."""
    begin_seconds: float = 60.0
    """By then the operator must have asked the API server for something."""


class Harness:
    """`with Harness.over(setup) as harness:`, then `reference(scenario)` and `trial(...)`."""

    _strike: Strike
    """When the fault of the trial under way is over."""

    def __init__(self, setup: Setup, proxy: FaultProxy, operator: Operator) -> None:
        self.proxy = proxy
        self.operator = operator
        self._setup = setup
        self._programs: Mapping[Who, Program | None] = {
            "tested": setup.tested,
            "previous": setup.previous,
            "nobody": None,
        }
        self._ground = Ground(Access.read(setup.kubeconfig), self._step)
        self._environment: Mapping[str, str] = {}
        self._strike = Strike(lambda: 0.0)
        self._pods: frozenset[str] = frozenset()
        self._looked_since = 0.0
        """When the operator was started that is known to have looked."""

    @classmethod
    @contextlib.contextmanager
    def over(cls, setup: Setup) -> Iterator["Harness"]:
        """Checks everything first; then the proxy and the operator run as long as the block.

        Raises HarnessError.
        """
        admin = Access.read(setup.kubeconfig)
        admin.check()
        check_crd(admin)
        with FaultProxy(Access.read(setup.operator_kubeconfig or setup.kubeconfig)) as proxy:
            path = proxy.kubeconfig(setup.directory / "operator.kubeconfig")
            log = setup.directory / "operator.log"
            operator = Operator(path, log, program=setup.tested)
            proxy.kill = operator.kill
            try:
                harness = cls(setup, proxy, operator)
                harness.begin()
                yield harness
            finally:
                operator.stop()

    def begin(self) -> None:
        """Starts the operator. Raises HarnessError when it can't be one of this cluster."""
        seconds = self._setup.begin_seconds
        deadline = time.monotonic() + seconds
        while not self.proxy.seen():
            self._step()
            if time.monotonic() > deadline:
                message = (
                    f"the operator hasn't asked the API server of its KUBECONFIG for anything in "
                    f"{seconds:.0f} s; its log ends:\n{self.operator.tail()}"
                )
                raise HarnessError(message)

    def reference(self, scenario: Scenario) -> Trial:
        """The run without faults. Raises HarnessError when even that doesn't come to its end."""
        with self._played(scenario, {}) as place:
            began = self._change(scenario, place)
            while not (self._is_quiet(place, began) and scenario.done(place)):
                self._patience(scenario, began, "not done without any fault", place)
            ending = self._ending(place, began, began)
            return ending.judged(None, Rules(keeps_pods=scenario.keeps_pods))

    def trial(
        self,
        scenario: Scenario,
        perturbation: Perturbation,
        reference: Trial,
        *,
        seconds: float | None = None,
    ) -> Trial:
        """The run with faults, until its state is the reference's, or for too long."""
        longest = seconds or scenario.seconds
        with contextlib.ExitStack() as stack:
            place = stack.enter_context(self._played(scenario, perturbation.environment))
            probe = None
            if perturbation.health:
                probe = stack.enter_context(Probe(self.operator.health_port))
            began = self._change(scenario, place, perturbation)
            strike = self._strike
            self._follow(place, began, reference, longest)
            if perturbation.again is not None:
                strike = perturbation.again(Field(self.proxy, self.operator, place.namespace))
                self._strike = strike
                self._follow(place, began, reference, longest)
            rules = Rules(
                keeps_pods=scenario.keeps_pods,
                limited=perturbation.limited and scenario.after == "tested",
                may_end=perturbation.may_end if scenario.after == "tested" else ANY,
                struck=strike.struck,
            )
            found = self._ending(place, began, strike.over()).judged(reference, rules)
            if probe is None:
                return found
            ill = self._ill(probe, began, strike.over())
            return replace(found, problems=(*found.problems, *ill))

    def _follow(self, place: Place, began: float, reference: Trial, longest: float) -> None:
        """Waits until the state is the reference's, or for too long after the fault."""
        while not self._settled(place, began, reference):
            over = min(max(self._strike.over(), began), began + LONGEST_STRIKE_SECONDS)
            if time.monotonic() - over > longest:
                return
            self._step()

    def _ill(self, probe: Probe, began: float, over: float) -> list[str]:
        """What the probes told wrongly; nothing of an operator that has none."""
        if not any(item.live == OK for item in probe.samples if item.at < began):
            return []
        while time.monotonic() < over + RECOVERY_SECONDS and probe.samples[-1].ready != OK:
            self._step()
        return unhealthy([item for item in probe.samples if item.at >= began], began, over)

    def forget(self, scenario: Scenario) -> None:
        """Removes what the scenario left."""
        self._ground.remove(scenario)

    def serves(self, kind: str) -> bool:
        """Whether the cluster has the kind."""
        return self._ground.serves(kind)

    @contextlib.contextmanager
    def _played(self, scenario: Scenario, environment: Mapping[str, str]) -> Iterator[Place]:
        """The place, with whoever runs before the change; faults end with the block."""
        self._environment = environment
        self._be("tested")
        self.proxy.forget_seen()
        try:
            with self._ground.place(scenario) as place:
                yield place
        except (Refused, AssertionError) as error:
            message = f"{scenario.name}: {error}"
            raise HarnessError(message) from error
        finally:
            self.proxy.plan.clear()
            self._environment = {}

    def _be(self, who: Who) -> None:
        program = self._programs[who]
        if program is None and who == "previous":
            message = "there is no operator of the version before; give --previous-command"
            raise HarnessError(message)
        self.operator.be(program and program.having(**self._environment))

    def _change(
        self, scenario: Scenario, place: Place, perturbation: Perturbation | None = None
    ) -> float:
        """When the change began."""
        self._be(scenario.before)
        scenario.prepare(place)
        began = time.monotonic()
        while not (self._is_quiet(place, began) and scenario.idle(place)):
            self._patience(scenario, began, "never ready for the change", place)
        if scenario.hands_over:
            self.operator.be(None)
            if scenario.between is not None:
                scenario.between(place)
        self._pods = pods(objects_in(place))
        self.operator.ends = 0
        began = time.monotonic()
        self._strike = Strike(lambda: began)
        if perturbation is not None:
            self._strike = perturbation.arm(Field(self.proxy, self.operator, place.namespace))
        if scenario.hands_over:
            self._be(scenario.after)
        scenario.change(place)
        return began

    def _settled(self, place: Place, began: float, reference: Trial) -> bool:
        now = time.monotonic()
        if self._strike.over() > now or not self._is_quiet(place, began):
            return False
        return self._ending(place, began, now).state == reference.state

    def _is_quiet(self, place: Place, began: float) -> bool:
        """Nothing was written for a while, by an operator that has looked at the routers."""
        since = time.monotonic() - QUIET_SECONDS
        if began > since or not self._has_looked():
            return False
        return not any(_is_write(item.subject, place) for item in self.proxy.seen(since))

    def _has_looked(self) -> bool:
        """The operator runs, and had time to act on what it has listed since its start; or nobody
        is to run."""
        if not self.operator.running:
            return not self.operator.wanted
        started = self.operator.started_at
        if self._looked_since == started:
            return True
        until = time.monotonic() - STARTED_SECONDS
        looked = any(
            item.at < until and item.committed and item.subject.resource == "semanticrouters"
            for item in self.proxy.seen(started)
        )
        if looked:
            self._looked_since = started
        return looked

    def _patience(self, scenario: Scenario, began: float, what: str, place: Place) -> None:
        self._step()
        if time.monotonic() - began > scenario.seconds:
            router = place.get("sr", ROUTER) or {}
            told = (router.get("status") or {}).get("conditions")
            message = (
                f"{scenario.name}: {what} in {scenario.seconds:.0f} s: {told}; the operator's log "
                f"ends:\n{self.operator.tail()}"
            )
            raise HarnessError(message)

    def _step(self) -> None:
        if self._setup.stop.is_set():
            message = "stopped"
            raise StoppedError(message)
        self.operator.keep_running()
        time.sleep(STEP_SECONDS)

    def _ending(self, place: Place, began: float, over: float) -> Ending:
        return Ending(
            objects=objects_in(place),
            standing=standing(place),
            pods_before=self._pods,
            seen=[item for item in self.proxy.seen(began) if _is_write(item.subject, place)],
            began=began,
            over=over,
            now=time.monotonic(),
            ends=self.operator.ends,
        )


def _is_write(subject: Any, place: Place) -> bool:
    return bool(subject.is_write and subject.namespace == place.namespace)
