"""How commands that count print: JSON for programs, tables for people; what a stranger wrote steers no terminal."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from chorus.cli.prose import prose
from chorus.cli.table import Cell, Column, printable, table

FAILED_SOURCE = 2
"""Exit code when a source could not be read to its end."""


def is_at_terminal() -> bool:
    """Whether a person sees what is printed, and can type."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_json(value: Any) -> None:
    """One JSON object on standard output, as UTF-8 whatever the terminal's encoding.

    Values are exact; characters that act or hide are written as escapes.
    """
    from chorus.core.views.safe import safe_json

    sys.stdout.buffer.write(safe_json(encoded(value, indent=2).decode()).encode() + b"\n")
    sys.stdout.buffer.flush()


def encoded(value: Any, indent: int | None = None) -> bytes:
    """`value` as JSON in UTF-8; where a file's name is no UTF-8, its bytes are written as escapes."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()


def print_table(title: str, columns: Sequence[Column | str], rows: Sequence[Sequence[Cell]]) -> None:
    """A table with a title, as `table` draws it, and an empty line below it; nothing without rows."""
    if rows:
        click.echo(table(title, columns, rows))


def say(text: str) -> None:
    """A sentence on standard output, which breaks between words at a terminal; nothing in it acts on one."""
    click.echo(prose(printable(text)), nl=False)


def counted(number: int, noun: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def complain(what: object) -> None:
    """One line on standard error, in the form all errors of the command line have."""
    click.echo(f"chorus: {printable(' '.join(str(what).split()))}", err=True)
