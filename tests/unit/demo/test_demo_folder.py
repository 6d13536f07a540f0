"""Whose the demo's folder is, and how it ends; `sleep` stands in for the programs."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane import processes
from controlplane.processes import Command
from demo.__main__ import main
from demo.folder import Folder, FolderError


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def test_a_claimed_folder_is_private_and_knows_who_claimed_it(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "demo")
    folder.claim()
    assert folder.path.stat().st_mode & 0o777 == 0o700
    assert [process.pid for process in processes.recorded(folder.path)] == [os.getpid()]


def test_a_second_demo_is_refused_and_told_how_to_end_the_first(tmp_path: Path) -> None:
    Folder(tmp_path / "demo").claim()
    with pytest.raises(FolderError, match=rf"demo {os.getpid()}.*make demo-down"):
        Folder(tmp_path / "demo").claim()


def test_the_second_demo_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Folder(tmp_path / "demo").claim()
    assert main(["--dir", str(tmp_path / "demo")]) == 1
    assert "a demo is here already" in capsys.readouterr().out


def test_what_a_killed_demo_left_is_replaced(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    folder = Folder(tmp_path / "demo")
    folder.path.mkdir()
    processes.record("demo", sleeper.pid, folder.path)
    folder.log.write_text("old")
    sleeper.kill()
    sleeper.wait()
    folder.claim()
    assert not folder.log.exists()


def test_the_end_ends_what_was_recorded_and_removes_the_folder(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    folder = Folder(tmp_path / "demo")
    folder.claim()
    folder.record("operator", sleeper.pid)
    folder.plane.mkdir()
    etcd = processes.launch(Command("etcd", ("sleep", "60")), folder.plane, outlive_us=False)
    assert folder.end() == ["operator", "etcd"]
    assert sleeper.wait() != 0
    assert not etcd.alive()
    assert not folder.path.exists()


def test_a_process_that_has_only_the_same_pid_is_left_alone(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    folder = Folder(tmp_path / "demo")
    folder.claim()
    folder.record("operator", sleeper.pid)
    note = folder.path / "run" / "operator.json"
    note.write_text(f'{{"pid": {sleeper.pid}, "birth": "another"}}')
    assert folder.end() == []
    assert sleeper.poll() is None


def test_down_without_a_demo_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["down", "--dir", str(tmp_path / "demo")]) == 0
    assert capsys.readouterr().out == "no demo runs\n"
