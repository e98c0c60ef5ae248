"""Reads files and standard input: read-only, in pieces, never as a whole."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from chorus.errors import SourceUnreadable
from chorus.keep.sources.discover import streams_below
from chorus.keep.sources.file_access import Skips, ignore
from chorus.keep.sources.reading import STDIN, Reading, chunks

if TYPE_CHECKING:
    from chorus.core.records.place import StreamId
    from chorus.core.records.record import Piece


def expand(sources: Iterable[str | os.PathLike[str]], skips: Skips = ignore) -> list[str]:
    """Return the streams that sources name: files as they are, folders as every `*.jsonl` below them, `-` for stdin.

    `skips` is called with what is left out of the folders.
    """
    found: dict[str, None] = {}
    for source in sources:
        name = os.fspath(source)
        if name == STDIN:
            found[STDIN] = None
            continue
        path = Path(name)
        try:
            mode = path.stat().st_mode
        except OSError as error:
            raise SourceUnreadable(f"{name}: {error.strerror or error}") from error
        if not stat.S_ISDIR(mode):
            found[name] = None
            continue
        found.update((name, None) for name in sorted(streams_below(path, skips), key=_in_order))
    return list(found)


def _in_order(name: str) -> list[tuple[bool, str]]:
    """Return a sort key that puts the files of a folder before those of its subfolders."""
    *folders, file = Path(name).parts
    return [*((True, folder) for folder in folders), (False, file)]


def pieces(name: str) -> Iterator["Piece"]:
    """Yield the pieces of one file (or stdin) in order; their joined `raw` and `tail` are its bytes."""
    for batch in Reading(name).batches():
        yield from batch


def pieces_of(file: BinaryIO, stream: "StreamId") -> Iterator["Piece"]:
    """Yield the pieces of an open binary file."""
    from chorus.core.records.split import Splitter

    splitter = Splitter(stream)
    for chunk in chunks(file):
        yield from splitter.feed(chunk)
    yield from splitter.close()
