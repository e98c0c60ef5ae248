"""Tables as text: at a terminal one line per row within its width, in a pipe nothing is cut.

Only in a column that wraps does a row take several lines of a terminal.

On a narrow terminal, cells are cut, then cells with two forms use the short one, then columns are dropped. The column
that people read, such as a title, gets the remaining width; less important columns are dropped before it becomes short.
Drawing ASCII text imports no library.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, TextIO

import click

_INDENT = "  "
_GAP = "  "
_ELLIPSIS = "…"
_USUAL = 80
"""Columns of a terminal of unknown width."""
OPTIONAL = 10
_NARROW = str.maketrans("", "", "≥…·—–─±↳★█▉▊▋▌▍▎▏░▒▓")
"""Signs of Chorus that are one column wide, so that their width is known without a library."""


class Column(NamedTuple):
    """A column, and how it behaves on a narrow terminal."""

    name: str
    drop_rank: int = 0
    """The column with the highest rank is dropped first; a column with rank 0 is never dropped.

    A column with a rank above `OPTIONAL` is dropped before any column gets less than its preferred width.
    """
    min_width: int | None = None
    """Cells may be cut to this width before a column is dropped; None for a column that is never cut."""
    preferred_width: int = 0
    """Other columns are cut or dropped before the cells of this column are cut below this width."""
    is_right: bool = False
    """Whether to align to the right. A column of integers always is."""
    keeps_end: bool = False
    """Whether a cut cell keeps its end, such as the file name of a path."""
    wraps: bool = False
    """Whether a cell that is too wide continues on further lines instead of being cut."""
    is_brief: bool = False
    """Whether cells with two forms always use the short one at a terminal."""


class Forms(NamedTuple):
    """A cell with a long and a short form."""

    whole: str
    short: str


Cell = str | int | Forms


class _Drawn(NamedTuple):
    """A column that is drawn, with its texts: first the header, last the total."""

    column: Column
    texts: list[str]
    width: int
    is_right: bool


def table(
    title: str,
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[Cell]],
    *,
    total: Sequence[Cell] | None = None,
    on: TextIO | None = None,
) -> str:
    """Return the table as text for `on`, by default standard output.

    With a title, the rows are indented below it; without one, the header is bold. Returns "" if there are neither rows
    nor a total.
    """
    if not rows and total is None:
        return ""
    named = [Column(each) if isinstance(each, str) else each for each in columns]
    every = [*rows, total] if total is not None else rows
    width = terminal_width(on)
    indent = _INDENT if title else ""
    if width is None:
        kept = [_drawn(column, cells, is_short=False) for column, cells in _filled(named, every)]
        lines = _lines(kept)
    else:
        kept = _fitted(named, every, width - len(indent))
        lines = _ruled(_lines(kept), has_total=total is not None)
        title = title and click.style(cut(title, width), bold=True)
    drawn = [indent + line if width is None else cut(indent + line, width) for line in lines]
    if not title and width is not None:
        drawn[0] = click.style(drawn[0], bold=True)
    return "\n".join((title, *drawn) if title else drawn) + "\n"


def terminal_width(on: TextIO | None = None) -> int | None:
    """Return the width of the terminal `on`, by default standard output; None if it is not a terminal."""
    stream = on or sys.stdout
    if not stream.isatty():
        return None
    if (given := os.environ.get("COLUMNS", "")).isdigit() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL
    except OSError:
        return _USUAL


def width_of(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    if text.translate(_NARROW).isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int, *, keeps_end: bool = False) -> str:
    """Cut `text` to at most `width` columns, with an ellipsis at its end, or at its start with `keeps_end`."""
    if width_of(text) <= width:
        return text
    if width < 1:
        return ""
    if keeps_end:
        return _ELLIPSIS + _beginning(text[::-1], width - 1)[::-1].lstrip()
    return _beginning(text, width - 1).rstrip() + _ELLIPSIS


def wrapped(text: str, width: int) -> list[str]:
    """Break `text` between words into lines of at most `width` columns. Only a wider word is broken within itself."""
    if width_of(text) <= width:
        return [text]
    lines, line = [], ""
    for word in text.split():
        for part in _parts(word, width):
            joined = f"{line} {part}" if line else part
            if line and width_of(joined) > width:
                lines.append(line)
                joined = part
            line = joined
    return [*lines, line]


def _parts(word: str, width: int) -> Iterator[str]:
    while width_of(word) > width:
        part = _beginning(word, width) or word[:1]
        yield part
        word = word[len(part) :]
    if word:
        yield word


def _beginning(text: str, width: int) -> str:
    used = 0
    for at, char in enumerate(text):
        used += width_of(char)
        if used > width:
            text = text[:at]
            break
    while width_of(text) > width:
        # A character that modifies the one before it can make both wider than the sum of their widths.
        text = text[:-1]
    return text


def printable(text: str) -> str:
    """Return `text` with every character that could move the cursor, or hide or reorder others, as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _filled(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[tuple[Column, Sequence[Cell]]]:
    """Return the columns that are not empty, with their cells."""
    by_column = [(column, [row[n] for row in rows]) for n, column in enumerate(columns)]
    return [(column, cells) for column, cells in by_column if any(cell != "" for cell in cells)]


def _drawn(column: Column, cells: Sequence[Cell], *, is_short: bool) -> _Drawn:
    texts = [column.name, *(_text(cell, is_short=is_short) for cell in cells)]
    is_right = column.is_right or all(isinstance(cell, int) for cell in cells)
    return _Drawn(column, texts, max(map(width_of, texts)), is_right)


def _text(cell: Cell, *, is_short: bool) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, Forms):
        cell = cell.short if is_short else cell.whole
    return printable(cell)


