"""The permission request at the end of a followed stream of flat events. Pure.

Flat events have no ids. A request is unanswered as long as it is the last record of its stream.
"""

from msgspec import Struct

from chorus.core.records.decode import Refused, decode
from chorus.core.records.model import flat
from chorus.steer.tmux.rows import plain

LONGEST_REQUEST = 100_000
"""A longer request is only shown: nobody could judge it on a card."""
_NAMES = (b"permission_request", b"session_start")


class FlatRequest(Struct, frozen=True):
    """A record of type `permission_request`."""

    number: int
    """How many requests its stream had up to it."""
    text: str
    """The record as it was printed."""


class FlatStream:
    """What is known about the requests of one stream. `take` gets complete rows."""

    def __init__(self) -> None:
        self.session: str | None = None
        """The session that the stream named with a flat `session_start`."""
        self.request: FlatRequest | None = None
        """The request that nobody has answered; None if there is none, or if it is not clear which one that is."""
        self._count = 0
        self._is_at_request = False
        """Whether a request is the last record."""
        self._is_answered = False
        """Whether Chorus has answered that request."""
        self._why_unclear = ""
        self.has_gone_on = False
        """Whether the program printed a record after the last answer."""

    def take(self, rows: bytes) -> None:
        if not self._is_at_request and not any(name in rows for name in _NAMES):
            return
        for row in rows.split(b"\n"):
            start = row.find(b"{")
            if start >= 0:
                self._take_record(plain(row[start:]))

    @property
    def obstacle(self) -> str:
        """Why the request at the end of the stream is only shown; empty if there is none, or if it can be answered."""
        return "" if self.request is not None or self._is_answered or not self._is_at_request else self._why_unclear

    def answer(self) -> None:
        """Notes that Chorus answers the request: what comes next is what the program does then."""
        self.request, self._is_answered, self.has_gone_on = None, True, False

    def _take_record(self, row: bytes) -> None:
        # Two requests in a row: it cannot be seen to which of them an answer would go.
        is_clear = not self._is_at_request or self._is_answered
        self._is_at_request, self._is_answered, self.request = False, False, None
        try:
            value = decode(row)
        except Refused:
            # What cannot be read may be anything: nothing is answered after it.
            return
        self.has_gone_on = True
        if isinstance(value, flat.SessionStart):
            self.session = value.session_id or value.sessionId
        elif isinstance(value, flat.PermissionRequest):
            self._count += 1
            self._is_at_request = True
            if not is_clear:
                self._why_unclear = "another request came right before it, and nobody answered that one"
            elif not value.prompt:
                self._why_unclear = "it does not say what is asked"
            elif len(row) > LONGEST_REQUEST:
                self._why_unclear = "it is too long for a card"
            else:
                self.request = FlatRequest(self._count, row.decode("utf-8", "replace"))
