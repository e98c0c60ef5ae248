"""Stores the last search of a person, so that its hits can be named by their numbers.

`cache/last-search.json` in Chorus' home is disposable; `chorus forget` empties that folder.
"""

import contextlib
import os
import re
from pathlib import Path

import msgspec
from msgspec import Struct, field

VERSION = 1
_NUMBER = re.compile(r"[1-9][0-9]{0,4}")


class Remembered(Struct):
    """What one number of the last search refers to."""

    conversation: str
    """Its name: `workspace/agent/conversation`."""
    entry: str | None = None
    """The entry's id; None if a whole conversation was found."""
    number: int | None = None
    """The entry's number in the index; valid until the index is rebuilt."""


class LastSearch(Struct):
    """The hits of a search, and its query."""

    version: int = VERSION
    query: str = ""
    first: int = 1
    """The number of the first hit: more than 1 on a later page."""
    hits: list[Remembered] = field(default_factory=list)

    def hit(self, number: int) -> Remembered | None:
        """Returns the hit with this number, if there is one."""
        place = number - self.first
        return self.hits[place] if 0 <= place < len(self.hits) else None


_decoder = msgspec.json.Decoder(LastSearch)


def is_number(text: str) -> bool:
    """Whether the text can be the number of a hit."""
    return _NUMBER.fullmatch(text) is not None


def remember(home: Path, search: LastSearch) -> None:
    """Stores a search atomically, readable only by this user. Never fails, because it is only a convenience."""
    path = _path(home)
    half = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with contextlib.suppress(OSError, UnicodeError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
            with os.fdopen(fd, "wb") as file:
                file.write(msgspec.json.encode(search))
            half.replace(path)
        finally:
            half.unlink(missing_ok=True)


def recall(home: Path) -> LastSearch:
    """Returns the last search; an empty one when there was none, or it cannot be read."""
    try:
        found = _decoder.decode(_path(home).read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return LastSearch()
    return found if found.version == VERSION else LastSearch()


def _path(home: Path) -> Path:
    return home / "cache" / "last-search.json"
