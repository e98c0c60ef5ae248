"""Tables as text: at a terminal one line within its width for each row, in a pipe everything whole.

Where a terminal is narrow, texts are cut, then cells with two forms take the short one, then columns are left out. The
column that people read, such as a title, has what is left, and less important ones leave before it gets short.
Nothing has to be loaded to draw ASCII text.
"""

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple, TextIO

import click

_INDENT = "  "
_GAP = "  "
_ELLIPSIS = "…"
_USUAL = 80
"""Columns of a terminal that does not say how many it has."""
LUXURY = 10
_NARROW = str.maketrans("", "", "≥…·—–─±↳")
"""Our own signs take one column each: to know that, nothing has to be loaded."""


class Column(NamedTuple):
    """A column, and how it gives way."""

    name: str
    leaves: int = 0
    """The column with the highest number is left out first; one with 0 always stays.

    Above `LUXURY`, it is left out before any column has less than it wants.
    """
    least: int | None = None
    """Its cells may be cut to this width before any column is left out; None for a column that is never cut."""
    wants: int = 0
    """Columns that can be left out are cut before its cells are cut to less than this width."""
    is_right: bool = False
    """Aligned to the right, as a column of integers always is."""
    keeps_end: bool = False
    """A cell that is cut keeps its end: the file's name of a path."""
    is_brief: bool = False
    """Cells with two forms always have the short one at a terminal."""


class Forms(NamedTuple):
    """A cell with two forms."""

    whole: str
    short: str


Cell = str | int | Forms


class _Kept(NamedTuple):
    """A column that is drawn: its texts, the head first and a total last."""

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
    """The table for `on`, by default standard output: a terminal of some width, or a pipe.

    With a title, rows stand a little further in below it; without one, the head is bold. Empty where there are neither
    rows nor a total.
    """
    if not rows and total is None:
        return ""
    named = [Column(each) if isinstance(each, str) else each for each in columns]
    every = [*rows, total] if total is not None else rows
    width = terminal_width(on)
    indent = _INDENT if title else ""
    if width is None:
        kept = [_kept(column, cells, is_short=False) for column, cells in _by_column(named, every)]
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
    """The columns of the terminal that `on` is, by default standard output; None where it is no terminal."""
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
    """How many columns of a terminal a text takes."""
    if text.translate(_NARROW).isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int, *, keeps_end: bool = False) -> str:
    """`text` in at most `width` columns, with an ellipsis for what is missing at its end, or at its beginning."""
    if width_of(text) <= width:
        return text
    if width < 1:
        return ""
    if keeps_end:
        return _ELLIPSIS + _beginning(text[::-1], width - 1)[::-1].lstrip()
    return _beginning(text, width - 1).rstrip() + _ELLIPSIS


def _beginning(text: str, width: int) -> str:
    used = 0
    for at, char in enumerate(text):
        used += width_of(char)
        if used > width:
            text = text[:at]
            break
    while width_of(text) > width:
        # Characters that change what stands before them take more together than each alone.
        text = text[:-1]
    return text


def printable(text: str) -> str:
    """`text` with every character that could move a cursor, hide or reorder others shown as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _by_column(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[tuple[Column, Sequence[Cell]]]:
    return [(column, [row[n] for row in rows]) for n, column in enumerate(columns)]


def _kept(column: Column, cells: Sequence[Cell], *, is_short: bool) -> _Kept:
    texts = [column.name, *(_text(cell, is_short=is_short) for cell in cells)]
    is_right = column.is_right or all(isinstance(cell, int) for cell in cells)
    return _Kept(column, texts, max(map(width_of, texts)), is_right)


def _text(cell: Cell, *, is_short: bool) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, Forms):
        cell = cell.short if is_short else cell.whole
    return printable(cell)


def _fitted(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int) -> list[_Kept]:
    """The columns that have room, in widths that fit. A column in which nothing stands says nothing: it goes first."""
    said = [(column, cells) for column, cells in _by_column(columns, rows) if any(cell != "" for cell in cells)]
    kept: list[_Kept] = []
    for is_short in (False, True):
        kept = [_kept(column, cells, is_short=is_short or column.is_brief) for column, cells in said]
        if _least(kept) <= room:
            return _narrowed(kept, room)
    while _least(kept) > room and any(each.column.leaves for each in kept):
        kept.remove(max(kept, key=lambda each: each.column.leaves))
    return _narrowed(kept, room)


def _least(kept: Sequence[_Kept]) -> int:
    """The width with every text cut as far as it may be, and as it wants to be while there is a luxury."""
    has_luxury = any(each.column.leaves > LUXURY for each in kept)
    return sum(_floor(each, is_easy=has_luxury) for each in kept) + len(_GAP) * (len(kept) - 1)


def _floor(each: _Kept, *, is_easy: bool = False) -> int:
    least = each.column.least
    if least is None:
        return each.width
    return min(each.width, max(least, width_of(each.column.name), each.column.wants if is_easy else 0))


def _narrowed(kept: Sequence[_Kept], room: int) -> list[_Kept]:
    """The widest of the columns that may be cut gives way, until all of them fit or none can any more."""
    room -= len(_GAP) * (len(kept) - 1)
    widths = [max(_floor(each), min(each.width, room)) for each in kept]
    while sum(widths) > room:
        free = [n for n, each in enumerate(kept) if widths[n] > _floor(each)]
        if not free:
            break
        others = [n for n in free if not 0 < widths[n] <= kept[n].column.wants]
        widths[max(others or free, key=widths.__getitem__)] -= 1
    return [
        each._replace(texts=[cut(text, width, keeps_end=each.column.keeps_end) for text in each.texts], width=width)
        for each, width in zip(kept, widths, strict=True)
    ]


def _lines(kept: Sequence[_Kept]) -> list[str]:
    padded = [[_padded(text, each) for text in each.texts] for each in kept]
    return [_GAP.join(row).rstrip() for row in zip(*padded, strict=True)]


def _padded(text: str, each: _Kept) -> str:
    blanks = " " * (each.width - width_of(text))
    return blanks + text if each.is_right else text + blanks


def _ruled(lines: list[str], *, has_total: bool) -> list[str]:
    """With a rule below the head, and above a total."""
    rule = "─" * max(map(width_of, lines))
    head, *rows = lines
    return [head, rule, *rows[:-1], rule, rows[-1]] if has_total else [head, rule, *rows]
