"""Entries by their numbers, of which only what is asked for is made."""

import sqlite3
from collections.abc import Iterable, Iterator

from chorus.find.index.rows import Entry
from chorus.find.index.sqlite.packing import Unpacked, unpack_numbers
from chorus.find.index.times import iso_of

_NEAR = 16
"""Entries that lie no farther apart in a leaf are made in one go."""
_MAX_OPEN = 16
"""Leaves held ready: what is asked for in a row is of one time, and so in few leaves of a few conversations."""


class Numbered:
    """Finds entries for one question; what is written meanwhile is not seen in leaves that it has open."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._open: list[tuple[dict[int, int], Unpacked]] = []
        """Where in a leaf its numbers are, and the leaf; the newest last."""

    def entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """The entries of these numbers, as far as there are such; those of one leaf are made together."""
        wanted: dict[int, tuple[Unpacked, dict[int, int]]] = {}
        for number in numbers:
            leaf = self._leaf(number)
            if leaf is not None:
                places, unpacked = leaf
                wanted.setdefault(id(unpacked), (unpacked, {}))[1][places[number]] = number
        found: dict[int, Entry] = {}
        for unpacked, at in wanted.values():
            for start, stop in _stretches(sorted(at)):
                made = unpacked.entries(start, stop)
                found |= {at[place]: entry for place, entry in enumerate(made, start) if place in at}
        return found

    def _leaf(self, number: int) -> tuple[dict[int, int], Unpacked] | None:
        found = next((each for each in reversed(self._open) if number in each[0]), None)
        if found is None and (found := self._find(number)) is not None:
            self._open = [*self._open[-_MAX_OPEN + 1 :], found]
        return found

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


def _stretches(places: list[int]) -> Iterator[tuple[int, int]]:
    """Places in order as stretches that hold them, from where to where."""
    start = last = places[0]
    for place in places[1:]:
        if place - last > _NEAR:
            yield start, last + 1
            start = place
        last = place
    yield start, last + 1
