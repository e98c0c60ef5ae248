"""Selects the newest entries with one statement, where SQLite alone can tell what matches.

All rows are returned as one value: each row that is fetched lets another thread take the interpreter, and on a busy
server an answer would wait for it as many times.
"""

import sqlite3

import msgspec
from msgspec import Struct

from chorus.find.index.times import TICK_MS

MS = f"ms_after + {TICK_MS} * n"
"""The time of a row of `entry`, which stores only the difference to the time of its number."""
Row = tuple[int, int, int]
"""An entry's number, the number of its conversation, and its time in milliseconds."""
_rows = msgspec.json.Decoder(list[Row])


class Bounds(Struct, frozen=True, kw_only=True):
    """What limits the entries that a query can find."""

    since_ms: int
    until_ms: int
    """Times from `since_ms` to before `until_ms`."""
    first: int
    last: int
    """Numbers, both included."""
    owners: set[int] | None
    """Only these conversations; None if all, or if `of_them` selects them."""
    of_them: str | None
    """An expression for the marks of few conversations."""


def newest(connection: sqlite3.Connection, asks: str | None, bounds: Bounds, limit: int) -> list[Row]:
    """Returns the newest entries that match an expression of the word index, or all entries if it is None."""
    statement, values = _selection(asks, bounds, limit)
    (rows,) = connection.execute(
        "SELECT '[' || group_concat('[' || n || ',' || conversation || ',' || ms || ']') || ']'"  # noqa: S608
        f" FROM ({statement})",
        values,
    ).fetchone()
    # SQLite does not promise that an aggregate keeps the order of its rows.
    return sorted(_rows.decode(rows), reverse=True) if rows else []


def count(connection: sqlite3.Connection, asks: str | None, bounds: Bounds, limit: int) -> int:
    """Returns how many entries match, up to `limit`."""
    statement, values = _selection(asks, bounds, limit)
    return int(connection.execute(f"SELECT count(*) FROM ({statement})", values).fetchone()[0])  # noqa: S608


def _selection(asks: str | None, bounds: Bounds, limit: int) -> tuple[str, tuple[object, ...]]:
    within = (bounds.first, bounds.last, bounds.since_ms, bounds.until_ms, limit)
    if asks is None:
        return (
            f"SELECT n, conversation, {MS} AS ms FROM entry WHERE n BETWEEN ? AND ?"  # noqa: S608
            f" AND {MS} >= ? AND {MS} < ? ORDER BY n DESC LIMIT ?"
        ), within
    return (
        f"SELECT n, conversation, {MS} AS ms FROM words CROSS JOIN entry ON n = words.rowid"  # noqa: S608
        f" WHERE words MATCH ? AND words.rowid BETWEEN ? AND ? AND {MS} >= ? AND {MS} < ?"
        " ORDER BY words.rowid DESC LIMIT ?"
    ), (asks, *within)
