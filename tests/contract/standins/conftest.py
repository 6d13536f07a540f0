"""The stand-ins' program, built once a session."""

from pathlib import Path

import pytest

from standins import build


@pytest.fixture(scope="session", autouse=True)
def program() -> Path:
    """Without Go nothing here can be tested; a program that doesn't compile is a failure."""
    try:
        return build.binary()
    except build.GoMissingError as error:
        pytest.skip(f"THE STAND-INS ARE NOT TESTED: {error}")
