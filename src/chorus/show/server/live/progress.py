"""The status of the server: what it watches, what it has recorded, and which problems there are."""

import threading
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

from msgspec import Struct, structs

from chorus.errors import IndexDamaged
from chorus.find.index.port import Index
from chorus.keep.archive.checkup import cleanup_in_words
from chorus.show import wire
from chorus.show.recorder.survey import Survey
from chorus.show.server.services.listing import feed_position
from chorus.show.server.services.readers import Readers

DISTRIBUTION = "chorus-agents"
_COUNT_EVERY_S = 2.0


class ProgressSnapshot(Struct, frozen=True, kw_only=True):
    """The status of the recorder, and the problems of other parts of the server."""

    state: str = "starting"
    done_bytes: int = 0
    total_bytes: int = 0
    trouble: str | None = None
    unpriced: str | None = None
    """Why costs are not known. Set once; kept apart from `trouble`, which the recorder clears."""
    hooks: str | None = None
    """What is wrong with the hooks, if another program changed them."""
    tmux: str | None = None
    """Why panes of tmux are not seen, if something is wrong with it."""
    alarm: str | None = None
    """That a run was tampered with. Shown before any other problem."""
    mended: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """Damage of the vault that was repaired, and damage that could not be."""
    survey: Survey = Survey((), 0, None)


class Progress:
    """Holds the current `ProgressSnapshot`; may be updated from any thread."""

    def __init__(self, vault: str, readers: Readers) -> None:
        self._vault = vault
        self._readers = readers
        self._mutex = threading.Lock()
        self._snapshot = ProgressSnapshot()
        self._counted: tuple[str, int, float, int] | None = None
        """Epoch, feed position and time of the last count of conversations, and its result."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change, in the thread that made it."""

    @property
    def snapshot(self) -> ProgressSnapshot:
        return self._snapshot

    def update(self, **changes: Any) -> None:
        """Changes fields of the snapshot; calls `changed` if any value is different."""
        with self._mutex:
            before = self._snapshot
            self._snapshot = structs.replace(before, **changes)
        if self._snapshot != before:
            self.changed()

    def advance(self, size_bytes: int) -> None:
        """Adds to the number of bytes that are done."""
        with self._mutex:
            done = min(self._snapshot.done_bytes + size_bytes, self._snapshot.total_bytes)
            self._snapshot = structs.replace(self._snapshot, done_bytes=done)
        self.changed()

    async def status(self) -> wire.ServerStatus:
        """Returns the status of the server, with figures of the index if there is one."""
        try:
            epoch, seq, conversations = await self._readers.run(self._look)
        except IndexDamaged:
            epoch, seq, conversations = "", 0, 0
        snapshot = self._snapshot
        survey = snapshot.survey
        return wire.ServerStatus(
            version=_version(),
            vault=self._vault,
            epoch=epoch,
            seq=seq,
            conversations=conversations,
            watched=tuple(
                wire.Folder(path=str(each.folder), sessions=each.sessions, size_bytes=each.size_bytes)
                for each in survey.watched
            ),
            at_risk=wire.AtRisk(sessions=survey.at_risk, cleanup=cleanup_in_words(survey.cleanup_days)),
            state=snapshot.state,  # pyrefly: ignore - the recorder sets only the four known states
            done_bytes=snapshot.done_bytes,
            total_bytes=snapshot.total_bytes,
            alarm=snapshot.alarm,
            trouble=snapshot.trouble or snapshot.hooks or snapshot.tmux or snapshot.unpriced,
            mended=snapshot.mended,
            lost=snapshot.lost,
        )

    def _look(self, index: Index) -> tuple[str, int, int]:
        seq = feed_position(index)
        known, now = self._counted, time.monotonic()
        if known is None or known[0] != index.epoch or (known[1] != seq and now - known[2] >= _COUNT_EVERY_S):
            known = self._counted = (index.epoch, seq, now, len(index.positions()))
        return index.epoch, seq, known[3]


def _version() -> str:
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "unknown"