def _fitted(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int) -> list[_Drawn]:
    """Return the columns that fit into `room`, with their widths."""
    filled = _filled(columns, rows)
    kept: list[_Drawn] = []
    for is_short in (False, True):
        kept = [_drawn(column, cells, is_short=is_short or column.is_brief) for column, cells in filled]
        if _least(kept) <= room:
            return _narrowed(kept, room)
    while _least(kept) > room and any(each.column.drop_rank for each in kept):
        kept.remove(max(kept, key=lambda each: each.column.drop_rank))
    return _narrowed(kept, room)


def _least(kept: Sequence[_Drawn]) -> int:
    """Return the minimum total width, or the preferred one while there is an optional column."""
    has_optional = any(each.column.drop_rank > OPTIONAL for each in kept)
    return sum(_floor(each, is_preferred=has_optional) for each in kept) + len(_GAP) * (len(kept) - 1)


def _floor(each: _Drawn, *, is_preferred: bool = False) -> int:
    least = each.column.min_width
    if least is None:
        return each.width
    return min(each.width, max(least, width_of(each.column.name), each.column.preferred_width if is_preferred else 0))


def _narrowed(kept: Sequence[_Drawn], room: int) -> list[_Drawn]:
    """Cut the widest column that may be cut, again and again, until all fit or none can be cut further."""
    room -= len(_GAP) * (len(kept) - 1)
    widths = [max(_floor(each), min(each.width, room)) for each in kept]
    words = [_longest_word(each) for each in kept]
    preferred = [max(each.column.preferred_width, word) for each, word in zip(kept, words, strict=True)]
    while sum(widths) > room:
        free = [n for n, each in enumerate(kept) if widths[n] > _floor(each)]
        if not free:
            break
        others = [n for n in free if not 0 < widths[n] <= preferred[n]]
        others = others or [n for n in free if not 0 < widths[n] <= words[n]]
        widths[max(others or free, key=widths.__getitem__)] -= 1
    return [
        each._replace(texts=each.texts if each.column.wraps else _cut_to(each, width), width=width)
        for each, width in zip(kept, widths, strict=True)
    ]


def _longest_word(each: _Drawn) -> int:
    """Return the width that a column that wraps needs to keep its words whole, else 0; others are narrowed first."""
    words = (word for text in each.texts for word in text.split()) if each.column.wraps else ()
    return max(map(width_of, words), default=0)


def _cut_to(each: _Drawn, width: int) -> list[str]:
    return [cut(text, width, keeps_end=each.column.keeps_end) for text in each.texts]


def _lines(kept: Sequence[_Drawn]) -> list[str]:
    lines: list[str] = []
    for row in zip(*(each.texts for each in kept), strict=True):
        parts = [
            wrapped(text, each.width) if each.column.wraps else [text] for text, each in zip(row, kept, strict=True)
        ]
        lines += [_GAP.join(map(_padded, line, kept)).rstrip() for line in zip_longest(*parts, fillvalue="")]
    return lines


def _padded(text: str, each: _Drawn) -> str:
    blanks = " " * (each.width - width_of(text))
    return blanks + text if each.is_right else text + blanks


def _ruled(lines: list[str], *, has_total: bool) -> list[str]:
    """Add a rule below the header, and above a total."""
    rule = "─" * max(map(width_of, lines))
    head, *rows = lines
    return [head, rule, *rows[:-1], rule, rows[-1]] if has_total else [head, rule, *rows]
