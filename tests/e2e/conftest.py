"""One cluster with one installed operator for the session, and a namespace for each test."""

import os
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cluster.live_objects import Place
from controlplane.errors import ControlPlaneError
from e2e import diagnosis, images
from e2e.figures import Figures
from e2e.operators import NAMESPACE, Operators, routers_of_others, without_leftovers
from e2e.stage import Stage, staged
from e2e.target import ROOT, NoClusterError, ProxiedKube, Target, find, proxied
from standins.build import BuildError

HERE = Path(__file__).parent
FIGURES = pytest.StashKey[Figures]()
FAILED = pytest.StashKey[str]()
REPORTS = ROOT / ".reports" / "e2e"


def pytest_configure(config: pytest.Config) -> None:
    """The session's figures."""
    config.stash[FIGURES] = Figures()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder; each may take a while."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """The figures, if there are any."""
    figures = config.stash[FIGURES]
    if figures.disruptions or figures.durations:
        terminalreporter.section("figures")
        for line in figures.lines():
            terminalreporter.write_line(line)
        figures.write(REPORTS / "figures.json")


@pytest.fixture(scope="session")
def target(request: pytest.FixtureRequest) -> Target:
    """The cluster. Without one there is nothing to do: the session ends, with exit code 2."""
    try:
        return find()
    except NoClusterError as error:
        if all(HERE in item.path.parents for item in request.session.items):
            pytest.exit(f"e2e: {error}", returncode=2)
        pytest.skip(f"NO END-TO-END TESTS: {error}")


@pytest.fixture(scope="session")
def kube(target: Target) -> Iterator[ProxiedKube]:
    """A quick client."""
    with proxied(target) as path, closing(ProxiedKube(path)) as client:
        yield client


@pytest.fixture(scope="session")
def operators(target: Target, kube: ProxiedKube) -> Iterator[Operators]:
    """The operator as users install it, with a second replica that stands by."""
    without_leftovers(kube)
    if others := routers_of_others(kube):
        text = f"{target.context} has SemanticRouters that this suite would delete in the end: "
        pytest.exit(f"e2e: {text}{', '.join(others)}", returncode=2)
    try:
        image = images.load(target)
    except (images.ImagesError, BuildError, ControlPlaneError) as error:
        pytest.exit(f"e2e: {error}", returncode=2)
    found = Operators(target, Place(kube, NAMESPACE))
    found.install(image)
    found.scale(2)
    yield found
    if os.environ.get("E2E_KEEP") != "1":
        found.uninstall()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remembers what has failed, and how: of a test that passes when it is repeated nothing else
    would tell."""
    report = yield
    if report.failed:
        item.stash[FAILED] = item.stash.get(FAILED, default="") + report.longreprtext
    return report


@pytest.fixture
def stage(
    kube: ProxiedKube, operators: Operators, request: pytest.FixtureRequest
) -> Iterator[Stage]:
    """A namespace of one's own. When the test fails, what is to be seen there goes into a file."""
    with staged(kube) as found:
        yield found
        if failure := request.node.stash.get(FAILED, default=""):
            del request.node.stash[FAILED]  # it may be tried again
            attempt = getattr(request.node, "execution_count", 1)
            seen = diagnosis.look(found, operators)
            path = diagnosis.write(REPORTS, f"{request.node.name}-{attempt}", failure, *seen)
            print(f"what was there to see: {path}")  # noqa: T201 - pytest shows it


@pytest.fixture
def figures(pytestconfig: pytest.Config) -> Figures:
    """Where a test writes what it has measured."""
    return pytestconfig.stash[FIGURES]
