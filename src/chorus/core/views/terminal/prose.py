"""Draws Markdown from a transcript without links, images or HTML."""

from functools import lru_cache
from typing import ClassVar

from markdown_it import MarkdownIt
from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table

from chorus.core.views.safe import safe
from chorus.core.views.terminal.plain import Paragraphs, Plain, is_plain

THEME = "ansi_dark"
"""Highlights with the terminal's own colours, so that it suits any background."""

_LONGEST = 40_000
"""A longer text is shown without formatting, because parsing hostile text takes more than linear time."""
_LONGEST_LINE = 1000
"""Highlighters take quadratic time for some lines; lines that people write are shorter than this."""


def prose(markdown: str) -> RenderableType:
    """Returns Markdown as a renderable; HTML in it is shown as text."""
    text = safe(markdown)
    if len(text) > _LONGEST:
        return Plain(text)
    return Paragraphs(text) if is_plain(text) else _Prose(text)


def highlighted(text: str, language: str, *, first_line: int | None = None) -> RenderableType:
    """Returns safe text with syntax highlighting, and with line numbers if `first_line` is given."""
    if len(text) > _LONGEST or any(len(line) > _LONGEST_LINE for line in text.split("\n")):
        return Plain(text)
    return Syntax(
        text,
        language or "text",
        theme=THEME,
        word_wrap=True,
        background_color="default",
        line_numbers=first_line is not None,
        start_line=first_line or 1,
    )


class _Heading(Heading):
    """A left-aligned bold heading, whatever its level."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _CodeBlock(CodeBlock):
    """An indented code block without a background."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Padding(highlighted(str(self.text).rstrip(), self.lexer_name), (0, 2))


class _Table(TableElement):
    """A table with thin lines that is as wide as its content."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for drawn in super().__rich_console__(console, options):
            if isinstance(drawn, Table):
                drawn.box = box.SIMPLE_HEAD
                drawn.expand = False
            yield drawn


class _Prose(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
        "table_open": _Table,
    }

    def __init__(self, markup: str) -> None:
        # Does not call the base class: that builds another parser, which reads HTML and costs more than most texts.
        self.markup = markup
        self.parsed = _parser().parse(markup)
        self.code_theme = THEME
        self.justify = None
        self.style = "none"
        self.hyperlinks = False
        self.inline_code_lexer = None
        self.inline_code_theme = THEME


@lru_cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
