"""The first line of a row: a mark, text at the left, facts at the right."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.text import Text

from chorus.core.views.terminal.frame import Gutter
from chorus.core.views.terminal.lines import Lines, lines_of, segments_of

_ROOM = 36
"""How many columns the text needs next to the facts; with fewer, the facts go on a separate line."""


class Headline(Lines):
    """Text that wraps within its column; the facts stay on the first line."""

    def __init__(self, mark: str, style: str, words: Text, facts: str = "") -> None:
        self.words = Gutter(words, "  ", style=style, first=f"{mark} ")
        self.facts = Text(facts, "dim")

    def lines(self, console: Console, options: ConsoleOptions) -> Iterator[list[Segment]]:
        room = options.max_width - len(self.facts.plain) - 1
        if not self.facts.plain:
            yield from lines_of(self.words, console, options)
        elif room + 1 < _ROOM:
            yield from lines_of(self.words, console, options)
            yield from lines_of(Gutter(self.facts, "  "), console, options)
        else:
            facts = segments_of(self.facts, console)
            for line in lines_of(self.words, console, options.update(width=room)):
                blanks = Segment(" " * (room + 1 - Segment.get_line_length(line)))
                yield [*line, blanks, *facts]
                facts = []
