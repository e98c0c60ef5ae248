"""Reads the name of a session's plan: the slug that the last of its lines with one states."""

import os
import re
from typing import BinaryIO

import msgspec
from msgspec import Struct

_BLOCK_BYTES = 256 << 10
"""How much is searched at once. Once there is a slug, most lines state it: usually the last block has one."""
_LONGEST_LINE = 64 << 20
_FIELD = re.compile(
    rb'"(?:s|\\u0073)(?:l|\\u006[cC])(?:u|\\u0075)(?:g|\\u0067)"',
)
"""The name of the field; JSON allows each letter to be an escape."""
_LONGEST_FIELD = 26
_ESCAPED_LETTER = re.compile(rb"\\u00(?:73|6[cC]|75|67)")


class _Line(Struct):
    slug: str | None = None


_line = msgspec.json.Decoder(_Line)


class Slugs:
    """The slugs of live sessions. A session that only grew costs as much as its new lines."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, str | None]] = {}
        """Path → how far the file was searched, up to the end of a line, and the last slug there."""

    def of(self, path: str, file: BinaryIO, *, has_grown: bool) -> str | None:
        """Return the slug of a session file. `has_grown`: it has the same lines as the last time, and new ones."""
        searched, known = self._known.get(path, (0, None)) if has_grown else (0, None)
        found = slug_of(file, searched) or known
        if has_grown:
            # The last line may be incomplete: it is searched again.
            self._known[path] = _line_start(file, os.fstat(file.fileno()).st_size, searched), found
        return found


def slug_of(file: BinaryIO, start: int = 0) -> str | None:
    """Return the slug of the last line that states one; `start` is where the first line begins that may count.

    What is behind the last slug is read, and no line is decoded that does not have the field.
    """
    size = end = os.fstat(file.fileno()).st_size
    while end > start:
        begin = max(start, end - _BLOCK_BYTES)
        # The field may be in two blocks.
        data = os.pread(file.fileno(), end - begin + _LONGEST_FIELD, begin)
        for at in reversed(_places(data)):
            if begin + at < end:
                first = _line_start(file, begin + at, start)
                if slug := _slug_of_line(file, first, _line_end(file, begin + at, size)):
                    return slug
                end = first
        end = min(begin, end)
    return None


def _places(data: bytes) -> list[int]:
    # This runs for every new line of a live session, and most have no plan: a plain search is faster than a pattern.
    if b'slug"' not in data and not _ESCAPED_LETTER.search(data):
        return []
    return [each.start() for each in _FIELD.finditer(data)]


def _line_start(file: BinaryIO, at: int, start: int) -> int:
    size = 4 << 10
    while at > start:
        begin = max(start, at - size)
        newline = os.pread(file.fileno(), at - begin, begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        at, size = begin, _BLOCK_BYTES
    return start


def _line_end(file: BinaryIO, at: int, size: int) -> int:
    while at < size:
        data = os.pread(file.fileno(), _BLOCK_BYTES, at)
        newline = data.find(b"\n")
        if newline >= 0:
            return at + newline
        if not data:
            break
        at += len(data)
    return size


def _slug_of_line(file: BinaryIO, first: int, end: int) -> str | None:
    if end - first > _LONGEST_LINE:
        return None
    try:
        return _line.decode(os.pread(file.fileno(), end - first, first)).slug or None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
