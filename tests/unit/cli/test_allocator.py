"""Memory that large buffers took goes back to the system."""

import ctypes
import platform
import subprocess
import sys

import pytest

LARGE_AFTER_LARGER = """
import ctypes, sys
from semantic_router_operator.cli.allocator import give_large_blocks_back

class Info(ctypes.Structure):
    _fields_ = [(f"field{n}", ctypes.c_size_t) for n in range(10)]

def mapped():
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Info
    return libc.mallinfo2().field3

if sys.argv[1] == "called":
    give_large_blocks_back()
larger = bytearray(4 * 2**20)
del larger  # glibc takes it for a reason to keep blocks of that size from now on
before = mapped()
buffers = [bytearray(256 * 1024) for _ in range(8)]  # asyncio has one for each TLS connection
print(mapped() - before)
"""

glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not hasattr(ctypes.CDLL(None), "mallinfo2"),
    reason="tells of glibc's allocator",
)


def mapped_apart(*, called: bool) -> int:
    program = [sys.executable, "-c", LARGE_AFTER_LARGER, "called" if called else "not called"]
    done = subprocess.run(  # noqa: S603 - a program of ours
        program, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@glibc
def test_buffers_of_connections_are_given_back_one_by_one() -> None:
    assert mapped_apart(called=True) == 8


@glibc
def test_by_itself_the_allocator_would_keep_them() -> None:
    assert mapped_apart(called=False) == 0
