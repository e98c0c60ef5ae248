"""Output of commands: JSON for programs, tables for people. Untrusted text cannot control the terminal."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from chorus.cli.prose import prose
from chorus.cli.table import Cell, Column, printable, table

FAILED_SOURCE = 2
"""Exit code if a source could not be read completely."""


def is_at_terminal() -> bool:
    """Whether standard input and standard output are both a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_json(value: Any) -> None:
    """Print one JSON value on standard output, as UTF-8 whatever the encoding of the terminal.

    Values are exact; control characters and hidden characters are written as escapes.
    """
    from chorus.core.views.safe import safe_json

    sys.stdout.buffer.write(safe_json(encoded(value, indent=2).decode()).encode() + b"\n")
    sys.stdout.buffer.flush()


def encoded(value: Any, indent: int | None = None) -> bytes:
    """Return `value` as JSON in UTF-8. Bytes of a file name that is not valid UTF-8 are written as escapes."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()


def print_table(title: str, columns: Sequence[Column | str], rows: Sequence[Sequence[Cell]]) -> None:
    """Print a table with a title, followed by an empty line; print nothing if there are no rows."""
    if rows:
        click.echo(table(title, columns, rows))


def say(text: str) -> None:
    """Print a sentence, wrapped between words at a terminal, with control characters as escapes."""
    click.echo(prose(printable(text)), nl=False)


def counted(number: int, noun: str) -> str:
    """Return a number and its noun: `1 file`, `1,200 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def complain(what: object) -> None:
    """Print a sentence on standard error, in the form of all errors of the command line."""
    remark(f"chorus: {' '.join(str(what).split())}")


def remark(text: str) -> None:
    """Print a sentence on standard error, wrapped between words at a terminal, with control characters as escapes."""
    click.echo(prose(printable(text), on=sys.stderr), err=True, nl=False)
