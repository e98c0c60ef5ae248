"""One row of captured text. Separates the JSON in it from ANSI escapes, BOM and line ends."""

import re
from bisect import bisect_right
from operator import itemgetter

# Every character class below excludes ESC, so that each ESC is examined once and matching takes linear time.
_ANSI = re.compile(rb"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)|[PX^_][^\x1b]*+\x1b\\|[ -~])?")
_LEAD = re.compile(rb"[ \t\r\n\x00\x07\x08]*+")
_ARRAY_LEAD = re.compile(rb"[ \t\r\n\x00\x07\x08,\[\]]*+")
_BOM = b"\xef\xbb\xbf"
_text_position = itemgetter(0)


class Row:
    """A physical line of a stream: `raw` as captured, `text` without its line end and without ANSI escapes."""

    __slots__ = ("_cuts", "offset", "raw", "text")

    def __init__(self, raw: bytes, offset: int) -> None:
        self.raw = raw
        self.offset = offset
        self._cuts: list[tuple[int, int]] = []
        body = raw.rstrip(b"\r\n")
        if b"\x1b" not in body:
            self.text = body
            return
        kept, at, removed = [], 0, 0
        for match in _ANSI.finditer(body):
            kept.append(body[at : match.start()])
            removed += match.end() - match.start()
            at = match.end()
            self._cuts.append((at - removed, removed))
        kept.append(body[at:])
        self.text = b"".join(kept)

    def raw_index(self, text_index: int) -> int:
        """Returns the index in `raw` of the byte `text[text_index]`; for the end of the text, the index after it."""
        before = bisect_right(self._cuts, text_index, key=_text_position)
        return text_index + (self._cuts[before - 1][1] if before else 0)

    def content_start(self, start: int, *, in_array: bool) -> int:
        """Returns the index of the first byte of `text` from `start` on that is not filling.

        Filling is white space, BOM and NUL, and in an array also `[`, `,` and `]`.
        """
        lead = _ARRAY_LEAD if in_array else _LEAD
        while True:
            start = lead.match(self.text, start).end()  # type: ignore[union-attr]
            if not self.text.startswith(_BOM, start):
                return start
            start += len(_BOM)

    def end_of_text(self) -> int:
        """Returns the index in `raw` at which the line end begins."""
        return len(self.raw.rstrip(b"\r\n"))

    def inside_bracket(self) -> bytes | None:
        """Returns the text after the `[` at the beginning of the row; None if the row begins with something else."""
        text = self.text[self.content_start(0, in_array=False) :]
        return text[1:].lstrip() if text.startswith(b"[") else None


class PartialRecord:
    """The rows of an incomplete record as bytes. Memory is proportional to their length, even if the rows are short."""

    __slots__ = ("first_start", "last_start", "offset", "raw", "text")

    def __init__(self, row: Row, start: int) -> None:
        begin = row.raw_index(start)
        self.offset = row.offset + begin
        self.raw = bytearray(row.raw[begin:])
        self.text = bytearray(row.text[start:])
        self.first_start: int | None = None
        """Index in `raw` of the first further row that may begin a record."""
        self.last_start: int | None = None

    def add(self, row: Row) -> None:
        if row.text.lstrip().startswith(b"{"):
            self.last_start = len(self.raw)
            if self.first_start is None:
                self.first_start = self.last_start
        self.raw += row.raw
        self.text += row.text
