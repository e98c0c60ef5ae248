"""Frames for what is drawn: gutters at the left, and the one gate through which everything reaches the terminal."""

from collections.abc import Iterable, Iterator

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style

from chorus.views.safe import safe

_NARROWEST = 24
"""Below this width a gutter takes no room from what it frames."""


class Gutter:
    """A renderable with a mark before each of its lines; the first may have another."""

    def __init__(self, inner: RenderableType, mark: str, *, style: str = "", first: str | None = None) -> None:
        self.inner = inner
        self.mark = mark
        self.style = style
        self.first = mark if first is None else first

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width - len(self.mark)
        if width < _NARROWEST:
            yield self.inner
            return
        style = console.get_style(self.style) if self.style else Style.null()
        mark = self.first
        for line in console.render_lines(self.inner, options.update(width=width), pad=False):
            yield Segment(mark, style)
            yield from line
            yield Segment.line()
            mark = self.mark


class Gate:
    """A renderable whose text is harmless whatever was in it, without links, controls and trailing blanks."""

    def __init__(self, inner: RenderableType) -> None:
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self.inner, options, pad=False):
            yield from _trimmed(list(_harmless(line)))
            yield Segment.line()


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
