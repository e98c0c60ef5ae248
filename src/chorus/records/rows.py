"""One row of captured text, and the JSON inside it: ANSI escapes, BOM and line ends told apart from content."""

import re

# Every class below excludes ESC, so one ESC is looked at once: the match is linear.
_ANSI = re.compile(rb"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)|[PX^_][^\x1b]*+\x1b\\|[ -~])?")
_LEAD = re.compile(rb"(?:\xef\xbb\xbf|[ \t\r\n\x00\x07\x08])*+")
_ARRAY_LEAD = re.compile(rb"(?:\xef\xbb\xbf|[ \t\r\n\x00\x07\x08,\[\]])*+")


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
        """Where in `raw` the byte `text[text_index]` stands (the first byte after the text: after the last one)."""
        shift = 0
        for at, removed in self._cuts:
            if at > text_index:
                break
            shift = removed
        return text_index + shift

    def content_start(self, start: int, *, in_array: bool) -> int:
        """The first byte of `text` from `start` on that is not filling (blank, BOM, NUL; in an array also `[ , ]`)."""
        match = (_ARRAY_LEAD if in_array else _LEAD).match(self.text, start)
        return match.end() if match else start
