"""What .ci/run does around the suite with real pods; make and kind are stood in for."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAKE = """\
#!/bin/sh
echo "make $*" >>log
env | grep -E '^(KUBECONFIG|E2E_)' >>log
case "$*" in e2e*) suites=e2e ;; *) suites="unit golden contract cluster" ;; esac
for suite in $suites; do
  echo '<testsuites><testsuite tests="1"/></testsuites>' >.reports/$suite.xml
done
"""
KIND = """\
#!/bin/sh
echo "kind $5" >>log
[ "$FAILING" != "$5" ] || exit 1
"""
PYTHON = """\
#!/bin/sh
[ "$1" = -c ] || exec {python} "$@"
"""
TIMEOUT = """\
#!/bin/sh
echo "at most $3" >>log
shift 3
exec "$@"
"""


@dataclass(frozen=True)
class Clone:
    """A folder with .ci/run in it and nothing that would take time."""

    folder: Path

    def run(self, **environment: str) -> "subprocess.CompletedProcess[str]":
        path = f"{self.folder / 'bin'}:/usr/bin:/bin"
        return subprocess.run(  # noqa: S603 - our own script
            [self.folder / ".ci" / "run"],
            env={**os.environ, "CI_E2E": "1", "PATH": path, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def log(self) -> list[str]:
        return (self.folder / "log").read_text().splitlines()

    def steps(self) -> list[str]:
        return [line for line in self.log() if not line.startswith("at most ")]

    def bounds(self) -> list[int]:
        words = [line.split() for line in self.log() if line.startswith("at most ")]
        return [int(line[-1]) for line in words]


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    for name, text in {
        "bin/make": MAKE,
        "bin/timeout": TIMEOUT,
        "bin/python3": PYTHON.format(python=sys.executable),
        ".venv/bin/python": KIND,
        ".ci/run": (ROOT / ".ci" / "run").read_text(),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "hack").mkdir()
    shutil.copy(ROOT / "hack" / "summary.py", tmp_path / "hack" / "summary.py")
    return Clone(tmp_path)


def test_the_images_are_built_before_the_suite_and_the_cluster_ends(clone: Clone) -> None:
    done = clone.run()
    assert done.returncode == 0, done.stderr
    assert clone.steps() == [
        "make --keep-going check test",
        "kind up",
        "kind image",
        "make e2e PYTEST_ARGS=--reruns 1 --reruns-delay 5",
        "kind down",
    ]
    assert done.stdout.splitlines()[-1] == "5 passed, 0 failed, 0 skipped"


def test_the_suite_is_told_of_no_other_cluster(clone: Clone) -> None:
    told = {"KUBECONFIG": "/root/mine", "E2E_LOAD": "0", "E2E_KEEP": "1", "E2E_ANY_CONTEXT": "1"}
    assert clone.run(**told).returncode == 0
    assert not [line for line in clone.log() if line.startswith(("KUBECONFIG", "E2E_"))]


def test_a_cluster_that_was_there_before_is_neither_used_nor_ended(clone: Clone) -> None:
    (clone.folder / ".kind").mkdir()
    (clone.folder / ".kind" / "cluster.json").write_text("{}")
    done = clone.run()
    assert done.returncode == 0
    assert clone.steps() == ["make --keep-going check test"]
    assert "e2e: NOT RUN: a cluster of `make kind-up` is there" in done.stdout


def test_too_late_it_is_not_begun(clone: Clone) -> None:
    done = clone.run(SECONDS="1801")
    assert clone.steps() == ["make --keep-going check test"]
    assert "too many to begin" in done.stdout


def test_every_step_with_the_cluster_has_a_bound(clone: Clone) -> None:
    assert clone.run(SECONDS="1700").returncode == 0
    up, image, suite, down = clone.bounds()
    assert (up, image) == (900, 600)
    assert 1500 < suite <= 1700
    assert down > 0


@pytest.mark.parametrize("step", ["up", "image"])
def test_what_fails_before_the_suite_is_a_failure_of_it(clone: Clone, step: str) -> None:
    done = clone.run(FAILING=step)
    assert done.returncode == 1
    assert not [line for line in clone.steps() if line.startswith("make e2e")]
    assert clone.steps()[-1] == "kind down"
    assert done.stdout.splitlines()[-1] == "4 passed, 1 failed, 0 skipped"
