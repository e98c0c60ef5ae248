"""Reads the name of a session's plan from its last lines."""

import os
import re
from typing import BinaryIO

import msgspec
from msgspec import Struct

_TAIL_BYTES = 256 << 10
"""Once there is a slug, most lines state it."""
_FIELD = re.compile(
    rb'"(?:s|\\u0073)(?:l|\\u006[cC])(?:u|\\u0075)(?:g|\\u0067)"',
)
"""The name of the field; JSON allows each letter to be an escape."""


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
        size = os.fstat(file.fileno()).st_size
        searched, known = self._known.get(path, (0, None)) if has_grown else (0, None)
        if not searched or size - searched > _TAIL_BYTES:
            searched = max(0, size - _TAIL_BYTES)
            found = slug_of(file) or known
            data = os.pread(file.fileno(), _TAIL_BYTES, searched) if has_grown else b""
        else:
            data = os.pread(file.fileno(), _TAIL_BYTES, searched)
            found = _last(data) or known
        if has_grown:
            # The last line may be incomplete: it is searched again.
            self._known[path] = searched + data.rfind(b"\n") + 1, found
        return found


def slug_of(file: BinaryIO) -> str | None:
    """Return the slug of the last line that states one; if the last lines have none, the first lines are searched."""
    size = os.fstat(file.fileno()).st_size
    data = os.pread(file.fileno(), _TAIL_BYTES, max(0, size - _TAIL_BYTES))
    found = _last(data)
    if found is None and size > _TAIL_BYTES:
        found = _last(os.pread(file.fileno(), _TAIL_BYTES, 0))
    return found


def _last(data: bytes) -> str | None:
    # This runs for every new line of a live session, and most have no plan: only lines with the field are decoded.
    if b'slug"' not in data and b"\\u00" not in data:
        return None
    end = len(data)
    for found in reversed([each.start() for each in _FIELD.finditer(data)]):
        if found >= end:
            continue
        start = data.rfind(b"\n", 0, found) + 1
        stop = data.find(b"\n", found)
        try:
            if slug := _line.decode(data[start : stop if stop >= 0 else len(data)]).slug:
                return slug
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        end = start
    return None
