"""Schedules requests on the reader threads, so that long answers about one conversation do not delay other requests."""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from chorus.show.server.errors import Refused

HEAVY_S = 0.1
"""A name whose last answers took this much processor time is treated as heavy the next time."""
_MAX_WAITING = 32
"""The maximum number of requests that wait for the same name."""
_MAX_KNOWN = 1_000
_Found = TypeVar("_Found")


class Lanes:
    """Requests with a name share all readers but one; the last reader is always left for other requests.

    For each name one request runs at a time, and for all heavy names together one at a time.
    """

    def __init__(self, readers: int) -> None:
        self._shared = asyncio.Semaphore(max(1, readers - 1))
        self._heavy = asyncio.Semaphore(1)
        self._own: dict[str, asyncio.Lock] = {}
        self._waiting: Counter[str] = Counter()
        self._spent: OrderedDict[str, float] = OrderedDict()

    @asynccontextmanager
    async def lane(self, name: str) -> AsyncIterator[None]:
        """Waits for a reader; raises `Refused` at once if too many requests wait for the same name."""
        if self._waiting[name] >= _MAX_WAITING:
            raise Refused(503, "busy", "Too many requests wait for this conversation; try again in a moment.")
        self._waiting[name] += 1
        own = self._own.setdefault(name, asyncio.Lock())
        try:
            async with own:
                if self.is_heavy(name):
                    async with self._heavy, self._shared:
                        yield
                else:
                    async with self._shared:
                        yield
        finally:
            self._waiting[name] -= 1
            if not self._waiting[name]:
                del self._waiting[name], self._own[name]

    def is_heavy(self, name: str) -> bool:
        return self._spent.get(name, 0.0) >= HEAVY_S

    def timed(self, name: str, act: Callable[[], _Found]) -> _Found:
        """Calls `act` in a reader thread, and notes how much processor time it took."""
        begun = time.thread_time()
        try:
            return act()
        finally:
            # One short answer does not make a name light at once: the next answer may be long again.
            self._spent[name] = max(time.thread_time() - begun, self._spent.get(name, 0.0) / 2)
            self._spent.move_to_end(name)
            while len(self._spent) > _MAX_KNOWN:
                self._spent.popitem(last=False)
