"""The short form of `make faults`: a few faults of each sort, the whole of it is one table."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cluster.live_objects import Refused
from controlplane import ControlPlane
from faults.access import Access, HarnessError
from faults.ground import Admin
from faults.harness import Harness, Setup
from faults.perturbations import PERTURBATIONS, Field, Perturbation, Strike, killing
from faults.plan import Answer, Reset, Rule, StaleList
from faults.process import program
from faults.proxy import FaultProxy
from faults.scenarios import SCENARIOS
from faults.subject import Subject
from faults.trial import Trial
from installation import install

BY_NAME = {one.name: one for one in (*PERTURBATIONS, killing("before", 2), killing("after", 4))}
SCENARIO = {one.name: one for one in SCENARIOS}
TRIED = [
    ("create", "kill before write 2"),
    ("create", "kill after write 4"),
    ("create", "409 once for each write"),
    ("create", "answer lost once for each write"),
    ("HPA on", "500 once for each write"),
    ("endpoint added", "429 once, Retry-After 1"),
    ("endpoint added", "410 in each watch"),
    ("endpoint added", "token rotated"),
    ("endpoint removed", "restart on stale lists"),
    ("router replaced", "restart on stale lists"),
    ("adoption of same", "kill before write 2"),
    ("delete", "operator down at the change"),
    ("namespace deleted", "operator down at the change"),
]


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """One of our own: the session's operator would hold the Lease."""
    with ControlPlane.start(tmp_path_factory.mktemp("faults-plane")) as found:
        yield found


@pytest.fixture(scope="module")
def own(plane: ControlPlane) -> Path:
    """The operator's kubeconfig; the CRD is there."""
    return install(plane)


@pytest.fixture(scope="module")
def harness(
    plane: ControlPlane, own: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Harness]:
    directory = tmp_path_factory.mktemp("faults")
    setup = Setup(plane.kubeconfig, directory, operator_kubeconfig=own)
    with Harness.over(setup) as found:
        yield found


@pytest.fixture(scope="module")
def references() -> dict[str, Trial]:
    """What each scenario comes to without faults, run once."""
    return {}


@pytest.mark.parametrize(("scenario", "perturbation"), TRIED)
def test_the_end_is_the_same_as_without_the_fault(
    scenario: str, perturbation: str, harness: Harness, references: dict[str, Trial]
) -> None:
    chosen, fault = SCENARIO[scenario], BY_NAME[perturbation]
    if scenario not in references:
        references[scenario] = harness.reference(chosen)
    found = harness.trial(chosen, fault, references[scenario])
    assert found.struck
    assert found.problems == ()


def test_an_operator_that_does_nothing_is_found_out(
    harness: Harness, references: dict[str, Trial]
) -> None:
    def forbid(field: Field) -> Strike:
        rule = field.proxy.plan.add(Rule(Answer(403), lambda one: one.is_write))
        return Strike(lambda: 0.0, rule)

    chosen = SCENARIO["endpoint added"]
    reference = references.get("endpoint added") or harness.reference(chosen)
    found = harness.trial(chosen, Perturbation("403", forbid), reference, seconds=3.0)
    assert any(problem.startswith("ConfigMap/") for problem in found.problems)


@pytest.mark.parametrize(
    ("word", "told"), [("false", "keeps ending by itself"), ("sleep 60", "hasn't asked")]
)
def test_an_operator_that_is_none_is_told(word: str, told: str, own: Path, tmp_path: Path) -> None:
    setup = Setup(own, tmp_path, tested=program(word), begin_seconds=3.0)
    with pytest.raises(HarnessError, match=told), Harness.over(setup):
        pass


def _all(subject: Subject) -> bool:
    return True


def test_the_proxy_passes_on_what_it_isnt_told_to_disturb(
    plane: ControlPlane, tmp_path: Path
) -> None:
    with FaultProxy(Access.read(plane.kubeconfig)) as proxy:
        through = proxy.kubeconfig(tmp_path / "kubeconfig")
        plane.kubectl("create", "namespace", "passed-on", kubeconfig=through)
        listed = plane.kubectl("get", "namespaces", "-o", "name", kubeconfig=through)
        assert listed == plane.kubectl("get", "namespaces", "-o", "name")
        wait = ("wait", "--for=delete", "namespace/passed-on", "--timeout=30s")
        plane.kubectl("delete", "namespace", "passed-on", kubeconfig=through)
        plane.kubectl(*wait, kubeconfig=through)
        verbs = {item.subject.verb for item in proxy.seen()}
        assert {"LIST", "POST", "DELETE", "WATCH"} <= verbs


def test_the_proxy_refuses_and_cuts_as_it_is_told(plane: ControlPlane, tmp_path: Path) -> None:
    with FaultProxy(Access.read(plane.kubeconfig)) as proxy:
        through = Access.read(proxy.kubeconfig(tmp_path / "kubeconfig"))
        with closing(Admin(through)) as kube:
            assert kube.ask("GET", "/version")["major"]
            for code in (401, 409, 429, 500, 503):
                proxy.plan.add(Rule(Answer(code, retry_after=1), _all, times=1))
                with pytest.raises(Refused, match=f"{code}: "):
                    kube.ask("GET", "/version")
            proxy.plan.add(Rule(Reset(), _all))
            with pytest.raises(ConnectionError):
                kube.ask("GET", "/version")
            proxy.plan.clear()
            proxy.outage(60.0)
            with pytest.raises(ConnectionError):
                kube.ask("GET", "/version")


def test_a_rotated_token_is_refused_until_it_is_read_again(
    plane: ControlPlane, tmp_path: Path
) -> None:
    with FaultProxy(Access.read(plane.kubeconfig)) as proxy:
        path = proxy.kubeconfig(tmp_path / "kubeconfig")
        with closing(Admin(Access.read(path))) as kube:
            assert kube.ask("GET", "/version")["major"]
            proxy.rotate_token(0.1)
            with pytest.raises(Refused, match="401: "):
                kube.ask("GET", "/version")
        time.sleep(0.5)
        with closing(Admin(Access.read(path))) as kube:
            assert kube.ask("GET", "/version")["major"]


def test_a_stale_list_shows_the_world_as_it_was(plane: ControlPlane, tmp_path: Path) -> None:
    with FaultProxy(Access.read(plane.kubeconfig)) as proxy:
        through = proxy.kubeconfig(tmp_path / "kubeconfig")
        ask = ("get", "configmaps", "-n", "default", "-o", "name")
        before = plane.kubectl(*ask, kubeconfig=through)
        proxy.freeze_lists()
        plane.kubectl("create", "configmap", "new", "-n", "default")
        proxy.plan.add(Rule(StaleList(), _all, times=1))
        assert plane.kubectl(*ask, kubeconfig=through) == before
        assert "configmap/new" in plane.kubectl(*ask, kubeconfig=through)
