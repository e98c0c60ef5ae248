"""The index read by a few threads, each with a connection of its own, so that the event loop never waits for a disk."""

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
    """Answers questions to the index. `IndexDamaged` when there is none that can be read now."""

    def __init__(self, vault: FileVault, cost_of: CostOf, *, threads: int, waiting: int, name: str = "reader") -> None:
        self._folder = vault.root / FOLDER
        self._cost_of = cost_of
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"chorus-{name}")
        self._own = threading.local()
        self._opened: list[SqliteIndex] = []
        self._most = threads + waiting
        self._under_way = 0
        self.answered = 0
        """How many answers were given so far."""
        self._lanes = Lanes(threads)

    async def run(self, act: Callable[[SqliteIndex], _Found], *, of: str | None = None) -> _Found:
        """What `act` finds, in a thread of ours; refused at once when too many wait already.

        `of` names what it is about where that may be large: then it shares a lane with others of its kind.
        """
        if of is None:
            return await self.aside(lambda: self._ask(act))
        async with self._lanes.lane(of):
            return await self.aside(lambda: self._lanes.timed(of, lambda: self._ask(act)))

    async def aside(self, act: Callable[[], _Found]) -> _Found:
        """What `act` gives, in a thread of ours: for what touches a disk and needs no index."""
        if self._under_way >= self._most:
            raise Refused(503, "busy", "Too many requests wait for an answer; try again in a moment.")
        self._under_way += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, act)
        finally:
            self._under_way -= 1
            self.answered += 1

    @property
    def is_answering(self) -> bool:
        """Whether somebody waits for an answer; may be asked from any thread."""
        return self._under_way > 0

    def close(self) -> None:
        """Wait for the answers under way, then let go of the index."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        for index in self._opened:
            index.close()

    def _ask(self, act: Callable[[SqliteIndex], _Found]) -> _Found:
        try:
            return act(self._index())
        except IndexDamaged:
            # It may have been put in another's place while it was read: a second look tells.
            self._let_go()
            return act(self._index())

    def _index(self) -> SqliteIndex:
        """This thread's connection, to the file that is there now."""
        identity = self._identity()
        if getattr(self._own, "identity", None) != identity:
            self._let_go()
        if getattr(self._own, "index", None) is None:
            self._own.index = SqliteIndex(self._folder, cost_of=self._cost_of, is_lasting=True)
            self._own.identity = identity
            self._opened.append(self._own.index)
        return self._own.index

    def _let_go(self) -> None:
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
