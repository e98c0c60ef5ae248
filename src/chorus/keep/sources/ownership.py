"""Finds the session that a source belongs to: by its name and location, or else by its first records."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from chorus.core.conversation.route import Router
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record, Unread
from chorus.core.records.session_ids import name_without_id
from chorus.core.records.split import Splitter
from chorus.errors import SourceUnreadable
from chorus.keep.sources.discover import Found, classify
from chorus.keep.sources.file_access import open_file

_FIRST_BYTES, _HEAD_BYTES = 16 << 10, 1 << 20
"""How many bytes of a source are read to find its session, first and at most. Session ids appear on line 15 at the
latest.
"""


def head_of(source: BinaryIO) -> Iterator[bytes]:
    """Yield the first bytes of a source in pieces: for most sources the first piece is enough to find the session."""
    yield source.read(_FIRST_BYTES)
    yield source.read(_HEAD_BYTES - _FIRST_BYTES)


def first_session_and_folder(
    found: Found, head: Iterable[bytes], *, is_over: bool = True
) -> tuple[str | None, str | None]:
    """Return the session id of most of the first records, and the first working folder.

    The session is not searched if the location of the file states it. Unless `is_over`, records that wait for the
    beginning of a session do not count, because it may still come.
    """
    splitter, router = Splitter(StreamId(found.path.name)), Router("", fallback=None)
    counts: dict[str, int] = {}
    cwd: str | None = None
    for piece in chain.from_iterable(map(splitter.feed, head)):
        if not isinstance(piece, Record) or isinstance(piece, Unread):
            continue
        cwd = cwd or piece.value.cwd
        if cwd and found.session_id:
            # Both values are known now.
            return None, cwd
        for session, _ in router.route(piece):
            counts[session] = counts.get(session, 0) + 1
    for session, record in router.close() if is_over else ():
        if record.value.sessionId or record.value.session_id:
            counts[session] = counts.get(session, 0) + 1
    return max(counts, key=lambda name: counts[name]) if counts else None, cwd


def session_of(found: Found, head: Iterable[bytes]) -> tuple[str, str | None]:
    """Return the session that a source is stored with, and the first working folder that it names."""
    session, cwd = first_session_and_folder(found, head)
    return found.session_id or session or name_without_id(str(found.path.absolute())), cwd


def names_any(path: Path, sessions: Iterable[str]) -> bool:
    """Return whether the beginning of a file names one of the sessions."""
    try:
        with open_file(path, None) as file:
            head = file.read(_FIRST_BYTES)
    except (OSError, SourceUnreadable):
        return False
    return any(session.encode("utf-8", "replace") in head for session in sessions)


def home_of(name: str) -> str | None:
    """Return the session of those records in a file that have no id; None for a log, which may have several sessions.

    A sub-agent's file outside a session's folder belongs to the session that most of its first records name.
    """
    found = classify(Path(name))
    if found.kind != "agent" or found.session_id:
        return found.session_id
    try:
        with open_file(found.path, None) as file:
            return first_session_and_folder(found, head_of(file))[0]
    except (OSError, SourceUnreadable):
        # The reader of the file reports the error.
        return None


def router_of(name: str) -> Router:
    """Return the router that assigns the records of a file to sessions; for any other stream, by its name."""
    return Router(str(Path(name).absolute()) if Path(name).is_file() else name, home=home_of(name))
