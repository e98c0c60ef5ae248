"""The first line of a row: a mark, words at the left, facts at the right."""

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from chorus.views.terminal.frame import Gutter

_ROOM = 36
"""Columns that words need beside facts; with fewer, the facts get a line of their own."""


class Headline:
    """Words that wrap below themselves; the facts stay on the first line."""

    def __init__(self, mark: str, style: str, words: Text, facts: str = "") -> None:
        self.words = Gutter(words, "  ", style=style, first=f"{mark} ")
        self.facts = Text(facts, "dim")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.facts.plain:
            yield self.words
        elif options.max_width - len(self.facts.plain) < _ROOM:
            yield self.words
            yield Gutter(self.facts, "  ")
        else:
            line = Table.grid(expand=True, padding=(0, 1))
            line.add_column(ratio=1)
            line.add_column(justify="right", no_wrap=True)
            line.add_row(self.words, self.facts)
            yield line
