"""Which conversation a record belongs to, decided record by record within one stream.

A record's own session id decides. Records without one follow: the id in the stream's file name; else the session that
the stream last opened (`init`, `session_start`, `/clear`); else the id most of its records carry so far. What comes
before any id is known waits for it. Hook lines may run under another id than the session they start: alone they make
no conversation.
"""

import re
from collections import Counter
from collections.abc import Iterator

from chorus.records.model import flat, stream
from chorus.records.model.system import System
from chorus.records.model.turns import Result
from chorus.records.record import Record, Unread

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Router:
    """Gives each record of one stream its session id."""

    def __init__(self, stream_name: str) -> None:
        base = stream_name.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl")
        found = _UUID.fullmatch(base)
        self._file_id = found.group() if found else None
        self._fallback = base or "stream"
        self._opened: str | None = None
        self._counts: Counter[str] = Counter()
        self._held: list[Record] = []

    def route(self, record: Record) -> Iterator[tuple[str, Record]]:
        """The record with its session id, after those that waited for it."""
        own = session_of(record)
        value = record.value
        is_hook = isinstance(value, System) and (value.subtype or "").startswith("hook_")
        if isinstance(value, stream.ConversationReset) and value.new_conversation_id:
            yield from self._release(own or self._default() or value.new_conversation_id)
            yield own or self._default() or value.new_conversation_id, record
            self._opened = value.new_conversation_id
            return
        if own and not is_hook:
            self._counts[own] += 1
            if isinstance(value, flat.SessionStart) or (isinstance(value, System) and value.subtype == "init"):
                self._opened = own
            yield from self._release(self._default() or own)
            yield own, record
            return
        if own and own in self._counts:
            yield own, record
            return
        default = self._default()
        if default and not (is_hook and self._held):
            yield default, record
        else:
            self._held.append(record)

    def close(self) -> Iterator[tuple[str, Record]]:
        """The stream has ended: what still waits goes where the rest went."""
        own = next((session_of(record) for record in self._held if session_of(record)), None)
        yield from self._release(self._default() or own or self._fallback)

    def _default(self) -> str | None:
        if self._file_id:
            return self._file_id
        if self._opened:
            return self._opened
        return self._counts.most_common(1)[0][0] if self._counts else None

    def _release(self, session_id: str) -> Iterator[tuple[str, Record]]:
        held, self._held = self._held, []
        for record in held:
            yield session_id, record


def session_of(record: Record) -> str | None:
    """The session id a record itself carries."""
    if isinstance(record, Unread):
        return None
    value = record.value
    if isinstance(value, Result):
        return value.session_id or value.sessionId
    return value.sessionId or value.session_id
