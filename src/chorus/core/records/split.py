"""Splits a stream of bytes into pieces that cover it: records, unread bytes, filling. Pure: bytes in, pieces out.

The common case is one record on one line, which is decoded at once. Everything else is read row by row: records that a
terminal wrapped over several rows, several records on one line, a session as one JSON array, noise and damage. Such a
record reaches from a `{` to the end of one JSON value, which one linear `Scanner` finds. A fragment that can never be
complete becomes `Unread`, and reading continues at the first row after it that may begin a record.
"""

from collections.abc import Iterable, Iterator

from chorus.core.records.damage import find_splice
from chorus.core.records.decode import Refused, TooManyValues, decode, decode_with_replacements
from chorus.core.records.dialect import dialect_of
from chorus.core.records.model import TAGS, Value, type_of
from chorus.core.records.model.base import Other
from chorus.core.records.place import StreamId
from chorus.core.records.record import Dialect, Filling, Piece, Record, Unread
from chorus.core.records.rows import PartialRecord, Row
from chorus.core.records.scan import Scanner, Verdict

MAX_RECORD_BYTES = 32 << 20
"""A longer line or incomplete record is divided into unread parts, so that memory stays bounded. No request to the
model may be as long."""
_PART_BYTES = 8 << 20
_TOO_LONG = f"line longer than {MAX_RECORD_BYTES >> 20} MiB"
_RESCAN_FREE_BYTES = 256 << 10
_RESCAN_FACTOR = 4
_NO_VALUE = Other()


