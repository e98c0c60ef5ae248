"""Memory that the server no longer needs, given back to the system: what is freed stays with a process by itself.

The allocator of the C library holds on to what it once had, for each thread apart. Where it is glibc it can be asked to
share, and to let go; elsewhere nothing happens.
"""

import asyncio
import ctypes
import time
from collections.abc import Callable
from functools import cache
from typing import Any

_ARENA_MAX = -8
"""`M_ARENA_MAX` of `mallopt`: how many areas threads have memory from."""
_ARENAS = 2
LOOK_S, BUSY_S = 5.0, 30.0
"""Memory is given back when nothing was done for the first, and every so often while something is."""


def share() -> None:
    """Let all threads have memory from the same few areas; call it before there are threads."""
    if (library := _glibc()) is not None:
        library.mallopt(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Give what is free back to the system; takes some milliseconds, in which other threads go on."""
    if (library := _glibc()) is not None:
        library.malloc_trim(0)


async def tidy(done: Callable[[], int]) -> None:
    """Give back what work leaves behind, until cancelled; `done` counts what was done so far."""
    before = given = done()
    given_at = time.monotonic()
    while True:
        await asyncio.sleep(LOOK_S)
        now = done()
        if now != given and (now == before or time.monotonic() - given_at >= BUSY_S):
            await asyncio.to_thread(give_back)
            given, given_at = now, time.monotonic()
        before = now


@cache
def _glibc() -> Any | None:
    try:
        library = ctypes.CDLL(None)
        # Its own name for itself: other libraries may have functions of these names that do something else.
        _ = library.gnu_get_libc_version, library.malloc_trim, library.mallopt
    except (OSError, AttributeError, TypeError):
        return None
    return library
