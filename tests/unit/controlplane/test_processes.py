"""Only what we started is ever ended."""

import os
from pathlib import Path

from controlplane import processes
from controlplane.processes import Command, Process

SLEEP = Command("sleep", ("/bin/sh", "-c", "echo going to sleep; exec sleep 60"))


def test_a_process_is_ended_and_its_pid_file_goes(tmp_path: Path) -> None:
    process = processes.launch(SLEEP, tmp_path, outlive_us=False)
    assert process.alive()
    process.end()
    assert not process.alive()
    assert processes.recorded(tmp_path) == []


def test_a_process_is_known_again_by_its_pid_file(tmp_path: Path) -> None:
    process = processes.launch(SLEEP, tmp_path, outlive_us=False)
    (again,) = processes.recorded(tmp_path)
    assert (again.name, again.pid, again.alive()) == ("sleep", process.pid, True)
    again.end()
    assert not process.alive()


def test_a_later_process_with_the_same_pid_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    somebody_else = Process("etcd", os.getpid(), "an earlier birth", tmp_path)
    assert not somebody_else.alive()
    somebody_else.end()  # were it believed, this test run would end here


def test_the_tail_of_the_log_is_at_hand(tmp_path: Path) -> None:
    command = Command("talk", ("/bin/sh", "-c", "seq 100"))
    process = processes.launch(command, tmp_path, outlive_us=False)
    assert process.popen is not None
    process.popen.wait()
    assert process.tail(2) == "99\n100"
