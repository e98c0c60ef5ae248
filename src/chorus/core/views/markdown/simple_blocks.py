"""Reads the blocks of Markdown in which headings and fences only begin at the start of a line.

Nearly all messages are written like that. A parser reads the others: importing it takes longer than most exports.
"""

import re
from collections.abc import Sequence

_FENCE = re.compile(r"(`{3,})[^`]*|(~{3,}).*")
_END = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]|$)")
_BEFORE = r"(?:[ >*+-]|\d{1,9}[.)])"
"""What may stand in front of a block: blanks, and the marks of quotations and lists."""
_INSIDE = re.compile(rf"{_BEFORE}*(?:#{{1,6}}(?:[ \t]|$)|```|~~~)|(?!-+$){_BEFORE}{{15}}|{_BEFORE}*\t")
"""A line that may begin a heading or a fence inside of something else, or that is nested deep."""
_UNDERLINE = re.compile(rf"{_BEFORE}*(?:=+|-)[ \t]*")
"""A line that makes a heading of the line above it, if that has text."""


class SimpleBlocks:
    """The lines of a text, and which of them are what."""

    def __init__(self) -> None:
        self.verbatim: set[int] = set()
        """The numbers of the lines inside of fences."""
        self.headings: dict[int, int] = {}
        """The levels of the headings, by the number of their line."""


def simple_blocks(lines: Sequence[str]) -> SimpleBlocks | None:
    """Returns the blocks of a text; None if only a parser knows them, or if a fence is left open."""
    found = SimpleBlocks()
    fence = above = ""
    for number, line in enumerate(lines):
        if fence:
            end = _END.fullmatch(line)
            if end is not None and end[1].startswith(fence):
                fence = ""
            else:
                found.verbatim.add(number)
        elif (begun := _FENCE.fullmatch(line)) is not None:
            fence = begun[1] or begun[2]
        elif (heading := _HEADING.match(line)) is not None:
            found.headings[number] = len(heading[1])
        elif "\r" in line or _INSIDE.match(line) or (above.strip(" ") and _UNDERLINE.fullmatch(line)):
            return None
        above = line
    return None if fence else found
