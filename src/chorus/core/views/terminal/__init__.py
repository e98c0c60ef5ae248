"""Prints a transcript in the terminal. Import it only where it is needed, because it imports `rich`."""

from collections.abc import Iterable, Iterator
from datetime import date

from msgspec import structs
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text
from rich.theme import Theme

from chorus.core.views import figures
from chorus.core.views.heading import Heading, facts
from chorus.core.views.rows import Row
from chorus.core.views.safe import safe_line
from chorus.core.views.terminal.frame import Gate
from chorus.core.views.terminal.look import Look as Look
from chorus.core.views.terminal.rows import row

_THEME = Theme({"markdown.code": "cyan", "markdown.item.number": "dim", "markdown.item.bullet": "dim"})
"""Removes the backgrounds that rich puts behind code: they suit only one terminal colour."""

_BATCH = 50
"""How many parts of rows are printed together."""


class Terminal:
    """Prints a transcript row by row. Its text can neither control the terminal nor hide anything."""

    def __init__(self, console: Console, look: Look) -> None:
        console.push_theme(_THEME)
        self._console = console
        self._look = look
        self._day: date | None = None

    def heading(self, head: Heading) -> None:
        """Prints the title and the facts."""
        self._print(Text(safe_line(head.title), "bold"))
        began = figures.moment(head.started_at, self._look.zone)
        self._day = began.date() if began else None
        for line in facts(head, figures.span(head.started_at, head.ended_at, self._look.zone)):
            self._print(Text(safe_line(line), "dim"))

    def row(self, item: Row) -> None:
        """Prints one row after a blank line, and the date first if the day changed since the previous row."""
        self.rows([item])

    def rows(self, items: Iterable[Row]) -> None:
        """Prints rows in batches: for most rows, `rich` needs longer to print than to draw."""
        drawn: list[RenderableType] = []
        for item in items:
            drawn += self._parts(item)
            if len(drawn) >= _BATCH:
                self._print(Group(*drawn))
                drawn = []
        if drawn:
            self._print(Group(*drawn))

    def _parts(self, item: Row) -> Iterator[RenderableType]:
        when = figures.moment(item.time, self._look.zone)
        if when and self._day and when.date() != self._day:
            yield Text("")
            yield Rule(Text(figures.day(when), "dim"), style="dim", align="left")
        self._day = when.date() if when else self._day
        for part in row(item, structs.replace(self._look, day=self._day)):
            yield Text("")
            yield part

    def as_renderable(self, items: Iterable[Row]) -> RenderableType:
        """Returns unsettled rows as one renderable, which is built again when they change."""
        live = structs.replace(self._look, is_live=True, day=self._day)
        parts = [part for item in items for part in row(item, live)]
        return Gate(Group(*(piece for part in parts for piece in (Text(""), part))))

    def _print(self, part: RenderableType) -> None:
        self._console.print(Gate(part), end="")
