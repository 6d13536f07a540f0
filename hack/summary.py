"""Add up pytest's JUnit reports of all suites in one line; exit 1 unless all passed."""

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

SUITES = ("unit", "golden", "contract", "cluster", "e2e")


def count(report: Path) -> Counter[str]:
    """Count the tests of a report; one that died before it wrote a report counts as a failure."""
    try:
        root = ET.parse(report).getroot()  # noqa: S314 - our own file
    except (OSError, ET.ParseError) as error:
        print(f"{report}: no report: {error}")
        return Counter(failed=1)
    tests: Counter[str] = Counter()
    for suite in root.iter("testsuite"):
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped = int(suite.get("skipped", 0))
        tests["failed"] += failed
        tests["skipped"] += skipped
        tests["passed"] += int(suite.get("tests", 0)) - failed - skipped
    return tests


def main(folder: Path) -> int:
    """Print a line for each suite and the sum, return the exit status.

    A file `<suite>.not-run` says why a suite couldn't run here: it doesn't count.
    """
    total: Counter[str] = Counter()
    for name in SUITES:
        excuse = folder / f"{name}.not-run"
        if excuse.exists():
            print(f"{name:>8}: NOT RUN: {excuse.read_text().strip()}")
            continue
        tests = count(folder / f"{name}.xml")
        print(f"{name:>8}: {_line(tests)}")
        total += tests
    print(_line(total))
    return 1 if total["failed"] or not total["passed"] else 0


def _line(tests: Counter[str]) -> str:
    return f"{tests['passed']} passed, {tests['failed']} failed, {tests['skipped']} skipped"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
