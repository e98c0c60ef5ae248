"""Reads one stream once: its pieces in order, and the number of its lines and bytes."""

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from chorus.errors import SourceUnreadable
from chorus.keep.sources.file_access import open_file

if TYPE_CHECKING:
    # The model of all records takes longer to load than many files take to count: only readers of records load it.
    from chorus.core.conversation.route import Router
    from chorus.core.records.record import Piece

STDIN = "-"
CHUNK_BYTES = 256 << 10
_MAX_PIECES = 1_000
"""The maximum of one batch: a line may be a list of a million records, which need a hundred times its space."""

Advance = Callable[[int], None]
"""Called with the number of bytes that were just read."""


class Reading:
    """Reads a file, or standard input for `-`, from its start to where it ended when it was opened.

    A file that is being written is read as it was at that moment. `lines` and `size_bytes` are final once `batches`
    ends.
    """

    def __init__(self, name: str, advance: Advance | None = None) -> None:
        self.name = name
        self.size_bytes = 0
        """Bytes read so far."""
        self._advance = advance
        from chorus.core.records.place import StreamId
        from chorus.core.records.split import Splitter

        self._splitter = Splitter(StreamId(name))

    @property
    def lines(self) -> int:
        """Physical lines with content so far."""
        return self._splitter.lines

    def router(self) -> "Router":
        """Return the router that assigns its records to sessions."""
        from chorus.keep.sources.ownership import router_of

        return router_of(self.name)

    def batches(self, tee: Callable[[bytes], object] | None = None) -> Iterator[list["Piece"]]:
        """Yield the pieces that each chunk completes, as soon as it was read; `tee` is called with each chunk first.

        Raises SourceUnreadable if the stream cannot be opened or breaks off.
        """
        with opened(self.name) as file:
            for chunk in chunks(file):
                self.size_bytes += len(chunk)
                if tee is not None:
                    tee(chunk)
                yield from _some_at_a_time(self._splitter.feed(chunk))
                if self._advance is not None:
                    self._advance(len(chunk))
        yield from _some_at_a_time(self._splitter.close())


def _some_at_a_time(pieces: Iterator["Piece"]) -> Iterator[list["Piece"]]:
    while batch := list(islice(pieces, _MAX_PIECES)):
        yield batch


@contextlib.contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open the stream for reading. Every OSError while it is open becomes a SourceUnreadable."""
    try:
        if name == STDIN:
            yield sys.stdin.buffer
        else:
            with _open_named(name) as file:
                yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SourceUnreadable(f"{name}: {error.strerror or error}") from error


def _open_named(name: str) -> BinaryIO:
    """Open a regular file, or a pipe or device that a person named: only the latter may block."""
    if stat.S_ISREG(Path(name).stat().st_mode):
        return open_file(name, None)
    return Path(name).open("rb", buffering=0)


def is_regular(name: str) -> bool:
    """Return whether the stream is a file on disk, which can be read more than once."""
    if name == STDIN:
        return False
    try:
        return stat.S_ISREG(Path(name).stat().st_mode)
    except OSError:
        return False


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a file up to its current end, or of a pipe as they arrive."""
    # Virtual files (like those in /proc) report a size of 0: they are read until they end.
    left = _regular_size(file) or None
    # The writer of a pipe may wait for an answer to its last line: take what is there without filling the buffer.
    take: Callable[[int], bytes] = getattr(file, "read1", file.read)
    while left is None or left > 0:
        chunk = take(CHUNK_BYTES if left is None else min(CHUNK_BYTES, left))
        if not chunk:
            return
        if left is not None:
            left -= len(chunk)
        yield chunk


def _regular_size(file: BinaryIO) -> int:
    try:
        status = os.fstat(file.fileno())
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0
