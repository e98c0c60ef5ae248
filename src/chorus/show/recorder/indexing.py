"""Keeps the index up to date with the vault.

Problems are reported and stop nothing, because the index is disposable.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Self

from chorus.core.records.times import wire_time
from chorus.errors import ChorusError, IndexDamaged
from chorus.find.indexing.index_keeper import IndexKeeper
from chorus.find.indexing.writer import index_writer
from chorus.keep.vault.files import FileVault

AT_WORK = timedelta(hours=1)
"""A conversation that grew this recently will probably grow again."""
Warn = Callable[[str], None]
AGAIN_S = 20.0


class Indexing:
    """Adds recorded conversations to the index, as long as this process is its writer."""

    def __init__(
        self,
        vault: FileVault,
        warn: Warn,
        give_way: Callable[[], None] | None = None,
        *,
        max_owed_bytes: int | None = None,
    ) -> None:
        """`warn` is called with a text if the index cannot be kept up to date: what is wrong and what to do.

        `give_way` is called between two conversations that grew; it may wait for a moment. An index that lacks more
        than `max_owed_bytes` of the vault when it is opened is left to other processes.
        """
        self._max_owed_bytes = max_owed_bytes
        self._is_left = False
        self._vault = vault
        self._warn = warn
        self._stack = ExitStack()
        self._keeper: IndexKeeper | None = None
        self._give_way = give_way
        self._failed_at: float | None = None

    def __enter__(self) -> Self:
        self._safely(self._open)
        return self

    def __exit__(self, *_: object) -> None:
        self._safely(self._stack.close)

    @property
    def is_ours(self) -> bool:
        """Whether this process writes the index; if not, another one does."""
        return self._keeper is not None and not self.has_failed

    @property
    def has_failed(self) -> bool:
        """Whether updates have stopped after a failure, until the next try."""
        return self._failed_at is not None

    def begin(self, names: Iterable[str]) -> None:
        """Starts to index these conversations; more will follow."""
        self._with_repair(lambda keeper: keeper.begin(names))

    def take(self, names: Iterable[str]) -> None:
        """Indexes these conversations; they can be found when this returns."""
        if names and self._keeper is None and not self.has_failed:
            # The process that wrote the index may have ended.
            self.catch_up()
        elif names:
            self._with_repair(lambda keeper: keeper.take(names))

    def catch_up(self, taken: Callable[[int, int], None] | None = None) -> int:
        """Indexes everything that is recorded, also if another process was the writer until now.

        Returns the number of conversations that changed. `taken` is called with the number of bytes done and the total.
        After a failure some time ago it tries again, because a disk may have room now.
        """
        if self._failed_at is not None and time.monotonic() - self._failed_at > AGAIN_S:
            self._failed_at, self._keeper = None, None
            self._safely(self._stack.close)
        if self._keeper is None:
            self._safely(self._open)
        changed = done = 0

        def act(keeper: IndexKeeper) -> None:
            nonlocal changed
            total = keeper.owed_bytes() if taken else 0

            def advance(size_bytes: int) -> None:
                nonlocal done
                done += size_bytes
                if taken:
                    taken(done, total)

            changed = keeper.catch_up(advance=advance if taken else None)

        self._with_repair(act)
        return changed

    def make_ready(self) -> None:
        """Opens conversations that are in use, so that their next lines do not wait for the earlier ones."""
        since = wire_time(datetime.now(UTC) - AT_WORK)
        self._with_repair(lambda keeper: keeper.make_ready(since))

    def _open(self) -> None:
        if self._is_left:
            return
        with ExitStack() as stack:
            keeper = stack.enter_context(index_writer(self._vault, datetime.now(UTC)))
            if keeper is None or self._is_too_much(keeper):
                self._keeper = None
            else:
                keeper.give_way = self._give_way or keeper.give_way
                self._keeper, self._stack = keeper, stack.pop_all()

    def _is_too_much(self, keeper: IndexKeeper) -> bool:
        if self._max_owed_bytes is None or keeper.owed_bytes() <= self._max_owed_bytes:
            return False
        self._is_left = True
        self._warn("the index lacks too much to make it up to date here; `chorus sync` or `chorus serve` does it")
        return True

    def _with_repair(self, act: Callable[[IndexKeeper], object]) -> None:
        """Calls `act`; rebuilds the index if it turns out to be damaged."""
        keeper = self._keeper
        if keeper is None or self.has_failed:
            return

        def repair() -> None:
            try:
                act(keeper)
            except IndexDamaged:
                keeper.rebuild()

        self._safely(repair)

    def _safely(self, act: Callable[[], object]) -> None:
        try:
            act()
        except ChorusError as error:
            self._failed_at = time.monotonic()
            self._warn(f"the index is not up to date: {error}; `chorus index` tries again")
