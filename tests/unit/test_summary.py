"""CI's closing line is honest."""

from pathlib import Path

import pytest

from summary import SUITES, main

REPORT = '<testsuites><testsuite tests="{}" failures="{}" errors="{}" skipped="{}"/></testsuites>'


def reports(folder: Path, last: tuple[int, int, int, int]) -> None:
    for name in SUITES[:-1]:
        (folder / f"{name}.xml").write_text(REPORT.format(10, 0, 0, 0))
    (folder / f"{SUITES[-1]}.xml").write_text(REPORT.format(*last))


def closing_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[-1]


def test_all_that_passed_is_added_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports(tmp_path, (5, 0, 0, 0))
    assert main(tmp_path) == 0
    assert closing_line(capsys) == "45 passed, 0 failed, 0 skipped"


def test_a_failure_an_error_and_a_skip_are_not_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports(tmp_path, (5, 1, 1, 1))
    assert main(tmp_path) == 1
    assert closing_line(capsys) == "42 passed, 2 failed, 1 skipped"


def test_a_suite_without_a_report_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports(tmp_path, (5, 0, 0, 0))
    (tmp_path / "cluster.xml").unlink()
    assert main(tmp_path) == 1
    assert closing_line(capsys) == "35 passed, 1 failed, 0 skipped"


def test_a_suite_that_could_not_run_here_says_why_and_counts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports(tmp_path, (5, 0, 0, 0))
    (tmp_path / "e2e.xml").unlink()
    (tmp_path / "e2e.not-run").write_text("it needs root\n")
    assert main(tmp_path) == 0
    said = capsys.readouterr().out.splitlines()
    assert "     e2e: NOT RUN: it needs root" in said
    assert said[-1] == "40 passed, 0 failed, 0 skipped"


def test_no_test_at_all_is_no_success(tmp_path: Path) -> None:
    for name in SUITES:
        (tmp_path / f"{name}.xml").write_text(REPORT.format(0, 0, 0, 0))
    assert main(tmp_path) == 1
