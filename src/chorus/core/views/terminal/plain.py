"""Wraps plain text at spaces in linear time; `rich` takes more than linear time for a long text."""

import re
from collections.abc import Iterator

from rich.cells import cell_len, get_character_cell_size
from rich.console import Console, ConsoleOptions
from rich.segment import Segment

from chorus.core.views.terminal.lines import Lines

_TAB_COLUMNS = 8
_MARKUP = re.compile(
    r"[*_`\[\]<\\~&|]"  # what Markdown may read as markup anywhere in a line
    r"|^[ \t]"  # indentation
    r"|^(?:[#>+=-]|\d{1,9}[.)])"  # headings, quotes, lists, rules
    r"|[ \t]$",  # a line break
    re.MULTILINE,
)


def is_plain(markdown: str) -> bool:
    """Returns whether a Markdown text consists only of plain paragraphs."""
    return _MARKUP.search(markdown) is None


class Plain(Lines):
    """Safe text in one style; each line feed ends a line."""

    def __init__(self, text: str, style: str = "") -> None:
        self.text = text
        self.style = style

    def lines(self, console: Console, options: ConsoleOptions) -> Iterator[list[Segment]]:
        style = console.get_style(self.style) if self.style else None
        for line in self.text.split("\n"):
            for part in wrap(line, options.max_width):
                yield [Segment(part, style)]


class Paragraphs(Lines):
    """Markdown that `is_plain`: the lines of a paragraph are joined, with a blank line between paragraphs."""

    def __init__(self, markdown: str) -> None:
        self.markdown = markdown

    def lines(self, console: Console, options: ConsoleOptions) -> Iterator[list[Segment]]:
        paragraphs = [each for each in self.markdown.split("\n\n") if each.strip("\n")]
        for number, paragraph in enumerate(each.strip("\n") for each in paragraphs):
            if number:
                yield []
            for part in wrap(paragraph.replace("\n", " "), options.max_width):
                yield [Segment(part)]


def wrap(line: str, width: int) -> Iterator[str]:
    """Yields the wrapped parts of a line: broken at spaces, or inside a word that is too long. Takes linear time."""
    if "\t" in line:
        line = line.expandtabs(_TAB_COLUMNS)
    if len(line) <= width and (line.isascii() or cell_len(line) <= width):
        yield line
        return
    is_narrow = line.isascii()
    start, length = 0, len(line)
    indent = length - len(line.lstrip(" "))
    while start < length:
        end = min(start + width, length) if is_narrow else _fit(line, start, width)
        if end < length and line[end] != " ":
            # Do not break within the indentation: the first word would move to the next row and lose it.
            blank = line.rfind(" ", max(start, indent), end)
            end = blank + 1 if blank >= 0 else end
        yield line[start:end].rstrip(" ")
        start = end
        while start < length and line[start] == " ":
            start += 1


def _fit(line: str, start: int, width: int) -> int:
    """Returns the end of the longest part from `start` that fits; the part has at least one character."""
    room = width
    end = start
    while end < len(line):
        room -= get_character_cell_size(line[end])
        if room < 0 and end > start:
            break
        end += 1
    return end
