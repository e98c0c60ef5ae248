"""What reading a stream gives: pieces that tile it byte for byte."""

from enum import StrEnum

import msgspec

from chorus.core.records.model import Value
from chorus.core.records.place import Place, StreamId


class Dialect(StrEnum):
    """The family of messages a record belongs to; told per record, never per file."""

    STREAM_JSON = "stream-json"
    SESSION = "session"
    FLAT = "flat"
    OTHER = "other"


class Piece(msgspec.Struct, gc=False):
    """A slice of a stream. The `raw + tail` of all pieces, in order, are the stream's bytes."""

    stream: StreamId
    offset: int
    raw: bytes
    """The exact bytes as captured; for a reassembled record all its rows."""
    tail: bytes
    """What lies between this piece and the next: a line end, or nothing."""

    @property
    def place(self) -> Place:
        return Place(self.stream, self.offset, len(self.raw))


class Filling(Piece):
    """Bytes that carry nothing: blank lines, a BOM, escapes before a record, the punctuation of an array."""


class Record(Piece):
    """One JSON object of a stream, typed."""

    value: Value
    """The typed model; its attributes are spelled as on the wire."""
    type: str
    """The object's own `type`; empty when it has none."""
    subtype: str
    """The object's own `subtype`; empty when it has none."""
    dialect: Dialect
    joined: bytes | None = None
    """The JSON text put together from several captured rows, where that was needed."""
    seen_at: str | None = None
    """When Chorus saw it (ISO 8601, UTC), for records that carry no time of their own."""

    @property
    def json(self) -> bytes:
        """The JSON text of the record: `raw`, or the rows joined."""
        return self.raw if self.joined is None else self.joined

    @property
    def reassembled(self) -> bool:
        return self.joined is not None


class Unread(Record):
    """Bytes that are not a record: kept, counted and shown, with the place and the reason."""

    reason: str = ""
