"""How far the server is: what it watches, what it has kept, what troubles it. Told by the recorder, read by all."""

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
from chorus.show.server.services.listing import place_of
from chorus.show.server.services.readers import Readers

DISTRIBUTION = "chorus-agents"
_COUNT_EVERY_S = 2.0


class Standing(Struct, frozen=True, kw_only=True):
    """What the recorder says of itself, and why costs are not known."""

    state: str = "starting"
    done_bytes: int = 0
    total_bytes: int = 0
    trouble: str | None = None
    unpriced: str | None = None
    """Why costs are not known: said once, and not by the recorder, whose troubles pass."""
    hooks: str | None = None
    """What is wrong with the hooks: somebody changed them."""
    alarm: str | None = None
    """That a run was tampered with: comes before all else."""
    mended: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """What was wrong with the vault and was put right, and what could not be."""
    survey: Survey = Survey((), 0, None)


class Progress:
    """The last word of the recorder; may be told from any thread."""

    def __init__(self, vault: str, readers: Readers) -> None:
        self._vault = vault
        self._readers = readers
        self._mutex = threading.Lock()
        self._standing = Standing()
        self._counted: tuple[str, int, float, int] | None = None
        """Epoch, place and time of the last count of conversations, and what it gave."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change, by who made it."""

    @property
    def standing(self) -> Standing:
        return self._standing

    def tell(self, **changes: Any) -> None:
        with self._mutex:
            before = self._standing
            self._standing = structs.replace(before, **changes)
        if self._standing != before:
            self.changed()

    def advance(self, size_bytes: int) -> None:
        """So many bytes more are done."""
        with self._mutex:
            done = min(self._standing.done_bytes + size_bytes, self._standing.total_bytes)
            self._standing = structs.replace(self._standing, done_bytes=done)
        self.changed()

    async def status(self) -> wire.ServerStatus:
        """All of it, with what the index knows; without an index, as far as it goes."""
        try:
            epoch, seq, conversations = await self._readers.run(self._look)
        except IndexDamaged:
            epoch, seq, conversations = "", 0, 0
        standing = self._standing
        survey = standing.survey
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
            state=standing.state,  # pyrefly: ignore - one of the four, by who tells it
            done_bytes=standing.done_bytes,
            total_bytes=standing.total_bytes,
            alarm=standing.alarm,
            trouble=standing.trouble or standing.hooks or standing.unpriced,
            mended=standing.mended,
            lost=standing.lost,
        )

    def _look(self, index: Index) -> tuple[str, int, int]:
        seq = place_of(index)
        known, now = self._counted, time.monotonic()
        if known is None or known[0] != index.epoch or (known[1] != seq and now - known[2] >= _COUNT_EVERY_S):
            known = self._counted = (index.epoch, seq, now, len(index.positions()))
        return index.epoch, seq, known[3]


def _version() -> str:
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "unknown"
