"""A stream of bytes → pieces that tile it: records, unread bytes, filling. Push bytes in, take pieces out; no I/O.

The common case is one record on one line, decoded at once. Everything else goes row by row: events cut over several
rows by a terminal, records joined on one line, a session as one JSON array, noise and damage. A record then runs
from a `{` to the end of one JSON value, found by one linear `Scanner`; a fragment that can never complete is given
up as `Unread` and reading goes on at the first row after it that may begin a record.
"""

from collections.abc import Iterator

from chorus.records.decode import Refused, decode, mend
from chorus.records.dialect import dialect_of
from chorus.records.model import Value
from chorus.records.model.base import Other
from chorus.records.place import StreamId
from chorus.records.record import Dialect, Filling, Piece, Record, Unread
from chorus.records.rows import Row
from chorus.records.scan import Scanner, Verdict

MAX_RECORD_BYTES = 128 << 20
"""A line or an unfinished event longer than this is kept as unread parts, so that memory stays bounded."""
_PART_BYTES = 16 << 20
_RESCAN_FREE_BYTES = 1 << 20
_RESCAN_FACTOR = 4
_MAX_SPLICES = 16
_NO_VALUE = Other()


class Splitter:
    """Splits one stream. Feed it in pieces of any size, then `close` it once."""

    def __init__(self, stream: StreamId, offset: int = 0) -> None:
        self.stream = stream
        self.lines = 0
        """Physical lines with content so far."""
        self._offset = offset
        self._cut: list[bytes] = []
        """The beginning of a line whose end has not come yet."""
        self._cut_bytes = 0
        self._open: list[Row] = []
        """The rows of a record that has begun; its `{` stands at `_open_at` of the first one's text."""
        self._open_at = 0
        self._open_bytes = 0
        self._scanner = Scanner()
        self._in_array = False
        self._bracket: Row | None = None
        """A row that is a lone `[`: the start of an array only if a record follows."""
        self._rescanned = 0

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Take the next bytes of the stream; yields every piece they complete."""
        start = 0
        while (end := data.find(b"\n", start) + 1) > 0:
            line = data[start:end]
            start = end
            if self._cut:
                self._cut.append(line)
                line = b"".join(self._cut)
                self._cut, self._cut_bytes = [], 0
            if self._open or self._bracket is not None or self._in_array:
                yield from self._row(Row(line, self._offset))
            else:
                raw = line[:-2] if line.endswith(b"\r\n") else line[:-1]
                try:
                    value = decode(raw)
                except Refused:
                    yield from self._row(Row(line, self._offset))
                else:
                    self.lines += 1
                    yield self._record(value, raw, line[len(raw) :], self._offset)
            self._offset += len(line)
        if start < len(data):
            self._cut.append(data[start:])
            self._cut_bytes += len(data) - start
            if self._cut_bytes > MAX_RECORD_BYTES:
                yield from self._give_up_line()

    def close(self) -> Iterator[Piece]:
        """The stream has ended: what was held back comes out."""
        if self._cut:
            line = b"".join(self._cut)
            self._cut, self._cut_bytes = [], 0
            yield from self._row(Row(line, self._offset))
            self._offset += len(line)
        if self._bracket:
            row, self._bracket = self._bracket, None
            yield self._unread(row, 0, len(row.raw), "not JSON")
        while self._open:
            yield from self._abandon("the stream ended inside it")

    def _record(self, value: Value, raw: bytes, tail: bytes, offset: int, joined: bytes | None = None) -> Record:
        kind = value.__struct_config__.tag or getattr(value, "type", None) or ""
        return Record(self.stream, offset, raw, tail, value, str(kind), value.subtype or "", dialect_of(value), joined)

    def _row(self, row: Row) -> Iterator[Piece]:
        if row.text.strip():
            self.lines += 1
        if self._bracket is not None:
            bracket, self._bracket = self._bracket, None
            self._in_array = row.text.lstrip().startswith(b"{")
            if self._in_array:
                yield self._filling(bracket, 0, len(bracket.raw))
            else:
                yield self._unread(bracket, 0, len(bracket.raw), "not JSON")
        yield from self._continue(row) if self._open else self._begin(row, 0)

    def _begin(self, row: Row, start: int) -> Iterator[Piece]:
        """Read what stands in `row` from `start` of its text on, outside any record."""
        text = row.text
        if start == 0 and not self._in_array and text.lstrip(b"\xef\xbb\xbf \t\r").startswith(b"["):
            inside = text.lstrip(b"\xef\xbb\xbf \t\r")[1:].lstrip()
            if not inside:
                self._bracket = row
                return
            self._in_array = inside.startswith((b"{", b"]"))
        while True:
            at = row.content_start(start, in_array=self._in_array)
            if self._in_array and b"]" in text[start:at]:
                self._in_array = False
            if at == len(text):
                if begin := row.raw_index(start) if start else 0:
                    if begin < len(row.raw):
                        yield self._filling(row, begin, len(row.raw))
                elif row.raw:
                    yield self._filling(row, 0, len(row.raw))
                return
            if text[at] != 0x7B:
                self._in_array = False
                yield self._unread(row, row.raw_index(start) if start else 0, len(row.raw), "not JSON")
                return
            if lead := row.raw_index(at) - (row.raw_index(start) if start else 0):
                yield self._filling(row, row.raw_index(at) - lead, row.raw_index(at))
            self._open, self._open_at, self._open_bytes = [row], at, len(text) - at
            self._scanner = Scanner()
            match self._scanner.feed(text, at):
                case Verdict.OPEN:
                    return
                case Verdict.BROKEN:
                    self._open = []
                    self._in_array = False
                    yield from self._damaged(row, at)
                    return
                case Verdict.COMPLETE:
                    start = self._scanner.position
                    yield self._finish(row, start)

    def _continue(self, row: Row) -> Iterator[Piece]:
        """Go on with the open record in the next row."""
        self._open.append(row)
        self._open_bytes += len(row.text)
        if self._open_bytes > MAX_RECORD_BYTES:
            yield from self._abandon(f"longer than {MAX_RECORD_BYTES >> 20} MiB")
            return
        match self._scanner.feed(row.text):
            case Verdict.BROKEN:
                yield from self._abandon(self._scanner.reason)
            case Verdict.COMPLETE:
                end = self._scanner.position
                yield self._finish(row, end)
                yield from self._begin(row, end)

    def _finish(self, last: Row, end: int) -> Piece:
        """The open record is complete at `end` of the last row's text; what follows there is not yet taken."""
        rows, self._open = self._open, []
        first, begin = rows[0], rows[0].raw_index(self._open_at)
        stop = last.raw_index(end) if end < len(last.text) else _end_of_text(last)
        if len(rows) == 1:
            raw = first.raw[begin:stop]
            text = first.text[self._open_at : end]
        else:
            middle = [row.raw for row in rows[1:-1]]
            raw = b"".join([first.raw[begin:], *middle, last.raw[:stop]])
            text = b"".join([first.text[self._open_at :], *(row.text for row in rows[1:-1]), last.text[:end]])
        tail = b""
        if end == len(last.text):
            tail = last.raw[stop:]
            last.raw = last.raw[:stop]
        offset = first.offset + begin
        try:
            value = _decode_or_mend(text)
        except Refused as refusal:
            return self._unread_bytes(raw, offset, str(refusal), tail)
        return self._record(value, raw, tail, offset, joined=None if text == raw else text)

    def _damaged(self, row: Row, start: int) -> Iterator[Piece]:
        """A row that begins like a record and breaks inside: look for a whole record spliced into it."""
        text, at = row.text, self._scanner.position
        reason = f"broken JSON: {self._scanner.reason} at byte {at - start}"
        for _ in range(_MAX_SPLICES):
            at = text.find(b'{"', at + 1 if at == start else at)
            if at < 0:
                break
            try:
                value = decode(text[at:])
            except Refused:
                at += 1
                continue
            # A block inside the broken record has a type as well; only an envelope makes a record of its own.
            if value.uuid or value.session_id or value.sessionId:
                begin = row.raw_index(at)
                stop = _end_of_text(row)
                yield self._unread(row, row.raw_index(start), begin, reason)
                raw = row.raw[begin:stop]
                joined = None if raw == text[at:] else text[at:]
                yield self._record(value, raw, row.raw[stop:], row.offset + begin, joined)
                return
            at += 1
        yield self._unread(row, row.raw_index(start), len(row.raw), reason)

    def _abandon(self, reason: str) -> Iterator[Piece]:
        """Give up the open record: its rows up to the next possible start are unread, the others are read again."""
        rows, self._open = self._open, []
        self._in_array = False
        candidates = [n for n in range(1, len(rows)) if rows[n].text.lstrip().startswith(b"{")]
        restart = len(rows)
        if candidates:
            # Reading again from the first candidate loses nothing, but input made to hurt could ask for it over and
            # over: past a bounded debt the last candidate is taken, which keeps the whole scan linear.
            again = sum(len(row.text) for row in rows[candidates[0] :])
            self._rescanned += again
            free = _RESCAN_FREE_BYTES + _RESCAN_FACTOR * (self._offset + again)
            restart = candidates[0] if self._rescanned <= free else candidates[-1]
        first = rows[0]
        begin = first.raw_index(self._open_at)
        raw = b"".join([first.raw[begin:], *(row.raw for row in rows[1:restart])])
        body = raw.rstrip(b"\r\n")
        yield self._unread_bytes(body, first.offset + begin, f"never completed: {reason}", raw[len(body) :])
        for row in rows[restart:]:
            yield from self._continue(row) if self._open else self._begin(row, 0)

    def _give_up_line(self) -> Iterator[Piece]:
        """A line too long to hold: out with what there is of it, as unread parts."""
        while self._open:
            yield from self._abandon(f"longer than {MAX_RECORD_BYTES >> 20} MiB")
        data = b"".join(self._cut)
        self._cut, self._cut_bytes = [], 0
        self.lines += 1
        for start in range(0, len(data), _PART_BYTES):
            part = data[start : start + _PART_BYTES]
            yield self._unread_bytes(part, self._offset, f"line longer than {MAX_RECORD_BYTES >> 20} MiB", b"")
            self._offset += len(part)

    def _filling(self, row: Row, begin: int, stop: int) -> Filling:
        return Filling(self.stream, row.offset + begin, row.raw[begin:stop], b"")

    def _unread(self, row: Row, begin: int, stop: int, reason: str) -> Unread:
        raw = row.raw[begin:stop]
        body = raw.rstrip(b"\r\n")
        return self._unread_bytes(body, row.offset + begin, reason, raw[len(body) :])

    def _unread_bytes(self, raw: bytes, offset: int, reason: str, tail: bytes) -> Unread:
        return Unread(self.stream, offset, raw, tail, _NO_VALUE, "unread", "", Dialect.OTHER, reason=reason)


def _end_of_text(row: Row) -> int:
    return len(row.raw.rstrip(b"\r\n"))


def _decode_or_mend(text: bytes) -> Value:
    try:
        return decode(text)
    except Refused:
        return mend(text)
