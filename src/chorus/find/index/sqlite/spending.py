"""Reads what was spent from the sums. Imports little, so that a command that only reads costs starts fast."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.rows import Reported, Spent
from chorus.errors import IndexDamaged
from chorus.find.index.sqlite import schema
from chorus.find.index.sqlite.opening import FILE, SEAL, connect, is_sealed_as


class Spending(NamedTuple):
    """What an index knows about costs."""

    spent: list[Spent]
    reported: list[Reported]
    forks: frozenset[str]
    titles: dict[str, str]
    """The title of every conversation that has one, by its name."""


def read_spending(folder: Path, names: Iterable[str] | None = None) -> Spending:
    """Like `Index.spent`, for the index in a folder; raises `IndexDamaged` when there is no usable index."""
    path = folder / FILE
    if not path.is_file() or not is_sealed_as(path, folder / SEAL, is_thorough=False):
        raise IndexDamaged(f"{path}: there is no usable index")
    try:
        connection = connect(path, is_writer=False)
        try:
            if not schema.is_ours(connection):
                raise IndexDamaged(f"{path}: it was created by another version of Chorus")
            wanted = None
            if names is not None:
                known = {name: number for number, name in connection.execute("SELECT n, name FROM conversation")}
                wanted = [known[name] for name in names if name in known]
            titles = connection.execute("SELECT name, title FROM conversation WHERE title <> ''")
            return Spending(*spent(connection, wanted), dict(titles))
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise IndexDamaged(f"{path}: {error}") from error


def spent(
    connection: sqlite3.Connection, numbers: list[int] | None
) -> tuple[list[Spent], list[Reported], frozenset[str]]:
    """Returns the sums and reported costs of all conversations, or of those with these numbers; and which are forks."""
    names = dict(_rows(connection, "SELECT n, name FROM conversation", "n", numbers))
    sums = [_spent(names, row) for row in _rows(connection, "SELECT * FROM spent", "conversation", numbers)]
    return sums, *reported(connection, numbers)


def reported(connection: sqlite3.Connection, numbers: list[int] | None) -> tuple[list[Reported], frozenset[str]]:
    """Returns the reported costs of all conversations, or of those with these numbers; and which are forks."""
    rows = _rows(
        connection,
        "SELECT name, quarter, usd, source FROM reported JOIN conversation ON n = conversation",
        "conversation",
        numbers,
    )
    forks = connection.execute("SELECT DISTINCT name FROM copy JOIN conversation ON n = conversation")
    return [Reported(*row) for row in rows], frozenset(name for (name,) in forks)


def _rows(connection: sqlite3.Connection, asks: str, column: str, numbers: list[int] | None) -> sqlite3.Cursor:
    """Returns all rows, or those with one of the numbers in the column."""
    if numbers is None:
        return connection.execute(asks)
    return connection.execute(f"{asks} WHERE {column} IN ({','.join(str(int(number)) for number in numbers)})")


def _spent(names: dict[int, str], row: tuple[Any, ...]) -> Spent:
    owner, thread, period, model, tier, prompt_over, is_per_turn, *figures, messages, lower_bounds = row
    return Spent(
        names[owner],
        thread,
        period,
        model or None,
        tier or None,
        prompt_over,
        bool(is_per_turn),
        Tokens(*figures),
        messages,
        lower_bounds,
    )
