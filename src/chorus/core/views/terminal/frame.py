"""Wrappers for renderables: gutters at the left, and the gate that makes all output harmless for the terminal."""

from collections.abc import Iterable, Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.style import Style

from chorus.core.views.safe import safe
from chorus.core.views.terminal.lines import Lines, lines_of

_NARROWEST = 24
"""If less width than this would remain, a gutter is left out."""


class Gutter(Lines):
    """A renderable with a mark before each of its lines; the first line may have a different mark."""

    def __init__(self, inner: RenderableType, mark: str, *, style: str = "", first: str | None = None) -> None:
        self.inner = inner
        self.mark = mark
        self.style = style
        self.first = mark if first is None else first

    def lines(self, console: Console, options: ConsoleOptions) -> Iterator[list[Segment]]:
        width = options.max_width - len(self.mark)
        if width < _NARROWEST:
            yield from lines_of(self.inner, console, options)
            return
        style = console.get_style(self.style) if self.style else Style.null()
        first, later = Segment(self.first, style), Segment(self.mark, style)
        mark = first
        for line in lines_of(self.inner, console, options.update(width=width)):
            yield [mark, *line]
            mark = later


class Gate(Lines):
    """A renderable with harmless text: no active or hidden characters, links, control codes, trailing spaces."""

    def __init__(self, inner: RenderableType) -> None:
        self.inner = inner

    def lines(self, console: Console, options: ConsoleOptions) -> Iterator[list[Segment]]:
        for line in lines_of(self.inner, console, options):
            yield _trimmed(list(_harmless(line)))


def _harmless(line: Iterable[Segment]) -> Iterator[Segment]:
    for text, style, control in line:
        if not control:
            yield Segment(safe(text), style.update_link(None) if style and style.link else style)


def _trimmed(line: list[Segment]) -> list[Segment]:
    while line and not line[-1].text.strip(" "):
        line.pop()
    if line and line[-1].text.endswith(" "):
        line[-1] = Segment(line[-1].text.rstrip(" "), line[-1].style)
    return line
