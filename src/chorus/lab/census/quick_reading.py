"""Reads session files fast: only lines with tokens or costs are decoded, and only those fields of them.

This works for plain streams: one record per line, each with its session's id, as clients write session files. Anything
else raises `NotPlain`, and the stream must be folded instead; so the results here equal those of the fold. An unescaped
`"type":"assistant"` can only be a part of the record itself, never of a text inside it.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

from chorus.errors import SourceSkipped, SourceUnreadable
from chorus.keep.sources.file_access import open_file
from chorus.lab.census.joined import parts
from chorus.lab.census.line_figures import CountedLine, NotPlain, decoded

MAX_BYTES = 32 << 20
"""The reader refuses a longer line. Equals `MAX_RECORD_BYTES` of `core.records.split`, which is slow to import.
"""
_BUFFER_BYTES = 256 << 10
_CHAIN = (b'{"parentUuid":"', b'{"parentUuid":null')
"""How lines of the chain begin if they contain no blanks; among these, only lines of the type below count."""
_ASSISTANT = b'"type":"assistant"'
_TYPED = b'{"type":"'
_JOINED, _TAIL_BYTES = b'}{"type":"', 2_000
"""How a short record outside of the chain begins, if it is on the same line as the record before it."""
_MONEY = frozenset({b"assistant", b"progress", b"cost-state", b"result", b"stream_event", b"transcript_mirror"})
"""Types that the fold counts."""


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Opens a file to read its lines; raises `NotPlain` if it is not regular, `SourceUnreadable` if reading fails."""
    try:
        with open_file(name, None, _BUFFER_BYTES) as file:
            yield file
    except SourceSkipped as error:
        raise NotPlain from error
    except OSError as error:
        raise SourceUnreadable(f"{name}: {error.strerror or error}") from error


def raw_lines(file: BinaryIO) -> Iterable[bytes]:
    """Returns the lines of a file; a line that is longer than any record comes in parts."""
    if os.fstat(file.fileno()).st_size <= MAX_BYTES:
        return file
    return iter(partial(file.readline, MAX_BYTES), b"")


def lines(file: BinaryIO) -> Iterator[CountedLine]:
    """Yields the lines of a stream with tokens or costs: `assistant` and `cost-state`.

    A sub-agent's line inside a progress record is returned as that line, and records on one line one after the other.
    Raises `NotPlain` as soon as the stream turns out not to be plain.
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


def _each(raw: bytes) -> Iterator[CountedLine]:
    """Yields the records of a line that contains several."""
    for part in parts(raw) or _not_plain():
        if (found := decoded(part)) is not None:
            yield found


def _not_plain() -> list[bytes]:
    raise NotPlain


def session_of(line: CountedLine, file_id: str | None) -> str:
    """Returns the conversation that a line belongs to, as the router does."""
    found = line.sessionId or line.session_id or file_id
    if not found:
        raise NotPlain
    return found
