"""A stream of bytes → pieces that tile it: records, unread bytes, filling. Push bytes in, take pieces out; no I/O.

The common case is one record on one line, decoded at once. Everything else goes row by row: events cut over several
rows by a terminal, records joined on one line, a session as one JSON array, noise and damage. A record then runs
from a `{` to the end of one JSON value, found by one linear `Scanner`; a fragment that can never complete is given
up as `Unread` and reading goes on at the first row after it that may begin a record.
"""

from collections.abc import Iterable, Iterator

from chorus.core.records.damage import find_splice
from chorus.core.records.decode import Refused, TooMany, decode, mend
from chorus.core.records.dialect import dialect_of
from chorus.core.records.model import TAGS, Value, type_of
from chorus.core.records.model.base import Other
from chorus.core.records.place import StreamId
from chorus.core.records.record import Dialect, Filling, Piece, Record, Unread
from chorus.core.records.rows import Row, RunWatcher
from chorus.core.records.scan import Scanner, Verdict

MAX_RECORD_BYTES = 32 << 20
"""A line or an unfinished event longer than this is kept as unread parts, so that memory stays bounded. No request to
the model may be as long."""
_PART_BYTES = 8 << 20
_TOO_LONG = f"line longer than {MAX_RECORD_BYTES >> 20} MiB"
_RESCAN_FREE_BYTES = 256 << 10
_RESCAN_FACTOR = 4
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
        self._is_too_long = False
        """Whether the beginning of the present line was given up already."""
        self._open: RunWatcher | None = None
        """The rows so far of a record that has begun and is not complete."""
        self._scanner = Scanner()
        self._in_array = False
        self._bracket: Row | None = None
        """A row that is a lone `[`: the start of an array only if a record follows."""
        self._rescanned = 0
        self._again: list[tuple[bytes, int]] = []
        """Rows of records that were given up, to be read once more: bytes and their offset, the next ones last."""

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Take the next bytes of the stream; yields every piece they complete."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            raw = data[start:end]
            start = end + 1
            if self._is_too_long or self._cut_bytes + len(raw) > MAX_RECORD_BYTES:
                self._hold(raw)
                yield from self._give_up_line(b"\n")
                continue
            if self._cut:
                self._cut.append(raw)
                raw = b"".join(self._cut)
                self._cut, self._cut_bytes = [], 0
            if (record := self._whole(raw, b"\n")) is not None:
                yield record
            else:
                yield from self._row(raw + b"\n")
            self._offset += len(raw) + 1
        if start < len(data):
            self._hold(data[start:])
            if self._cut_bytes > (_PART_BYTES if self._is_too_long else MAX_RECORD_BYTES):
                yield from self._give_up_line()

    def feed_line(self, body: bytes, end: bytes, *, is_utf8: bool = False) -> Record | None:
        """Take the next line if it is a record, all of it; None when it is anything else: then `feed` it.

        `is_utf8`: that was seen before.
        """
        if self._cut or self._is_too_long or not end.endswith(b"\n") or len(body) > MAX_RECORD_BYTES:
            return None
        record = self._whole(body, end, is_utf8=is_utf8)
        if record is not None:
            self._offset += len(body) + len(end)
        return record

    def close(self) -> Iterator[Piece]:
        """The stream has ended: what was held back comes out."""
        if self._is_too_long:
            yield from self._give_up_line(b"")
        elif self._cut:
            line = b"".join(self._cut)
            self._cut, self._cut_bytes = [], 0
            if (record := self._whole(line, b"")) is not None:
                yield record
            else:
                yield from self._row(line)
            self._offset += len(line)
        yield from self._give_up_open("the stream ended inside it")
        if self._bracket:
            row, self._bracket = self._bracket, None
            yield self._unread(row, 0, len(row.raw), "not JSON")

    def _whole(self, raw: bytes, tail: bytes, *, is_utf8: bool = False) -> Record | None:
        """The record that a line is, all of it; None when it is anything else, or part of something begun before."""
        if self._open or self._in_array or self._bracket is not None:
            return None
        if raw.endswith(b"\r"):
            raw, tail = raw[:-1], b"\r" + tail
        try:
            value = decode(raw, is_utf8=is_utf8)
        except TooMany as refusal:
            # All of the line: to look for records in it would take as long as to take it apart.
            self.lines += 1
            return self._unread_bytes(raw, self._offset, str(refusal), tail)
        except Refused:
            return None
        self.lines += 1
        return self._record(value, raw, tail, self._offset)

    def _row(self, line: bytes) -> Iterator[Piece]:
        """Read one line as a row."""
        if not line.isspace():
            self.lines += 1
        yield from self._take(Row(line, self._offset))
        if self._again:
            yield from self._read_rows()

    def _take(self, row: Row) -> Iterable[Piece]:
        if self._open:
            return self._continue(row)
        if self._bracket is not None:
            return (self._judge_bracket(self._bracket, row), *self._begin(row, 0))
        return self._begin(row, 0)

    def _read_rows(self) -> Iterator[Piece]:
        """Read the rows that wait, one after the other; a record that is given up puts its rows back in front."""
        while self._again:
            data, offset = self._again.pop()
            start = 0
            while start < len(data):
                end = data.find(b"\n", start) + 1 or len(data)
                row = Row(data[start:end], offset + start)
                start = end
                waiting = len(self._again)
                yield from self._take(row)
                if len(self._again) > waiting:
                    again = self._again.pop()
                    self._again += [(data[start:], offset + start), again]
                    break

    def _judge_bracket(self, bracket: Row, following: Row) -> Piece:
        self._bracket = None
        self._in_array = following.text.lstrip().startswith(b"{")
        if self._in_array:
            return self._filling(bracket, 0, len(bracket.raw))
        return self._unread(bracket, 0, len(bracket.raw), "not JSON")

    def _begin(self, row: Row, start: int) -> Iterator[Piece]:
        """Read what stands in `row` from `start` of its text on, outside any record."""
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
                yield from self._damaged(row, start, "not JSON")
                return
            if begin < row.raw_index(at):
                yield self._filling(row, begin, row.raw_index(at))
            self._scanner = Scanner()
            match self._scanner.feed(text, at):
                case Verdict.OPEN:
                    self._open = RunWatcher(row, at)
                    return
                case Verdict.BROKEN:
                    self._in_array = False
                    reason = f"broken JSON: {self._scanner.reason} at byte {self._scanner.position - at}"
                    yield from self._damaged(row, at, reason)
                    return
                case Verdict.COMPLETE:
                    start = self._scanner.position
                    yield self._finish(None, row, at, start)

    def _continue(self, row: Row) -> Iterable[Piece]:
        """Go on with the open record in the next row."""
        held = self._open
        assert held is not None
        verdict = self._scanner.feed(row.text)
        if verdict is Verdict.COMPLETE:
            self._open = None
            end = self._scanner.position
            return (self._finish(held, row, 0, end), *self._begin(row, end))
        held.add(row)
        if verdict is Verdict.BROKEN:
            return self._abandon(held, self._scanner.reason)
        if len(held.raw) > MAX_RECORD_BYTES:
            return self._abandon(held, f"longer than {MAX_RECORD_BYTES >> 20} MiB")
        return ()

    def _finish(self, held: RunWatcher | None, last: Row, start: int, end: int) -> Piece:
        """A record is complete at `end` of its last row's text; what follows there is not yet taken."""
        begin = last.raw_index(start) if held is None else 0
        is_last = end == len(last.text)
        stop = last.end_of_text() if is_last else last.raw_index(end)
        raw, text, offset = last.raw[begin:stop], last.text[start:end], last.offset + begin
        if held is not None:
            raw, text, offset = bytes(held.raw) + raw, bytes(held.text) + text, held.offset
        tail = b""
        if is_last:
            tail, last.raw = last.raw[stop:], last.raw[:stop]
        try:
            value = _decode_or_mend(text)
        except Refused as refusal:
            return self._unread_bytes(raw, offset, str(refusal), tail)
        return self._record(value, raw, tail, offset, joined=None if text == raw else text)

    def _damaged(self, row: Row, start: int, reason: str) -> Iterator[Piece]:
        """A row that is no record from `start` on: unread, but for a whole record that ends where it ends."""
        first = row.raw_index(start) if start else 0
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

    def _abandon(self, held: RunWatcher, reason: str) -> Iterator[Piece]:
        """Give up the open record: its rows up to the next possible start are unread, the others are read again."""
        self._open = None
        self._in_array = False
        restart = len(held.raw)
        if held.first_start is not None and held.last_start is not None:
            # Reading again from the first possible start loses nothing, but input made to hurt could ask for it over
            # and over: past a bounded debt the last one is taken, which keeps the whole scan linear.
            self._rescanned += len(held.raw) - held.first_start
            is_bounded = self._rescanned <= _RESCAN_FREE_BYTES + _RESCAN_FACTOR * (self._offset + len(held.raw))
            restart = held.first_start if is_bounded else held.last_start
        lost = bytes(held.raw[:restart])
        if restart < len(held.raw):
            self._again.append((bytes(held.raw[restart:]), held.offset + restart))
        reason = f"never completed: {reason}"
        if b"\n" in lost[:-1]:
            body = lost.rstrip(b"\r\n")
            yield self._unread_bytes(body, held.offset, reason, lost[len(body) :])
        else:
            yield from self._damaged(Row(lost, held.offset), 0, reason)

    def _give_up_open(self, reason: str) -> Iterator[Piece]:
        while self._open is not None:
            yield from self._abandon(self._open, reason)
            yield from self._read_rows()

    def _hold(self, data: bytes) -> None:
        self._cut.append(data)
        self._cut_bytes += len(data)

    def _give_up_line(self, end: bytes | None = None) -> Iterator[Piece]:
        """A line too long to hold: out with what there is of it, as unread parts of one size; `end` ends the last."""
        if not self._is_too_long:
            yield from self._give_up_open(f"longer than {MAX_RECORD_BYTES >> 20} MiB")
            self.lines += 1
        self._is_too_long = end is None
        while self._cut_bytes > _PART_BYTES:
            yield self._part(_PART_BYTES, b"")
        if end is not None and self._cut_bytes + len(end):
            yield self._part(self._cut_bytes, end)

    def _part(self, size: int, end: bytes) -> Piece:
        """The next so many bytes of a line that is too long. They are let go at once: what waits may be long."""
        taken: list[bytes] = []
        left = size
        self._cut.reverse()
        while left:
            piece = self._cut.pop()
            if len(piece) > left:
                self._cut.append(piece[left:])
                piece = piece[:left]
            taken.append(piece)
            left -= len(piece)
        self._cut.reverse()
        self._cut_bytes -= size
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


def _decode_or_mend(text: bytes) -> Value:
    try:
        return decode(text)
    except TooMany:
        raise
    except Refused:
        return mend(text)
