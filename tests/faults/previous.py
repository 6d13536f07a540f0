"""The version before this one, from the history of the repository."""

import subprocess
from pathlib import Path

from faults.access import HarnessError
from faults.process import Program

ROOT = Path(__file__).parents[2]
PREVIOUS = "2e06b76"
"""The commit that serves as the version before: the last one without what `make faults` tests."""


def previous(directory: Path, commit: str = PREVIOUS, *, root: Path = ROOT) -> Program:
    """The operator of that commit, unpacked into the directory.

    Raises HarnessError when the history isn't there: in a shallow clone, or without git.
    """
    try:
        packed = subprocess.run(
            ["git", "-C", str(root), "archive", "--format=tar", commit, "operator"],  # noqa: S607 - the one of the PATH
            capture_output=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        told = getattr(error, "stderr", b"") or str(error).encode()
        message = (
            f"the version before is commit {commit}, which this copy of the repository doesn't "
            f"have ({told.decode(errors='replace').strip()}); fetch the whole history, give "
            "--previous-command, or leave the scenarios upgrade and downgrade out"
        )
        raise HarnessError(message) from None
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-xC", str(directory)], input=packed, check=True)  # noqa: S607
    return Program().having(PYTHONPATH=str(directory / "operator"))
