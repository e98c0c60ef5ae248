"""Whose a source is: by its name and place, else by what its first records say."""

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
"""How much of a source is looked at to find out whose it is, first and at most; session ids stand on line 15 at the
latest.
"""


def head_of(source: BinaryIO) -> Iterator[bytes]:
    """The first bytes of a source in pieces: most sources say in the first whose they are."""
    yield source.read(_FIRST_BYTES)
    yield source.read(_HEAD_BYTES - _FIRST_BYTES)


def told(found: Found, head: Iterable[bytes], *, is_over: bool = True) -> tuple[str | None, str | None]:
    """The session id that most of the first records carry, and the first working folder.

    The session is not looked for where the place of the file says it. Unless `is_over`, records that wait for a
    session's beginning do not count: it may still come.
    """
    splitter, router = Splitter(StreamId(found.path.name)), Router("", fallback=None)
    counts: dict[str, int] = {}
    cwd: str | None = None
    for piece in chain.from_iterable(map(splitter.feed, head)):
        if not isinstance(piece, Record) or isinstance(piece, Unread):
            continue
        cwd = cwd or piece.value.cwd
        if cwd and found.session_id:
            # All that was to be found out is known.
            return None, cwd
        for session, _ in router.route(piece):
            counts[session] = counts.get(session, 0) + 1
    for session, record in router.close() if is_over else ():
        if record.value.sessionId or record.value.session_id:
            counts[session] = counts.get(session, 0) + 1
    return max(counts, key=lambda name: counts[name]) if counts else None, cwd


def session_of(found: Found, head: Iterable[bytes]) -> tuple[str, str | None]:
    """The session that a source is kept with, and the first working folder it names."""
    session, cwd = told(found, head)
    return found.session_id or session or name_without_id(str(found.path.absolute())), cwd


def names_any(path: Path, sessions: Iterable[str]) -> bool:
    """Whether the beginning of a file names one of the sessions."""
    try:
        with open_file(path, None) as file:
            head = file.read(_FIRST_BYTES)
    except (OSError, SourceUnreadable):
        return False
    return any(session.encode("utf-8", "replace") in head for session in sessions)


def home_of(name: str) -> str | None:
    """The session to which records of a file without an id belong; None for a log, which may hold several.

    A sub-agent's file that does not lie in a session's folder belongs to the session that most of its first records
    name.
    """
    found = classify(Path(name))
    if found.kind != "agent" or found.session_id:
        return found.session_id
    try:
        with open_file(found.path, None) as file:
            return told(found, head_of(file))[0]
    except (OSError, SourceUnreadable):
        # Who reads it says what is wrong with it.
        return None


def router_of(name: str) -> Router:
    """What gives the records of a file their sessions; of any other stream, by its name."""
    return Router(str(Path(name).absolute()) if Path(name).is_file() else name, home=home_of(name))
