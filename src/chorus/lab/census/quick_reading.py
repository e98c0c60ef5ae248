"""Session files read at a glance: only lines that can tell of tokens or money are decoded, and of those only that.

It holds for plain streams: one record a line, each with its session's id, as clients write session files. Whatever is
not as plain as that raises `NotPlain`, and the stream is to be folded instead; so what is told here is what the fold
tells. An unescaped `"type":"assistant"` can only be a part of the record itself, never of a text inside it.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

from chorus.errors import SourceSkipped, SourceUnreadable
from chorus.keep.sources.file_access import open_file
from chorus.lab.census.joined import parts
from chorus.lab.census.line_figures import Line, NotPlain, decoded

MAX_BYTES = 32 << 20
"""A longer line is none to the reader: `records.split.MAX_RECORD_BYTES`, too slow to load for one number."""
_BUFFER_BYTES = 256 << 10
_CHAIN = (b'{"parentUuid":"', b'{"parentUuid":null')
"""How lines of the chain begin where no blanks are written; all that counts in them is of the type below."""
_ASSISTANT = b'"type":"assistant"'
_TYPED = b'{"type":"'
_JOINED, _TAIL_BYTES = b'}{"type":"', 2_000
"""Where a short record without a place in the chain begins, when it stands on the line of the one before it."""
_MONEY = frozenset({b"assistant", b"progress", b"cost-state", b"result", b"stream_event", b"transcript_mirror"})
"""Types that the fold counts."""


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file on disk, to be read line by line; `NotPlain` for what is none, `SourceUnreadable` when reading fails."""
    try:
        with open_file(name, None, _BUFFER_BYTES) as file:
            yield file
    except SourceSkipped as error:
        raise NotPlain from error
    except OSError as error:
        raise SourceUnreadable(f"{name}: {error.strerror or error}") from error


def raw_lines(file: BinaryIO) -> Iterable[bytes]:
    """The lines of a file; what is longer than any record comes in parts."""
    if os.fstat(file.fileno()).st_size <= MAX_BYTES:
        return file
    return iter(partial(file.readline, MAX_BYTES), b"")


def lines(file: BinaryIO) -> Iterator[Line]:
    """The lines of a stream that tell of tokens or money: `assistant` and `cost-state`.

    A sub-agent's line inside a progress record comes as that line, and records on one line one after the other.
    `NotPlain` as soon as that is found out.
    """
    for raw in raw_lines(file):
        if raw.startswith(_CHAIN):
            is_money = _ASSISTANT in raw or raw.find(_JOINED, -_TAIL_BYTES) >= 0
        elif raw.startswith(_TYPED):
            is_money = raw[9 : raw.find(b'"', 9)] in _MONEY or _JOINED in raw or _ASSISTANT in raw
        else:
            is_money = not raw.isspace()
        if is_money:
            try:
                found = decoded(raw)
            except NotPlain:
                yield from _each(raw)
                continue
            if found is not None:
                yield found
        elif raw[-2:] != b"}\n" and not raw.isspace() and not raw.endswith((b"}", b"}\r\n")):
            # Not the end of a record: it is the beginning of something longer.
            raise NotPlain


def _each(raw: bytes) -> Iterator[Line]:
    """The records of a line that holds several."""
    for part in parts(raw) or _not_plain():
        if (found := decoded(part)) is not None:
            yield found


def _not_plain() -> list[bytes]:
    raise NotPlain


def session_of(line: Line, file_id: str | None) -> str:
    """The conversation that a line belongs to, as the router has it."""
    found = line.sessionId or line.session_id or file_id
    if not found:
        raise NotPlain
    return found
