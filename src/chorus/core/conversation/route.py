"""Which conversation a record belongs to, decided record by record within one stream.

A record's own session id decides, in every stream. Records without one belong to the stream's home: the session that
its file is named by, or in whose folder it lies. Where there is no home they follow the session that the stream last
opened (`init`, `session_start`, `/clear`); else the id most of its records carry so far. What comes before any id is
known waits for it. Hook lines may run under another id than the session they start: alone they make no conversation.
So each record belongs to exactly one conversation, whoever asks: the files, the vault, the index or the ledger.
"""

from msgspec import Struct, field

from chorus.core.records.model import flat, stream
from chorus.core.records.model.system import System
from chorus.core.records.model.turns import Result
from chorus.core.records.record import Dialect, Record
from chorus.core.records.session_ids import id_in, name_without_id

_SIGNPOSTS = frozenset({System, flat.SessionStart, stream.ConversationReset})
"""Records that may tell which session a stream goes on with."""


class RouterState(Struct):
    """What a router has learned of its stream."""

    opened: str | None = None
    counts: dict[str, int] = field(default_factory=dict)


class Router:
    """Gives each record of one stream its session id."""

    def __init__(
        self,
        stream_name: str,
        state: RouterState | None = None,
        *,
        home: str | None = None,
        fallback: str | None = None,
        is_sole: bool = False,
    ) -> None:
        """Begin with a stream, or go on from where its router was saved.

        `home` is the session that the stream's place names, where its own name does not. `fallback` takes what no id
        is known for at the end. A stream `is_sole` if it was made of the records of its home alone.
        """
        self._home = home or id_in(stream_name)
        self._given = fallback
        self._name = stream_name
        self._is_sole = is_sole
        self._opened = state.opened if state else None
        self._counts = dict(state.counts) if state else {}
        self._held: list[Record] = []

    def route(self, record: Record) -> list[tuple[str, Record]]:
        """The record with its session id, after those that waited for it; nothing while it has to wait itself."""
        value = record.value
        own = value.sessionId or value.session_id or None
        if own is None or self._is_sole or (self._opened and _is_flat_result(record)):
            return self._follow(record)
        if type(value) in _SIGNPOSTS:
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
        if self._held:
            return [*self._release(self._home or own), (own, record)]
        return [(own, record)]

    def _follow(self, record: Record) -> list[tuple[str, Record]]:
        """A record without an id that counts goes where the stream is, once that is known."""
        default = self._default()
        if default is None:
            self._held.append(record)
            return []
        return [(default, record)]

    def save(self) -> RouterState | None:
        """What to go on from; None while records wait for a session, since they are not saved."""
        return None if self._held else RouterState(self._opened, dict(self._counts))

    def close(self) -> list[tuple[str, Record]]:
        """The stream has ended: what still waits goes where the rest went."""
        if not self._held:
            return []
        own = next((name for record in self._held if (name := session_of(record))), None)
        return self._release(self._default() or self._given or own or name_without_id(self._name))

    def _default(self) -> str | None:
        if self._home:
            return self._home
        if self._opened:
            return self._opened
        return max(self._counts, key=self._counts.__getitem__) if self._counts else None

    def _release(self, session_id: str) -> list[tuple[str, Record]]:
        held, self._held = self._held, []
        return [(session_id, record) for record in held]


def _is_flat_result(record: Record) -> bool:
    """Whether it ends a turn of flat events: the id in it is another one's as a rule, and opens nothing."""
    return record.dialect is Dialect.FLAT and isinstance(record.value, Result)


def session_of(record: Record) -> str | None:
    """The session id a record itself carries."""
    return record.value.sessionId or record.value.session_id or None
