"""Keeps the board up to date and reports what changed on it."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from datetime import datetime

from chorus.base.zone import local_zone
from chorus.core.alerts.model import Alert
from chorus.core.board.board import difference
from chorus.core.board.news import BoardNews, news_of
from chorus.core.board.tiles import Tile
from chorus.errors import IndexDamaged
from chorus.find.index.port import Index
from chorus.show import wire
from chorus.show.board.board_reader import BoardReader, BoardState
from chorus.show.board.live_state import LiveState, SeenRun, live_state
from chorus.show.server import log
from chorus.show.server.errors import Refused
from chorus.show.server.live.client_watcher import ClientWatcher
from chorus.show.server.live.run_watcher import RunWatcher, fact_of
from chorus.show.server.services.approvals import ApprovalService
from chorus.show.server.services.readers import Readers

LOOK_S = 0.3
"""The shortest time between two looks."""
OTHER_S = 1.0
"""How often to look while another process writes the index: it cannot report a change."""
CLOCK_S = 15.0
"""How often to look without a change: after some time a conversation is silent, or was done yesterday."""
_REST = 4
"""After a look, this many times its own duration pass before the next one."""


class BoardWatcher:
    """The board of a server. `state` may be read from any thread."""

    def __init__(
        self,
        reader: BoardReader,
        readers: Readers,
        live: Callable[[], LiveState],
        *,
        is_writer: Callable[[], bool] = lambda: True,
    ) -> None:
        """`is_writer` says whether this process writes the index, so that `touch` is called after its changes."""
        self._is_writer = is_writer
        self._loop: asyncio.AbstractEventLoop | None = None
        self._touched = asyncio.Event()
        self._reader = reader
        self._readers = readers
        self._live = live
        self.has_looked = False
        """Whether `state` is a board that was read."""
        self._cost_s = 0.0
        self._one_at_a_time = asyncio.Lock()
        self.state = BoardState()
        # Begins with the time, so that a page that was open before a restart does not take the old board for the new.
        self.revision = int(time.time() * 1000)
        self.changed: Callable[[wire.BoardChanged], None] = lambda change: None
        """Called after each change."""
        self.report_news: Callable[[list[BoardNews]], None] = lambda news: None
        """Called with what happened, except at the first look: what was there before is no news."""
        self.looks = 0
        """How often the board was built."""

    async def run(self) -> None:
        """Watches until cancelled. Whatever fails is tried again."""
        self._loop = asyncio.get_running_loop()
        while True:
            self._touched.clear()
            try:
                await self.look()
            except IndexDamaged:
                pass  # The index is being built.
            except Refused as refused:
                log.logger.warning("board: %s", refused.problem.kind)
            except Exception as error:  # noqa: BLE001 - the next look may succeed
                log.failure("BOARD", "", error)
            await asyncio.sleep(max(LOOK_S, _REST * self._cost_s))
            # Not `wait_for`: before Python 3.12 it may lose the cancellation, and then the server never ends.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOCK_S if self._is_writer() else OTHER_S):
                    await self._touched.wait()

    def touch(self) -> None:
        """Looks soon, because something may have changed; may be called from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._touched.set)

    async def look(self) -> None:
        """Builds the board. Raises `IndexDamaged` if there is no index yet."""
        async with self._one_at_a_time:
            found = await self._readers.run(self._look)
            news = list(news_of(self.state.tiles, found.tiles)) if self.has_looked else []
            self.has_looked = True
            put, gone = difference(self.state.tiles, found.tiles)
            is_same = not put and not gone and found.counts == self.state.counts
            self.state = found
            if is_same:
                return
            since, self.revision = self.revision, self.revision + 1
            self.changed(self._frame(since, put, gone))
            if news:
                self.report_news(news)

    async def board(self) -> wire.Board:
        """Returns the board. Raises `IndexDamaged` if there is no index yet."""
        if not self.has_looked:
            await self.look()
        state = self.state
        return wire.Board(
            revision=self.revision,
            tiles=tuple(state.tiles.values()),
            counts=state.counts,
            workspaces=state.workspaces,
        )

    @property
    def standstill(self) -> wire.BoardChanged:
        """A frame without changes: it says which state is the current one."""
        return self._frame(self.revision, (), ())

    def _look(self, index: Index) -> BoardState:
        began = time.monotonic()
        state = self._reader.look(index, self._live(), datetime.now(local_zone()))
        self._cost_s = time.monotonic() - began
        self.looks += 1
        return state

    def _frame(self, since: int, put: tuple[Tile, ...], gone: tuple[str, ...]) -> wire.BoardChanged:
        return wire.BoardChanged(
            since=since,
            revision=self.revision,
            put=put,
            gone=gone,
            counts=self.state.counts,
            workspaces=self.state.workspaces,
        )


def live_now(
    clients: ClientWatcher,
    runs: RunWatcher,
    approvals: ApprovalService,
    alerts: Mapping[str, tuple[Alert, ...]],
) -> LiveState:
    """Returns what the watchers of a server know."""
    seen = map(_seen_run, [*runs.past.values(), *runs.all_runs()])
    panes = {session: pane.place for session, pane in clients.panes.items()}
    return live_state(clients.entries.values(), seen, approvals.pending(), panes, alerts)


def _seen_run(run: wire.RunShown) -> SeenRun:
    return SeenRun(
        fact=fact_of(run), conversation=run.conversation, title=run.title, folder=run.folder, started_at=run.started_at
    )
