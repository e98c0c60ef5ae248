"""Quotes text from a transcript for a Markdown document: it can neither become HTML nor end its surrounding block."""

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from chorus.core.views.markdown.simple_blocks import simple_blocks
from chorus.core.views.safe import safe, safe_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LONGEST = 40_000
"""A longer message is shown as plain text, because parsing hostile text takes more than linear time."""
_END = "chorus"
_TICKS = re.compile(r"`+")
_SPECIAL = re.compile(r"([\\`*_\[\]|~])|^([-+#>=]|\d+(?=[.)](?: |$)))")
_TARGET = re.compile(r"\]\((?![ \t]*(?:https?://|mailto:|[\w./#?=%-]+[ \t)]))")
"""Matches the start of a link target that is neither a web address nor a plain relative path."""
_LEVELS = 2
"""By how many levels the headings of a message are lowered; the headings of rows have level two."""


def inline(text: str) -> str:
    """Returns text on one line in which nothing is markup."""
    line = safe_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return _SPECIAL.sub(lambda found: _literal(found.group()), line)


def _literal(mark: str) -> str:
    return f"&#{ord(mark[0])};{mark[1:]}" if mark[0].isdigit() else "\\" + mark


def code(text: str) -> str:
    """Returns text as inline code on one line."""
    line = safe_line(text)
    longest = max((len(run) for run in _TICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line[:1] in ("`", "") or line[-1:] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}" if line else ""


def fenced(text: str, language: str = "") -> str:
    """Returns text as a code block, with a fence longer than any fence in the text."""
    shown = safe(text).rstrip("\n")
    longest = max((len(run) for run in _TICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language if language.isalnum() else ''}\n{shown}\n{fence}"


def quoted(text: str) -> str:
    """Returns Markdown as a block quote."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def prose(text: str) -> str:
    """Returns Markdown without HTML, images and unsafe links, with lowered headings, and with no block left open."""
    shown = safe(text).strip("\n")
    if len(shown) > _LONGEST:
        return fenced(shown)
    lines = shown.split("\n")
    simple = simple_blocks(lines)
    if simple is None:
        return _parsed(shown)
    for number, level in simple.headings.items():
        lines[number] = _lowered(lines[number], level)
    return "\n".join(_without_html(lines, simple.verbatim))


def _parsed(shown: str) -> str:
    """Returns Markdown whose blocks only a parser knows."""
    tokens = _parser().parse(f"{shown}\n\n{_END}")
    if len(tokens) < 3 or tokens[-2].content != _END or tokens[-2].level != 1:
        # An open fence or list would include what follows, so the text is shown as code.
        return fenced(shown)
    lines = shown.split("\n")
    verbatim = {number for token in tokens if token.type == "fence" for number in _inside(token, len(lines))}
    _lower_headings(tokens, lines)
    return "\n".join(_without_html(lines, verbatim))


@cache
def _parser() -> "MarkdownIt":
    """Returns the parser of blocks. What is inside of paragraphs is not needed, and takes most of the time."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).disable(["inline", "text_join"])


def _inside(token: "Token", last: int) -> range:
    """Returns the lines of a fenced block without the fences: nothing in them is HTML."""
    start, end = token.map or (0, 0)
    return range(start + 1, min(end, last))


def _without_html(lines: list[str], verbatim: set[int]) -> list[str]:
    done = list(lines)
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and end not in verbatim and lines[end].strip():
            end += 1
        is_plain = all(_is_balanced(line) for line in lines[at:end])
        for number in range(at, end):
            done[number] = _escaped(lines[number], keep_code=is_plain)
        at = max(end, at + 1)
    return done


def _is_balanced(line: str) -> bool:
    """Returns whether the backtick runs of a line pair up within it, so that every parser pairs them alike."""
    return "\\`" not in line and _code_spans(line) is not None


def _code_spans(line: str) -> list[tuple[int, int]] | None:
    runs = [(found.start(), found.end()) for found in _TICKS.finditer(line)]
    if len(runs) % 2:
        return None
    spans: list[tuple[int, int]] = []
    for (start, opened), (closing, end) in zip(runs[::2], runs[1::2], strict=True):
        if opened - start != end - closing or "|" in line[start:end]:
            return None
        spans.append((start, end))
    return spans


def _escaped(line: str, *, keep_code: bool) -> str:
    parts: list[str] = []
    at = 0
    for start, end in (_code_spans(line) or []) if keep_code else []:
        parts.extend((_inert(line[at:start]), line[start:end]))
        at = end
    return "".join([*parts, _inert(line[at:])])


def _inert(text: str) -> str:
    """Escapes what a page would run or load: tags, images, links to anything but the web, link definitions."""
    plain = text.replace("<", "&lt;").replace("![", "!\\[").replace("]:", "]\\:")
    return _TARGET.sub(r"]\\(", plain)


def _lower_headings(tokens: "list[Token]", lines: list[str]) -> None:
    """Lowers headings in place, so that a message cannot look like a row of the document."""
    for token, content in pairwise(tokens):
        if token.type != "heading_open" or not token.map:
            continue
        first, end = token.map
        if token.markup.startswith("#"):
            lines[first] = _lowered(lines[first], len(token.markup))
        elif token.level == 0:
            text = " ".join(content.content.split("\n"))
            lines[first:end] = ["#" * (_LEVELS + int(token.tag[1:])) + " " + text, *[""] * (end - first - 1)]


def _lowered(line: str, level: int) -> str:
    """Returns the line of a heading with as many marks as its new level has."""
    return line.replace("#", "#" * (min(6, level + _LEVELS) - level + 1), 1)
