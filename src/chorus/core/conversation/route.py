"""Which conversation a record belongs to, decided for each record of a stream.

The session id of the record decides, in every stream. Records without one belong to the home of the stream: the session
that names the file, or in whose folder the file is. Without a home they belong to the session that the stream opened
last (`init`, `session_start`, `/clear`), else to the id that most of its records have so far. Records before the first
known id wait for it. Hook lines may have another id than the session that they start: alone they form no conversation.
So each record belongs to exactly one conversation, for files, vault, index and cost ledger alike.
"""

from msgspec import Struct, field

from chorus.core.records.model import flat, stream
from chorus.core.records.model.system import System
from chorus.core.records.model.turns import Result
from chorus.core.records.record import Dialect, Record
from chorus.core.records.session_ids import id_in, name_without_id

_SESSION_MARKERS = frozenset({System, flat.SessionStart, stream.ConversationReset})
"""Types of records that may open another session in a stream."""


class RouterState(Struct):
    """The state of a router, to continue later."""

    opened: str | None = None
    counts: dict[str, int] = field(default_factory=dict)


class Router:
    """Finds the session id of each record of one stream."""

    def __init__(
        self,
        stream_name: str,
        state: RouterState | None = None,
        *,
        home: str | None = None,
        fallback: str | None = None,
        is_sole: bool = False,
    ) -> None:
        """Starts with a stream, or continues from a saved state.

        `home` is the session of the stream's place, if its name does not contain one. `fallback` gets the records for
        which no id is known at the end. `is_sole` means that the stream contains only records of its home.
        """
        self._home = home or id_in(stream_name)
        self._fallback = fallback
        self._name = stream_name
        self._is_sole = is_sole
        self._opened = state.opened if state else None
        self._counts = dict(state.counts) if state else {}
        self._waiting: list[Record] = []

    def route(self, record: Record) -> list[tuple[str, Record]]:
        """Returns the record with its session id, after the records that waited for it; [] if it must wait itself."""
        value = record.value
        own = value.sessionId or value.session_id or None
        if own is None or self._is_sole or (self._opened and _is_flat_result(record)):
            return self._follow(record)
        if type(value) in _SESSION_MARKERS:
            if isinstance(value, System):
                if (value.subtype or "").startswith("hook_") and own not in self._counts:
                    return self._follow(record)
                if value.subtype == "init":
                    self._opened = own
            elif isinstance(value, stream.ConversationReset):
                self._opened = value.new_conversation_id or own
            else:
                self._opened = own
        self._counts[own] = self._counts.get(own, 0) + 1
        if self._waiting:
            return [*self._release(self._home or own), (own, record)]
        return [(own, record)]

    def _follow(self, record: Record) -> list[tuple[str, Record]]:
        """Routes a record without a usable id to the default session, as soon as that is known."""
        default = self._default()
        if default is None:
            self._waiting.append(record)
            return []
        return [(default, record)]

    def save(self) -> RouterState | None:
        """Returns the state to continue from; None while records wait for a session, since these are not saved."""
        return None if self._waiting else RouterState(self._opened, dict(self._counts))

    def close(self) -> list[tuple[str, Record]]:
        """Returns the records that still wait, with the session of the rest. Call it at the end of the stream."""
        if not self._waiting:
            return []
        own = next((name for record in self._waiting if (name := session_of(record))), None)
        return self._release(self._default() or self._fallback or own or name_without_id(self._name))

    def _default(self) -> str | None:
        if self._home:
            return self._home
        if self._opened:
            return self._opened
        return max(self._counts, key=self._counts.__getitem__) if self._counts else None

    def _release(self, session_id: str) -> list[tuple[str, Record]]:
        waiting, self._waiting = self._waiting, []
        return [(session_id, record) for record in waiting]


def _is_flat_result(record: Record) -> bool:
    """Returns whether it ends a turn of flat events. Its session id is usually another one, and opens nothing."""
    return record.dialect is Dialect.FLAT and isinstance(record.value, Result)


def session_of(record: Record) -> str | None:
    """Returns the session id in the record itself, or None."""
    return record.value.sessionId or record.value.session_id or None
