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
from chorus.find.indexing.open_conversation import Heard
from chorus.find.indexing.writer import index_writer
from chorus.keep.vault.files import FileVault

AT_WORK = timedelta(hours=1)
"""A conversation that grew this recently will probably grow again."""
Warn = Callable[[str], None]
AGAIN_S = 20.0
_MANY_PARTS, _REST_PER_PART_S, _MAX_REST_S = 500, 0.0002, 2.0
"""A conversation whose written entries have at least `_MANY_PARTS` parts rests for this time per part afterwards."""


class Indexing:
    """Adds recorded conversations to the index, as long as this process is its writer."""

    def __init__(
        self,
        vault: FileVault,
        warn: Warn,
        give_way: Callable[[], None] | None = None,
        *,
        max_owed_bytes: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`warn` is called with a text if the index cannot be kept up to date: what is wrong and what to do.

        `give_way` is called between two conversations that grew; it may wait for a moment. An index that lacks more
        than `max_owed_bytes` of the vault when it is opened is left to other processes. `clock` returns seconds.
        """
        self._max_owed_bytes = max_owed_bytes
        self._is_left = False
        self._clock = clock
        self._vault = vault
        self._warn = warn
        self._stack = ExitStack()
        self._keeper: IndexKeeper | None = None
        self._give_way = give_way
        self._heard: Heard | None = None
        self._failed_at: float | None = None
        self._rests_until: dict[str, float] = {}
        """Conversations that were expensive to index → when they may be indexed again."""
        self._owed: set[str] = set()
        """Conversations that grew while they rested."""

    def __enter__(self) -> Self:
        self._safely(self._open)
        return self

    def __exit__(self, *_: object) -> None:
        self._rests_until.clear()
        self.take_owed()
        self._safely(self._stack.close)

    def listen(self, heard: Heard) -> None:
        """From now on, calls `heard` with every record that is indexed here, as long as this process is the writer.

        A record may come again.
        """
        self._heard = heard
        if self._keeper is not None:
            self._keeper.heard = heard

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
        """Indexes these conversations; they can be found when this returns.

        A conversation with a message of thousands of parts, which is written as a whole for each new line, rests for a
        moment after each time: lines that come meanwhile are indexed together (`take_owed`).
        """
        if names and self._keeper is None and not self.has_failed:
            # The process that wrote the index may have ended.
            self.catch_up()
        elif names:
            now = self._clock()
            self._rests_until = {name: until for name, until in self._rests_until.items() if until > now}
            wanted = self._owed.union(names)
            self._owed = wanted & self._rests_until.keys()
            self._with_repair(lambda keeper: self._take_now(keeper, wanted - self._owed))

    def take_owed(self) -> bool:
        """Indexes conversations that grew while they rested and may be indexed again; returns whether there were any.

        Call this several times a second.
        """
        now = self._clock()
        due = {name for name in self._owed if self._rests_until.get(name, 0.0) <= now}
        if due:
            self.take(due)
        return bool(due)

    def _take_now(self, keeper: IndexKeeper, names: set[str]) -> None:
        for name, parts in keeper.take(names).items():
            if parts >= _MANY_PARTS:
                self._rests_until[name] = self._clock() + min(parts * _REST_PER_PART_S, _MAX_REST_S)

    def catch_up(self, taken: Callable[[int, int], None] | None = None) -> int:
        """Indexes everything that is recorded, also if another process was the writer until now.

        Returns the number of conversations that changed. `taken` is called with the number of bytes done and the total.
        After a failure some time ago it tries again, because a disk may have room now.
        """
        if self._failed_at is not None and self._clock() - self._failed_at > AGAIN_S:
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
            self._owed.clear()

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
                keeper.heard = self._heard
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
            self._failed_at = self._clock()
            self._warn(f"the index is not up to date: {error}; `chorus index` tries again")
