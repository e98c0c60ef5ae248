"""Returns unused memory to the system. By itself, an allocator keeps freed memory in the process.

The allocator of glibc keeps it for each thread separately. It can be told to use few arenas for all threads and to
release free memory. With another C library these functions do nothing.
"""

import asyncio
import ctypes
import time
from collections.abc import Callable
from functools import cache
from typing import Any

_ARENA_MAX = -8
"""`M_ARENA_MAX` of `mallopt`: the maximum number of arenas."""
_ARENAS = 2
LOOK_S, BUSY_S = 5.0, 30.0
"""Memory is released after `LOOK_S` without work, and every `BUSY_S` while there is work."""


def share() -> None:
    """Makes all threads share a few arenas; call it before any thread is started."""
    if (library := _glibc()) is not None:
        library.mallopt(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Returns free memory to the system; takes some milliseconds, during which other threads continue."""
    if (library := _glibc()) is not None:
        library.malloc_trim(0)


async def tidy(done: Callable[[], int]) -> None:
    """Releases memory after work was done, until cancelled; `done` returns how much work was done so far."""
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
        # `gnu_get_libc_version` proves that it is glibc: elsewhere functions of these names may do something else.
        _ = library.gnu_get_libc_version, library.malloc_trim, library.mallopt
    except (OSError, AttributeError, TypeError):
        return None
    return library
