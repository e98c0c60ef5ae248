"""How commands that count print: JSON for programs, tables for people; what a stranger wrote steers no terminal."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

FAILED_SOURCE = 2
"""Exit code when a source could not be read to its end."""

Row = Sequence[str | int]


def is_at_terminal() -> bool:
    """Whether a person sees what is printed, and can type."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_json(value: Any) -> None:
    """One JSON object on standard output, as UTF-8 whatever the terminal's encoding.

    Values are exact; characters that act or hide are written as escapes.
    """
    from chorus.views.safe import safe_json

    sys.stdout.buffer.write(safe_json(encoded(value, indent=2).decode()).encode() + b"\n")
    sys.stdout.buffer.flush()


def encoded(value: Any, indent: int | None = None) -> bytes:
    """`value` as JSON in UTF-8; where a file's name is no UTF-8, its bytes are written as escapes."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()


def print_table(title: str, head: Sequence[str], rows: Sequence[Row], *, cut: int | None = None) -> None:
    """A table with a title; numbers are right-aligned. Drawn with rich in a terminal, as plain columns elsewhere.

    `cut` is the column that gives way where the terminal is narrow: its cells are cut, so that a row stays one line.
    """
    if not rows:
        return
    cells = [[f"{cell:,}" if isinstance(cell, int) else printable(cell) for cell in row] for row in rows]
    right = [all(isinstance(row[n], int) for row in rows) for n in range(len(head))]
    if sys.stdout.isatty():
        _draw(title, head, cells, right, cut)
    else:
        click.echo(f"{title}\n" + "\n".join(_columns([list(head), *cells], right)) + "\n")


def counted(number: int, noun: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def printable(text: str) -> str:
    """`text` with every character that could move a cursor, hide or reorder others shown as an escape."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def complain(what: object) -> None:
    """One line on standard error, in the form all errors of the command line have."""
    click.echo(f"chorus: {printable(' '.join(str(what).split()))}", err=True)


def _columns(rows: list[list[str]], right: Sequence[bool]) -> list[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]


def _draw(title: str, head: Sequence[str], cells: list[list[str]], right: Sequence[bool], cut: int | None) -> None:
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD)
    for name, to_right in zip(head, right, strict=True):
        table.add_column(name, justify="right" if to_right else "left", overflow="fold")
    console = Console()
    if cut is not None:
        widths = [max(map(cell_len, column)) for column in zip(head, *cells, strict=True)]
        # Each column has a blank on both sides, and a border after it; so has the table before the first.
        room = console.width - sum(widths) + widths[cut] - 3 * len(head) - 1
        yielding = table.columns[cut]
        yielding.max_width, yielding.no_wrap, yielding.overflow = max(room, cell_len(head[cut])), True, "ellipsis"
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)
