"""Entries by their numbers, of which only what is asked for is made."""

import sqlite3

from chorus.index.rows import Entry
from chorus.index.sqlite.packing import Unpacked, unpack_numbers
from chorus.index.times import iso_of

_MOST_OPEN = 16
"""Leaves held ready: what is asked for in a row is of one time, and so in few leaves of a few conversations."""


class Numbered:
    """Finds entries for one question; what is written meanwhile is not seen in leaves that it has open."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._open: list[tuple[dict[int, int], Unpacked]] = []
        """Where in a leaf its numbers are, and the leaf; the newest last."""

    def entry(self, number: int) -> Entry | None:
        """The entry of a number, if there is one."""
        found = next((each for each in reversed(self._open) if number in each[0]), None)
        if found is None:
            found = self._find(number)
            if found is None:
                return None
            self._open = [*self._open[-_MOST_OPEN + 1 :], found]
        places, leaf = found
        place = places[number]
        (entry,) = leaf.entries(place, place + 1)
        return entry

    def _find(self, number: int) -> tuple[dict[int, int], Unpacked] | None:
        """The leaf of an entry: its time tells which it is, or near which."""
        row = self._connection.execute("SELECT conversation FROM entry WHERE n = ?", (number,)).fetchone()
        if row is None:
            return None
        near = f"{iso_of(number)}\x02"
        for compare, direction in (("<=", "DESC"), (">", "ASC")):
            rows = self._connection.execute(
                f"SELECT first, numbers FROM leaf WHERE conversation = ? AND first {compare} ?"  # noqa: S608
                f" ORDER BY first {direction}",
                (row[0], near),
            )
            for first, packed in rows:
                numbers = unpack_numbers(packed)
                if number in numbers:
                    (data,) = self._connection.execute(
                        "SELECT data FROM leaf WHERE conversation = ? AND first = ?", (row[0], first)
                    ).fetchone()
                    return {n: place for place, n in enumerate(numbers) if n}, Unpacked(data, packed)
        return None
