"""How glibc's allocator keeps memory, where that is what the process runs on."""

import contextlib
import ctypes

_M_MMAP_THRESHOLD = -3
"""malloc.h"""
LARGE_BYTES = 128 * 1024
"""glibc's own default, which it gives up when it first frees a larger block (mallopt(3))."""


def give_large_blocks_back() -> None:
    """From now on a large block is mapped by itself, and unmapped when it is freed.

    asyncio has a buffer of 256 KiB for each TLS connection. Without this, connections that end and
    begin again leave holes of that size between what lives on: 20 MiB after some minutes.
    """
    with contextlib.suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
