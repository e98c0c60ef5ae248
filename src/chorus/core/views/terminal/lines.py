"""Renderables that produce their lines directly, because the layout of `rich` takes many times as long."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text


class Lines(ABC):
    """A renderable that produces its own lines, none wider than the options allow."""

    @abstractmethod
    def lines(self, console: Console, options: ConsoleOptions) -> Iterator[list[Segment]]:
        """Yields the lines without line ends."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines(console, options):
            yield from line
            yield Segment.line()


def lines_of(part: RenderableType, console: Console, options: ConsoleOptions) -> Iterator[list[Segment]]:
    """Yields the lines of any renderable, without padding."""
    if isinstance(part, Lines):
        yield from part.lines(console, options)
    elif isinstance(part, Group):
        for each in part.renderables:
            yield from lines_of(each, console, options)
    elif isinstance(part, Text) and _fits(part, options.max_width):
        yield segments_of(part, console)
    else:
        yield from console.render_lines(part, options, pad=False)


def _fits(text: Text, width: int) -> bool:
    plain = text.plain
    return text.justify is None and plain.isprintable() and cell_len(plain) <= width


def segments_of(text: Text, console: Console) -> list[Segment]:
    """Returns the segments of a text that fits on one line."""
    if text.spans:
        return list(text.render(console))
    return [Segment(text.plain, console.get_style(text.style))] if text.plain else []
