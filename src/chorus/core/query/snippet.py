"""Finds the part of a text that shows best why it matches a query, as one line with the matches marked.

A text may be a megabyte of tool output. Its beginning is examined first. Later positions are found by plain search, and
only a few thousand characters around the best of them are split into words.
"""

import re
from bisect import bisect_right
from collections import Counter

from msgspec import Struct

from chorus.core.query.matches import Match, matches, search_terms
from chorus.core.query.regions import regions
from chorus.core.query.tree import Node, Sequence

MIN_WIDTH = 20
_SLACK = 20
"""How many characters a cut may move to fall between two words."""
_GAP = re.compile(
    "(?:\\s|\x1b\\[[0-9;]*[A-Za-z]|[\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069])+"
)
"""White space, terminal colours and invisible characters."""
_BLANK = re.compile(r"\s")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Snippet(Struct, frozen=True):
    """A line to show below a hit."""

    text: str
    """The text without line breaks and control characters, with `…` where something was cut."""
    marks: list[tuple[int, int]]
    """The matches: ranges in `text`, in order, that do not touch each other."""
    found: tuple[int, int] | None = None
    """The range of the first visible match in the whole text."""


class _Line(Struct, frozen=True):
    """A text on one line, without invisible characters."""

    text: str
    pieces: list[tuple[int, int]]
    """Where each kept part begins: in the original text, and in this one."""

    @classmethod
    def of(cls, text: str) -> "_Line":
        text = _SURROGATE.sub("\ufffd", text)
        kept: list[str] = []
        pieces: list[tuple[int, int]] = []
        done = length = 0
        for gap in _GAP.finditer(text):
            start, end = gap.span()
            pieces.append((done, length))
            blank = " " if start > 0 and end < len(text) and _BLANK.search(gap[0]) else ""
            kept.append(text[done:start] + blank)
            length += len(kept[-1])
            done = end
        pieces.append((done, length))
        kept.append(text[done:])
        return cls("".join(kept), pieces)

    def place(self, at: int) -> int:
        """Converts a position in the original text to a position on the line."""
        n = bisect_right(self.pieces, at, key=lambda piece: piece[0]) - 1
        before, here = self.pieces[n]
        end = self.pieces[n + 1][1] if n + 1 < len(self.pieces) else len(self.text)
        return min(here + at - before, end)


class _Window(Struct, frozen=True):
    """A line, and the part of it that contains the most different terms."""

    line: str
    found: list[Match]
    """All matches in the line."""
    start: int = 0
    end: int = 0
    terms: int = 0
    """Number of different terms between `start` and `end`."""


def snippet(text: str, root: Node | Sequence | None, *, width: int = 160) -> Snippet:
    """Returns the best `width` characters of the text, including ellipses: those with the most different terms.

    Only terms that the query searches for count, not those that it excludes. Without any match, the beginning of the
    text is shown. Takes time linear in the text; in a long text, not every position is examined.
    """
    whole, text = text, text.strip()
    room = max(width, MIN_WIDTH) - 2
    wanted = search_terms(root)
    best, region, place = _Window("", []), (0, 0), None
    for start, end in regions(text, wanted, spread=room):
        line = _Line.of(text[start:end])
        found = matches(text[start:end], wanted)
        on_line = [Match(line.place(match.start), line.place(match.end), match.term) for match in found]
        window = _densest(line.text, on_line, room)
        if start == 0 or window.terms > best.terms:
            best, region = window, (start, end)
            place = next((each for each, at in zip(found, on_line, strict=True) if at.start >= window.start), None)
        if best.terms == len(wanted.terms):
            break
    first, last = _cuts(best, room)
    before = "…" if first > 0 or region[0] > 0 else ""
    after = "…" if last < len(best.line) or region[1] < len(text) else ""
    marks = _marks(best.found, first, last, shift=len(before) - first)
    shift = region[0] + len(whole) - len(whole.lstrip())
    found_at = (place.start + shift, place.end + shift) if place else None
    return Snippet(before + best.line[first:last] + after, marks, found_at)


def _densest(line: str, found: list[Match], room: int) -> _Window:
    best, most = _Window(line, found), (0, 0)
    within: Counter[int] = Counter()
    last = 0
    for number, first in enumerate(found):
        while last < len(found) and (last <= number or found[last].end <= first.start + room):
            within[found[last].term] += 1
            last += 1
        if (len(within), last - number) > most:
            most = len(within), last - number
            end = max(match.end for match in found[number:last])
            best = _Window(line, found, first.start, min(end, first.start + room), len(within))
        within[first.term] -= 1
        if not within[first.term]:
            del within[first.term]
    return best


def _cuts(window: _Window, room: int) -> tuple[int, int]:
    """Returns where to cut the line: a third of the spare room goes before the window, and cuts move between words."""
    line = window.line
    if len(line) <= room:
        return 0, len(line)
    lead = (room - (window.end - window.start)) // 3
    start = max(0, min(window.start - lead, len(line) - room))
    end = start + room
    if start > 0:
        start = line.find(" ", start, min(start + _SLACK, window.start)) + 1 or start
    if end < len(line):
        blank = line.rfind(" ", max(end - _SLACK, window.end), end + 1)
        end = blank if blank > start else end
    return start, end


def _marks(found: list[Match], first: int, last: int, *, shift: int) -> list[tuple[int, int]]:
    """Returns the matches between the cuts; adjacent ones are merged."""
    marks: list[tuple[int, int]] = []
    for match in found:
        start, end = max(match.start, first) + shift, min(match.end, last) + shift
        if start >= end:
            continue
        if marks and start <= marks[-1][1]:
            marks[-1] = marks[-1][0], max(marks[-1][1], end)
        else:
            marks.append((start, end))
    return marks
