"""Markdown from a transcript, drawn without links, pictures or HTML."""

from typing import ClassVar

from markdown_it import MarkdownIt
from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from chorus.views.safe import safe

THEME = "ansi_dark"
"""Highlighting in the terminal's own colours, so that it suits any background."""

_LONGEST = 40_000
"""Above this many characters, text is shown as it is written: parsing hostile text takes more than linear time."""
_LONGEST_LINE = 1000
"""Highlighters take quadratic time for some lines; no line that people write is as long as this."""


def prose(markdown: str) -> RenderableType:
    """Words in Markdown; HTML in them is text."""
    text = safe(markdown)
    return _Prose(text) if len(text) <= _LONGEST else Text(text)


def highlighted(text: str, language: str, *, first_line: int | None = None) -> RenderableType:
    """Safe text in the colours of its language, with line numbers from `first_line` on."""
    if len(text) > _LONGEST or any(len(line) > _LONGEST_LINE for line in text.split("\n")):
        return Text(text)
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
    """A heading at the left, in bold, whatever its level."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _CodeBlock(CodeBlock):
    """Code without a background, indented."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Padding(highlighted(str(self.text).rstrip(), self.lexer_name), (0, 2))


class _Table(TableElement):
    """A table of light lines, as wide as its content."""

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
        super().__init__("", code_theme=THEME, hyperlinks=False)
        self.markup = markup
        self.parsed = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).parse(markup)
