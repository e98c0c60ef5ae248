"""The result of reading a stream: pieces that together are the stream, byte for byte."""

from enum import StrEnum

import msgspec

from chorus.core.records.model import Value
from chorus.core.records.place import Place, StreamId


class Dialect(StrEnum):
    """The family of record formats that a record belongs to. It is recognised per record, never per file."""

    STREAM_JSON = "stream-json"
    SESSION = "session"
    FLAT = "flat"
    OTHER = "other"


class Piece(msgspec.Struct, gc=False):
    """A slice of a stream. The `raw + tail` of all pieces, in order, are the bytes of the stream."""

    stream: StreamId
    offset: int
    raw: bytes
    """The exact bytes as captured; all rows of a reassembled record."""
    tail: bytes
    """The bytes between this piece and the next: a line end, or nothing."""

    @property
    def place(self) -> Place:
        return Place(self.stream, self.offset, len(self.raw))


class Filling(Piece):
    """Bytes without content: blank lines, a BOM, escapes before a record, the punctuation of an array."""


class Record(Piece):
    """One JSON object of a stream, typed."""

    value: Value
    """The typed model. Its attributes have the same names as in the JSON."""
    type: str
    """The `type` of the object; empty if it has none."""
    subtype: str
    """The `subtype` of the object; empty if it has none."""
    dialect: Dialect
    joined: bytes | None = None
    """The JSON text joined from several captured rows; None if `raw` is the JSON text."""
    seen_at: str | None = None
    """When it was written at the latest (ISO 8601, UTC), for records that do not contain a time."""

    @property
    def json(self) -> bytes:
        """The JSON text of the record: `raw`, or the joined rows."""
        return self.raw if self.joined is None else self.joined

    @property
    def reassembled(self) -> bool:
        return self.joined is not None


class Unread(Record):
    """Bytes that are not a record. They are stored, counted and shown, with their place and the reason."""

    reason: str = ""
