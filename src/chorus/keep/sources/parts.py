"""Sources with several sessions: each is stored completely with one session, and in parts with the others.

Examples are a log that several runs wrote to, a session file with lines of another session, and a sub-agent's file that
two sessions wrote to. The router decides which session a record belongs to. Parts are built from the stored source, so
they contain what it had in all of its revisions, in that order, and only ever grow.
"""

import re
from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from msgspec import Struct, field

from chorus.core.conversation.route import Router
from chorus.core.records.session_ids import is_session_id
from chorus.keep.sources.conversation_of import ConversationLocator, path_digest
from chorus.keep.sources.discover import Found, project_key_of
from chorus.keep.sources.side_files import note_part
from chorus.keep.vault.keys import StreamKey, safe_name
from chorus.keep.vault.port import Vault
from chorus.keep.vault.records import StreamReading

LOG_PART, PART = "log-part-", "part-"
_KEYS = (b'"sessionId"', b'"session_id"')
_ESCAPED = re.compile(rb"\\u00[4-7]")
"""A letter that is written as an escape. No client does that, and a key with an escape is not found by its letters."""


def names_others(data: bytes, conversation: str) -> bool:
    """Return whether any record in these bytes may name another session than that of the conversation.

    There are no false negatives. There are false positives, because ids inside a record count like the record's own.
    """
    own = conversation.encode()
    for key in _KEYS:
        named = data.count(key)
        if named and named != data.count(key + b':"' + own + b'"'):
            return True
    return _ESCAPED.search(data) is not None


class _RoutingState(Struct):
    """The state of a source whose records are being assigned to sessions."""

    routers: dict[str, Router] = field(default_factory=dict)
    """One for each revision."""
    at: int = 0
    revision: int = 0
    seq: int = 0
    lines: dict[str, int] = field(default_factory=dict)
    """Session → how many of its records were found."""


class _Share(Struct):
    """The records of one session in the part of a source that was just read."""

    cwd: str | None = None
    lines: list[tuple[str | None, bytes]] = field(default_factory=list)
    """The time at which Chorus saw the line, if its record has no time; and the line."""


class Parts:
    """Stores parts. It remembers how far each source was read, so that the cost depends only on the growth."""

    def __init__(
        self, vault: Vault, locator: ConversationLocator, is_wanted: Callable[[StreamKey, Path], bool]
    ) -> None:
        self._vault = vault
        self._locator = locator
        self._is_wanted = is_wanted
        self._routing: dict[StreamKey, _RoutingState] = {}
        self._plain: set[StreamKey] = set()
        """Logs that were read from their first line on, and name no other session so far."""

    def keep(self, whole: StreamKey, found: Found, *, is_new: bool, has_others: bool, seen_at: str) -> set[str]:
        """Store what other sessions have in a source that grew, and return the names of the conversations that grew.

        `has_others`: the new bytes may name other sessions. `is_new`: the new bytes are the whole source.
        """
        if not has_others:
            if is_new:
                self._plain.add(whole)
            if found.kind != "log" or whole in self._plain:
                # In a file that belongs to a session, a record without an id belongs to that session.
                return set()
        self._plain.discard(whole)
        known = self._routing.get(whole) or self._routing.setdefault(whole, _RoutingState())
        shares = self._read(whole, found, known)
        digest = path_digest(str(found.path))
        grown: set[str] = set()
        for session, share in shares.items():
            place = share.cwd or project_key_of(found.path) or str(found.path.parent)
            key = self._locator.key_in(session, place, (LOG_PART if found.kind == "log" else PART) + digest)
            met = known.lines.get(session, 0)
            known.lines[session] = met + len(share.lines)
            if not self._is_wanted(key, found.path):
                continue
            kept = self._vault.tail(key).seq
            fresh = share.lines[max(0, kept - met) :]
            if fresh and not kept:
                note_part(self._vault, key, found, share.cwd, seen_at=seen_at)
            for own_seen_at, lines in groupby(fresh, key=itemgetter(0)):
                self._vault.append(key, b"".join(line for _, line in lines), seen_at=own_seen_at or seen_at)
            if fresh:
                grown.add(key.owner)
        return grown

    def lines_of(self, whole: StreamKey, found: Found, conversation: str) -> list[bytes]:
        """Return all lines of a conversation in a source that is stored completely with another one."""
        return [line for _, line in self._share_of(whole, found, conversation).lines]

    def note_again(self, part: StreamKey, whole: StreamKey, found: Found, *, seen_at: str) -> None:
        """Note in the manifest again that a stream is a part of a source, unless that note still exists."""
        folder = self._share_of(whole, found, part.conversation).cwd
        note_part(self._vault, part, found, folder, seen_at=seen_at, is_once=True)

    def _share_of(self, whole: StreamKey, found: Found, conversation: str) -> _Share:
        shares = self._read(whole, found, _RoutingState()).items()
        return next((share for session, share in shares if safe_name(session) == conversation), _Share())

    def _read(self, whole: StreamKey, found: Found, known: _RoutingState) -> dict[str, _Share]:
        """Return what each other session has in the rest of the source."""
        reading = StreamReading(self._vault, whole, known.at)
        reading.revision, reading.next_seq = known.revision, known.seq
        shares: dict[str, _Share] = {}
        for record in reading:
            router = known.routers.get(record.stream)
            if router is None:
                router = known.routers[record.stream] = _router(whole, found)
            for session, routed in router.route(record):
                if safe_name(session) != whole.conversation:
                    share = shares.get(session) or shares.setdefault(session, _Share())
                    share.cwd = share.cwd or routed.value.cwd
                    share.lines.append((routed.seen_at, routed.json.replace(b"\n", b" ") + b"\n"))
        known.at, known.revision, known.seq = reading.next_at, reading.revision, reading.next_seq
        if reading.is_unfinished:
            # Bytes that follow may change how the end is read: start from the beginning next time.
            self._routing.pop(whole, None)
        return shares


def _router(whole: StreamKey, found: Found) -> Router:
    """Return the same router as `Kept.router` for the stream."""
    is_log = found.kind == "log" or not is_session_id(whole.conversation)
    return Router("", home=None if is_log else whole.conversation, fallback=whole.conversation)