class Splitter:
    """Splits one stream. Call `feed` with pieces of any size, then `close` once."""

    def __init__(self, stream: StreamId, offset: int = 0) -> None:
        self.stream = stream
        self.lines = 0
        """Number of physical lines with content so far."""
        self._offset = offset
        self._line_parts: list[bytes] = []
        """The beginning of a line whose end has not arrived yet."""
        self._line_bytes = 0
        self._is_too_long = False
        """Whether the beginning of the current line was already given up as unread."""
        self._open: PartialRecord | None = None
        """The rows so far of a record that has begun and is not complete."""
        self._scanner = Scanner()
        self._in_array = False
        self._bracket: Row | None = None
        """A row that contains only `[`: the start of an array if a record follows."""
        self._rescanned = 0
        self._reread: list[tuple[bytes, int]] = []
        """Rows of records that were given up and are read again: bytes and their offset, in reverse order."""

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Takes the next bytes of the stream. Yields every piece that they complete."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            raw = data[start:end]
            start = end + 1
            if self._is_too_long or self._line_bytes + len(raw) > MAX_RECORD_BYTES:
                self._hold_back(raw)
                yield from self._give_up_line(b"\n")
                continue
            if self._line_parts:
                self._line_parts.append(raw)
                raw = b"".join(self._line_parts)
                self._line_parts, self._line_bytes = [], 0
            if (record := self._whole_line(raw, b"\n")) is not None:
                yield record
            else:
                yield from self._row(raw + b"\n")
            self._offset += len(raw) + 1
        if start < len(data):
            self._hold_back(data[start:])
            if self._line_bytes > (_PART_BYTES if self._is_too_long else MAX_RECORD_BYTES):
                yield from self._give_up_line()

    def feed_line(self, body: bytes, end: bytes, *, is_utf8: bool = False) -> Record | None:
        """Takes the next line if all of it is one record, and returns the record.

        Returns None if it is anything else; then call `feed` with the line. Pass `is_utf8=True` if the encoding was
        checked before.
        """
        if self._line_parts or self._is_too_long or not end.endswith(b"\n") or len(body) > MAX_RECORD_BYTES:
            return None
        record = self._whole_line(body, end, is_utf8=is_utf8)
        if record is not None:
            self._offset += len(body) + len(end)
        return record

    def close(self) -> Iterator[Piece]:
        """Ends the stream. Yields the pieces that were held back."""
        if self._is_too_long:
            yield from self._give_up_line(b"")
        elif self._line_parts:
            line = b"".join(self._line_parts)
            self._line_parts, self._line_bytes = [], 0
            if (record := self._whole_line(line, b"")) is not None:
                yield record
            else:
                yield from self._row(line)
            self._offset += len(line)
        yield from self._give_up_open("the stream ended inside it")
        if self._bracket:
            row, self._bracket = self._bracket, None
            yield self._unread(row, 0, len(row.raw), "not JSON")

    def _whole_line(self, raw: bytes, tail: bytes, *, is_utf8: bool = False) -> Record | None:
        """Returns the record if all of a line is one; None if it is not, or while a record or an array is open."""
        if self._open or self._in_array or self._bracket is not None:
            return None
        if raw.endswith(b"\r"):
            raw, tail = raw[:-1], b"\r" + tail
        try:
            value = decode(raw, is_utf8=is_utf8)
        except TooManyValues as refusal:
            # The whole line is unread: searching it for records would take as long as decoding it.
            self.lines += 1
            return self._unread_bytes(raw, self._offset, str(refusal), tail)
        except Refused:
            return None
        self.lines += 1
        return self._record(value, raw, tail, self._offset)

    def _row(self, line: bytes) -> Iterator[Piece]:
        """Reads one line as a row."""
        if not line.isspace():
            self.lines += 1
        yield from self._read(Row(line, self._offset))
        if self._reread:
            yield from self._read_rows()

    def _read(self, row: Row) -> Iterable[Piece]:
        if self._open:
            return self._continue(row)
        if self._bracket is not None:
            return (self._judge_bracket(self._bracket, row), *self._begin(row, 0))
        return self._begin(row, 0)

    def _read_rows(self) -> Iterator[Piece]:
        """Reads the waiting rows in order. A record that is given up puts its rows back in front."""
        while self._reread:
            data, offset = self._reread.pop()
            start = 0
            while start < len(data):
                end = data.find(b"\n", start) + 1 or len(data)
                row = Row(data[start:end], offset + start)
                start = end
                waiting = len(self._reread)
                yield from self._read(row)
                if len(self._reread) > waiting:
                    again = self._reread.pop()
                    self._reread += [(data[start:], offset + start), again]
                    break

    def _judge_bracket(self, bracket: Row, following: Row) -> Piece:
        self._bracket = None
        self._in_array = following.text.lstrip().startswith(b"{")
        if self._in_array:
            return self._filling(bracket, 0, len(bracket.raw))
        return self._unread(bracket, 0, len(bracket.raw), "not JSON")

    def _begin(self, row: Row, start: int) -> Iterator[Piece]:
        """Reads `row` from index `start` of its text on, while no record is open."""
        text = row.text
        if start == 0 and not self._in_array:
            inside = row.inside_bracket()
            if inside == b"":
                self._bracket = row
                return
            self._in_array = inside is not None and inside.startswith((b"{", b"]"))
        while True:
            begin = row.raw_index(start) if start else 0
            at = row.content_start(start, in_array=self._in_array)
            if self._in_array and b"]" in text[start:at]:
                self._in_array = False
            if at == len(text):
                if begin < len(row.raw):
                    yield self._filling(row, begin, len(row.raw))
                return
            if text[at] != 0x7B:
                self._in_array = False
                yield from self._damaged(row, begin, start, "not JSON")
                return
            if begin < row.raw_index(at):
                yield self._filling(row, begin, row.raw_index(at))
            self._scanner = Scanner()
            match self._scanner.feed(text, at):
                case Verdict.OPEN:
                    self._open = PartialRecord(row, at)
                    return
                case Verdict.BROKEN:
                    self._in_array = False
                    reason = f"broken JSON: {self._scanner.reason} at byte {self._scanner.position - at}"
                    yield from self._damaged(row, row.raw_index(at), at, reason)
                    return
                case Verdict.COMPLETE:
                    start = self._scanner.position
                    yield self._finish(None, row, at, start)

    def _continue(self, row: Row) -> Iterable[Piece]:
        """Continues the open record with the next row."""
        partial = self._open
        assert partial is not None
        verdict = self._scanner.feed(row.text)
        if verdict is Verdict.COMPLETE:
            self._open = None
            end = self._scanner.position
            return (self._finish(partial, row, 0, end), *self._begin(row, end))
        partial.add(row)
        if verdict is Verdict.BROKEN:
            return self._abandon(partial, self._scanner.reason)
        if len(partial.raw) > MAX_RECORD_BYTES:
            return self._abandon(partial, f"longer than {MAX_RECORD_BYTES >> 20} MiB")
        return ()

    def _finish(self, partial: PartialRecord | None, last: Row, start: int, end: int) -> Piece:
        """Returns the record that ends at index `end` of the text of its last row. The rest of the row is not read."""
        begin = last.raw_index(start) if partial is None else 0
        is_last = end == len(last.text)
        stop = last.end_of_text() if is_last else last.raw_index(end)
        raw, text, offset = last.raw[begin:stop], last.text[start:end], last.offset + begin
        if partial is not None:
            raw, text, offset = bytes(partial.raw) + raw, bytes(partial.text) + text, partial.offset
        tail = b""
        if is_last:
            tail, last.raw = last.raw[stop:], last.raw[:stop]
        try:
            value = _decode_any(text)
        except Refused as refusal:
            return self._unread_bytes(raw, offset, str(refusal), tail)
        return self._record(value, raw, tail, offset, joined=None if text == raw else text)

    def _damaged(self, row: Row, first: int, start: int, reason: str) -> Iterator[Piece]:
        """Yields a row that is not a record as unread, except for a complete record at its end.

        The pieces begin at index `first` of its bytes; `start` is the same place in its text. Control characters are
        not part of the text, so before index 0 of the text there may be bytes that are already a piece of their own.
        """
        found = find_splice(row.text, start + 1)
        if found is None:
            yield self._unread(row, first, len(row.raw), reason)
            return
        at, value = found
        begin, stop = row.raw_index(at), row.end_of_text()
        yield self._unread(row, first, begin, reason)
        raw = row.raw[begin:stop]
        joined = None if raw == row.text[at:] else row.text[at:]
        yield self._record(value, raw, row.raw[stop:], row.offset + begin, joined)

    def _abandon(self, partial: PartialRecord, reason: str) -> Iterator[Piece]:
        """Gives up the open record: its rows up to the next possible start are unread, the others are read again."""
        self._open = None
        self._in_array = False
        restart = len(partial.raw)
        if partial.first_start is not None and partial.last_start is not None:
            # Reading again from the first possible start loses nothing, but hostile input could request it repeatedly.
            # Beyond a bounded amount, reading continues at the last possible start, which keeps the total work linear.
            self._rescanned += len(partial.raw) - partial.first_start
            is_bounded = self._rescanned <= _RESCAN_FREE_BYTES + _RESCAN_FACTOR * (self._offset + len(partial.raw))
            restart = partial.first_start if is_bounded else partial.last_start
        lost = bytes(partial.raw[:restart])
        if restart < len(partial.raw):
            self._reread.append((bytes(partial.raw[restart:]), partial.offset + restart))
        reason = f"never completed: {reason}"
        if b"\n" in lost[:-1]:
            body = lost.rstrip(b"\r\n")
            yield self._unread_bytes(body, partial.offset, reason, lost[len(body) :])
        else:
            yield from self._damaged(Row(lost, partial.offset), 0, 0, reason)

    def _give_up_open(self, reason: str) -> Iterator[Piece]:
        while self._open is not None:
            yield from self._abandon(self._open, reason)
            yield from self._read_rows()

    def _hold_back(self, data: bytes) -> None:
        self._line_parts.append(data)
        self._line_bytes += len(data)

    def _give_up_line(self, end: bytes | None = None) -> Iterator[Piece]:
        """Yields the bytes of a line that is too long, as unread parts of equal size; `end` ends the last one."""
        if not self._is_too_long:
            yield from self._give_up_open(f"longer than {MAX_RECORD_BYTES >> 20} MiB")
            self.lines += 1
        self._is_too_long = end is None
        while self._line_bytes > _PART_BYTES:
            yield self._part(_PART_BYTES, b"")
        if end is not None and self._line_bytes + len(end):
            yield self._part(self._line_bytes, end)

    def _part(self, size: int, end: bytes) -> Piece:
        """Removes and returns the next `size` bytes of a line that is too long. Their memory is freed at once."""
        taken: list[bytes] = []
        left = size
        self._line_parts.reverse()
        while left:
            piece = self._line_parts.pop()
            if len(piece) > left:
                self._line_parts.append(piece[left:])
                piece = piece[:left]
            taken.append(piece)
            left -= len(piece)
        self._line_parts.reverse()
        self._line_bytes -= size
        part = self._unread_bytes(b"".join(taken), self._offset, _TOO_LONG, end)
        self._offset += size + len(end)
        return part

    def _record(self, value: Value, raw: bytes, tail: bytes, offset: int, joined: bytes | None = None) -> Record:
        kind = TAGS.get(type(value)) or type_of(value)
        return Record(self.stream, offset, raw, tail, value, kind, value.subtype or "", dialect_of(value), joined)

    def _filling(self, row: Row, begin: int, stop: int) -> Filling:
        return Filling(self.stream, row.offset + begin, row.raw[begin:stop], b"")

    def _unread(self, row: Row, begin: int, stop: int, reason: str) -> Unread:
        raw = row.raw[begin:stop]
        body = raw.rstrip(b"\r\n")
        return self._unread_bytes(body, row.offset + begin, reason, raw[len(body) :])

    def _unread_bytes(self, raw: bytes, offset: int, reason: str, tail: bytes) -> Unread:
        return Unread(self.stream, offset, raw, tail, _NO_VALUE, "unread", "", Dialect.OTHER, reason=reason)


def _decode_any(text: bytes) -> Value:
    try:
        return decode(text)
    except TooManyValues:
        raise
    except Refused:
        return decode_with_replacements(text)
