"""Text from a transcript inside a Markdown document: it can neither become HTML nor break out of its place."""

import re
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from chorus.core.views.safe import safe, safe_line

_LONGEST = 40_000
"""Above this many characters, a message is shown as text: parsing hostile text takes more than linear time."""
_END = "chorus"
_TICKS = re.compile(r"`+")
_SPECIAL = re.compile(r"([\\`*_\[\]|~])|^([-+#>=]|\d+(?=[.)](?: |$)))")
_TARGET = re.compile(r"\]\((?![ \t]*(?:https?://|mailto:|[\w./#?=%-]+[ \t)]))")
"""Where a link begins that leads neither to the web nor to a plain relative path."""
_LEVELS = 2
"""How much lower the headings of a message are than in its own text; the rows' own are of level two."""


def inline(text: str) -> str:
    """Text as words on one line: nothing in it is markup."""
    line = safe_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return _SPECIAL.sub(lambda found: _literal(found.group()), line)


def _literal(mark: str) -> str:
    return f"&#{ord(mark[0])};{mark[1:]}" if mark[0].isdigit() else "\\" + mark


def code(text: str) -> str:
    """Text as code on one line."""
    line = safe_line(text)
    longest = max((len(run) for run in _TICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line[:1] in ("`", "") or line[-1:] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}" if line else ""


def fenced(text: str, language: str = "") -> str:
    """Text as a block of code, behind a fence longer than any in it."""
    shown = safe(text).rstrip("\n")
    longest = max((len(run) for run in _TICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language if language.isalnum() else ''}\n{shown}\n{fence}"


def quoted(text: str) -> str:
    """Markdown as a quotation."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def prose(text: str) -> str:
    """Markdown as written, but without HTML, pictures and odd links, with lower headings, and closed at its end."""
    shown = safe(text).strip("\n")
    if len(shown) > _LONGEST:
        return fenced(shown)
    tokens = MarkdownIt("commonmark", {"html": False}).parse(f"{shown}\n\n{_END}")
    if len(tokens) < 3 or tokens[-2].content != _END or tokens[-2].level != 1:
        # An open fence or list would swallow what follows: then it is shown as text.
        return fenced(shown)
    lines = shown.split("\n")
    verbatim = {number for token in tokens if token.type == "fence" for number in _inside(token, len(lines))}
    _lower_headings(tokens, lines)
    return "\n".join(_without_html(lines, verbatim))


def _inside(token: Token, last: int) -> range:
    """The lines of a fenced block without the fences: there, nothing is HTML."""
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
    """Whether each run of backticks in a line has its partner there, so that no reader can pair them otherwise."""
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
    """Words without what a page would run or fetch: tags, pictures, links to anything but the web, link definitions."""
    plain = text.replace("<", "&lt;").replace("![", "!\\[").replace("]:", "]\\:")
    return _TARGET.sub(r"]\\(", plain)


def _lower_headings(tokens: list[Token], lines: list[str]) -> None:
    """A message must not look like a row of the document."""
    for token, content in pairwise(tokens):
        if token.type != "heading_open" or not token.map:
            continue
        first, end = token.map
        if token.markup.startswith("#"):
            level = min(6, len(token.markup) + _LEVELS) - len(token.markup)
            lines[first] = lines[first].replace("#", "#" * (level + 1), 1)
        elif token.level == 0:
            text = " ".join(content.content.split("\n"))
            lines[first:end] = ["#" * (_LEVELS + int(token.tag[1:])) + " " + text, *[""] * (end - first - 1)]
