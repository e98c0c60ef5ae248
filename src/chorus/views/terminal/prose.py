"""Markdown from a transcript, drawn without links, pictures or HTML."""

from typing import ClassVar

from markdown_it import MarkdownIt
from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from chorus.views.safe import safe

THEME = "ansi_dark"
"""Highlighting in the terminal's own colours, so that it suits any background."""

_LONGEST = 40_000
"""Above this many characters, Markdown is shown as it is written: parsing hostile text takes more than linear time."""


def prose(markdown: str) -> RenderableType:
    """Words in Markdown; HTML in them is text."""
    text = safe(markdown)
    return _Prose(text) if len(text) <= _LONGEST else Text(text)


class _Heading(Heading):
    """A heading at the left, in bold, whatever its level."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _CodeBlock(CodeBlock):
    """Code without a background, indented."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = str(self.text).rstrip()
        yield Syntax(text, self.lexer_name, theme=THEME, word_wrap=True, padding=(0, 2), background_color="default")


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
