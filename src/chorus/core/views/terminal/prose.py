"""Markdown from a transcript, drawn without links, pictures or HTML."""

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
"""Highlighting in the terminal's own colours, so that it suits any background."""

_LONGEST = 40_000
"""Above this many characters, text is shown as it is written: parsing hostile text takes more than linear time."""
_LONGEST_LINE = 1000
"""Highlighters take quadratic time for some lines; no line that people write is as long as this."""


def prose(markdown: str) -> RenderableType:
    """Words in Markdown; HTML in them is text."""
    text = safe(markdown)
    if len(text) > _LONGEST:
        return Plain(text)
    return Paragraphs(text) if is_plain(text) else _Prose(text)


def highlighted(text: str, language: str, *, first_line: int | None = None) -> RenderableType:
    """Safe text in the colours of its language, with line numbers from `first_line` on."""
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
        # Not the base's: it makes a parser of its own, which reads HTML and takes longer than most texts.
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
