"""Reads the index in a few threads, each with its own connection, so that the event loop never waits for a disk."""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from chorus.errors import IndexDamaged
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.opening import FILE, FOLDER
from chorus.find.index.sqlite.searching import CostOf
from chorus.keep.vault.files import FileVault
from chorus.show.server.errors import Refused
from chorus.show.server.services.lanes import Lanes

_Found = TypeVar("_Found")


class Readers:
    """A pool of threads that read the index. Raises `IndexDamaged` when there is no readable index."""

    def __init__(self, vault: FileVault, cost_of: CostOf, *, threads: int, waiting: int, name: str = "reader") -> None:
        self._folder = vault.root / FOLDER
        self._cost_of = cost_of
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"chorus-{name}")
        self._own = threading.local()
        self._opened: list[SqliteIndex] = []
        self._max_under_way = threads + waiting
        self._under_way = 0
        self.answered = 0
        """How many calls have finished so far."""
        self._lanes = Lanes(threads)

    async def run(self, act: Callable[[SqliteIndex], _Found], *, lane: str | None = None) -> _Found:
        """Returns the result of `act`, called in a reader thread; raises `Refused` at once if too many calls wait.

        `lane` names the conversation that it reads, which may be large: calls with the same lane run one at a time.
        """
        if lane is None:
            return await self.in_thread(lambda: self._ask(act))
        async with self._lanes.lane(lane):
            return await self.in_thread(lambda: self._lanes.timed(lane, lambda: self._ask(act)))

    async def in_thread(self, act: Callable[[], _Found]) -> _Found:
        """Returns the result of `act`, called in a reader thread: for functions that use the disk but not the index."""
        if self._under_way >= self._max_under_way:
            raise Refused(503, "busy", "Too many requests wait for an answer; try again in a moment.")
        self._under_way += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, act)
        finally:
            self._under_way -= 1
            self.answered += 1

    @property
    def is_answering(self) -> bool:
        """Whether any call is running or waiting; may be read from any thread."""
        return self._under_way > 0

    def close(self) -> None:
        """Waits for running calls, then closes the index."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        for index in self._opened:
            index.close()

    def _ask(self, act: Callable[[SqliteIndex], _Found]) -> _Found:
        try:
            return act(self._index())
        except IndexDamaged:
            # The file may have been replaced while it was read, so it is opened again once.
            self._close_own()
            return act(self._index())

    def _index(self) -> SqliteIndex:
        """Returns this thread's connection; opens it again if the file was replaced."""
        identity = self._identity()
        if getattr(self._own, "identity", None) != identity:
            self._close_own()
        if getattr(self._own, "index", None) is None:
            self._own.index = SqliteIndex(self._folder, cost_of=self._cost_of, is_lasting=True)
            self._own.identity = identity
            self._opened.append(self._own.index)
        return self._own.index

    def _close_own(self) -> None:
        index: SqliteIndex | None = getattr(self._own, "index", None)
        if index is not None:
            index.close()
            self._opened.remove(index)
            self._own.index = None

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._folder / FILE)  # noqa: PTH116 - called for every answer
        except OSError:
            return None
        return status.st_dev, status.st_ino
