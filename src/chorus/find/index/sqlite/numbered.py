"""Finds entries by their numbers and rebuilds only those that are needed."""

import sqlite3
from collections.abc import Iterable, Iterator

from chorus.find.index.rows import Entry
from chorus.find.index.sqlite.packing import Unpacked, unpack_numbers
from chorus.find.index.times import TICK_MS, iso_at

_NEAR = 16
"""Entries that are no farther apart in a leaf are rebuilt together."""
_MAX_OPEN = 16
"""The number of leaves in memory. Consecutive lookups are of similar times, so they need few leaves of few
conversations.
"""


class EntryLookup:
    """Finds entries for one query. It does not see later writes to leaves that it has already loaded."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._open: list[tuple[dict[int, int], Unpacked]] = []
        """Number → position in a leaf, and the leaf; the most recent last."""

    def entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """Returns the entries with these numbers, as far as they exist; entries of one leaf are rebuilt together."""
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
        """Returns the leaf of an entry; the entry's time says in or near which leaf it is.

        The time of its number may be hours later: where many entries have one time, their numbers run ahead.
        """
        row = self._connection.execute("SELECT conversation, ms_after FROM entry WHERE n = ?", (number,)).fetchone()
        if row is None:
            return None
        near = f"{iso_at(TICK_MS * number + row[1])}\x02"
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
    """Yields ranges (start, stop) that cover the sorted positions."""
    start = last = places[0]
    for place in places[1:]:
        if place - last > _NEAR:
            yield start, last + 1
            start = place
        last = place
    yield start, last + 1
