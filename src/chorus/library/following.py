"""Follows a file that is being written: yields every record when it is written, with the conversation so far."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Change
from chorus.core.records.place import StreamId
from chorus.core.records.record import Piece, Record
from chorus.core.records.split import Splitter
from chorus.keep.sources.files import pieces
from chorus.keep.sources.ownership import router_of
from chorus.keep.sources.reading import is_regular, opened
from chorus.keep.sources.watcher import Stop, changes

_CHUNK_BYTES = 256 << 10


class Step(NamedTuple):
    """One record of a followed file."""

    record: Record
    changes: list[Change]
    """The changes that the record caused."""
    conversation: Conversation
    """The conversation of the record, with the changes applied."""


class Follow:
    """Iterates over the steps of a file, with `for` or `async for`. Ends when `stop` is called, from any thread."""

    def __init__(self, path: Path, *, is_live: bool) -> None:
        self._path = path
        self._is_live = is_live
        self._stop = Stop()
        self._splitter = Splitter(StreamId(str(path)))
        self._router = router_of(str(path))
        self._offset = 0
        self._inode = 0
        self._open: dict[str, tuple[Fold, Conversation]] = {}

    def stop(self) -> None:
        """Asks the iteration to end; it ends shortly after."""
        self._stop.set()

    def __iter__(self) -> Iterator[Step]:
        if self._path.exists() and not is_regular(str(self._path)):
            # For a pipe, the writer decides when it ends.
            yield from (step for piece in pieces(str(self._path)) for step in self._steps(piece))
            return
        yield from self._read()
        if not self._is_live:
            return
        for _ in changes([self._path.parent], self._stop, lambda _text: None):
            yield from self._read()

    async def __aiter__(self) -> AsyncIterator[Step]:
        steps = iter(self)
        done = object()
        try:
            while (step := await asyncio.to_thread(next, steps, done)) is not done:
                yield step  # pyrefly: ignore - what is not `done` is a step
        finally:
            self.stop()

    def _read(self) -> Iterator[Step]:
        """Yields what is new. A replaced or truncated file is read from its start: known lines change nothing."""
        try:
            status = self._path.stat()
        except OSError:
            return
        if (self._inode and status.st_ino != self._inode) or status.st_size < self._offset:
            self._splitter, self._offset = Splitter(StreamId(str(self._path))), 0
        self._inode = status.st_ino
        with opened(str(self._path)) as file:
            file.seek(self._offset)
            while self._offset < status.st_size:
                chunk = file.read(min(_CHUNK_BYTES, status.st_size - self._offset))
                if not chunk:
                    return
                self._offset += len(chunk)
                for piece in self._splitter.feed(chunk):
                    yield from self._steps(piece)

    def _steps(self, piece: Piece) -> Iterator[Step]:
        if isinstance(piece, Record):
            for session_id, record in self._router.route(piece):
                yield self._step(session_id, record)

    def _step(self, session_id: str, record: Record) -> Step:
        known = self._open.get(session_id)
        if known is None:
            known = self._open[session_id] = (Fold(session_id), Conversation(session_id))
        fold, conversation = known
        caused = fold.feed(record)
        conversation.apply(caused)
        return Step(record, caused, conversation)


def follow(path: str | os.PathLike[str], *, is_live: bool = True) -> Follow:
    """Yields every record of a file, then each new one when it is written. The file may have any suffix.

        for step in chorus.follow("run.log"): ...
        async for step in chorus.follow("run.log"): ...

    The file may be created later. With `is_live=False` the iteration ends at the current end of the file.
    """
    return Follow(Path(path).absolute(), is_live=is_live)
