"""Stores the entries of a conversation in order, in leaves of some dozens. Leaves are small, and a page needs few."""

import sqlite3
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from chorus.core.conversation.items import Order
from chorus.find.index.rows import Entry, Key
from chorus.find.index.sqlite.packing import MAX_LAST, MAX_LEAF, Unpacked, key_of, pack, pack_numbers, unpack


class _Span(NamedTuple):
    """The keys of one leaf: from `start` until the next leaf begins; `end` is None for the last leaf."""

    start: str
    end: str | None
    first: str
    """The key under which the leaf is stored."""


class Leaves:
    """The leaves of one conversation, changed in memory and written together."""

    def __init__(self, connection: sqlite3.Connection, conversation: int) -> None:
        self._connection = connection
        self._conversation = conversation
        self._loaded: dict[str, tuple[list[str], list[Entry]]] = {}
        """First key of a leaf as it is stored → its current keys and entries."""
        self._spans: list[_Span] = []
        """Which keys belong to the loaded leaves, in order. Only needed leaves are loaded: a conversation may have
        many.
        """

    def take(self, item_id: str, order: Order) -> Entry | None:
        """Removes and returns the entry that is stored under this order; None if there is none."""
        key = key_of(order, item_id)
        keys, entries = self._leaf(key)
        place = bisect_left(keys, key)
        if place == len(keys) or keys[place] != key:
            return None
        del keys[place]
        return entries.pop(place)

    def put(self, entry: Entry) -> None:
        """Inserts an entry at its position."""
        key = key_of(*entry.key)
        keys, entries = self._leaf(key)
        place = bisect_left(keys, key)
        keys.insert(place, key)
        entries.insert(place, entry)

    def write(self) -> None:
        """Stores what changed."""
        for span in self._spans:
            _, entries = self._loaded[span.first]
            self._connection.execute(
                "DELETE FROM leaf WHERE conversation = ? AND first = ?", (self._conversation, span.first)
            )
            most = MAX_LAST if span.end is None else MAX_LEAF
            size = most if len(entries) <= most else MAX_LEAF // 2 + 1
            for n in range(0, len(entries), size):
                some = entries[n : n + size]
                self.insert(key_of(*some[0].key), pack(some), [entry.number for entry in some])
        self._loaded, self._spans = {}, []

    def insert(self, first: str, data: bytes, numbers: Iterable[int]) -> None:
        """Stores a leaf that is packed already."""
        row = (self._conversation, first, pack_numbers(numbers), data)
        self._connection.execute("INSERT INTO leaf VALUES (?, ?, ?, ?)", row)

    def _leaf(self, key: str) -> tuple[list[str], list[Entry]]:
        """Returns the keys and entries of the leaf that a key belongs to."""
        place = bisect_right(self._spans, key, key=_start) - 1
        if place >= 0 and ((end := self._spans[place].end) is None or key < end):
            return self._loaded[self._spans[place].first]
        first = self._asked("SELECT max(first) FROM leaf WHERE conversation = ? AND first <= ?", key)
        start = first or ""
        if first is None:
            # An entry before all others goes into the first leaf.
            first = self._asked("SELECT min(first) FROM leaf WHERE conversation = ? AND first > ?", key) or key
        if first in self._loaded:
            self._spans[0] = self._spans[0]._replace(start=start)
            return self._loaded[first]
        end = self._asked("SELECT min(first) FROM leaf WHERE conversation = ? AND first > ?", first)
        row = self._connection.execute(
            "SELECT data, numbers FROM leaf WHERE conversation = ? AND first = ?", (self._conversation, first)
        ).fetchone()
        entries = unpack(*row) if row else []
        insort(self._spans, _Span(start, end, first), key=_start)
        found = self._loaded[first] = [key_of(*entry.key) for entry in entries], entries
        return found

    def _asked(self, question: str, key: str) -> str | None:
        (found,) = self._connection.execute(question, (self._conversation, key)).fetchone()
        return found


def _start(span: _Span) -> str:
    return span.start


def read(connection: sqlite3.Connection, conversation: int) -> Iterator[Entry]:
    """Yields all entries of a conversation in order."""
    rows = connection.execute("SELECT data, numbers FROM leaf WHERE conversation = ? ORDER BY first", (conversation,))
    for leaf in rows:
        yield from unpack(*leaf)


def after(connection: sqlite3.Connection, conversation: int, place: Key | None, limit: int) -> list[Entry]:
    """Returns the first entries after a position, or of the whole conversation."""
    key = key_of(*place) if place else ""
    rows = connection.execute(
        "SELECT data, numbers FROM leaf WHERE conversation = ? AND first >= coalesce((SELECT max(first) FROM leaf"
        " WHERE conversation = ? AND first <= ?), '') ORDER BY first",
        (conversation, conversation, key),
    )
    found: list[Entry] = []
    for leaf in rows:
        unpacked = Unpacked(*leaf)
        # Items of one record may share their order.
        start, same = (
            (bisect_left(unpacked.orders, place[0]), bisect_right(unpacked.orders, place[0])) if place else (0, 0)
        )
        some = unpacked.entries(start, same + limit - len(found))
        found += [entry for entry in some if place is None or entry.key > place]
        if len(found) >= limit:
            break
    return found[:limit]


def before(connection: sqlite3.Connection, conversation: int, place: Key, limit: int) -> list[Entry]:
    """Returns the last entries before a position."""
    rows = connection.execute(
        "SELECT data, numbers FROM leaf WHERE conversation = ? AND first < ? ORDER BY first DESC",
        (conversation, key_of(*place)),
    )
    found: list[Entry] = []
    for leaf in rows:
        unpacked = Unpacked(*leaf)
        same, stop = bisect_left(unpacked.orders, place[0]), bisect_right(unpacked.orders, place[0])
        some = unpacked.entries(same - (limit - len(found)), stop)
        found = [entry for entry in some if entry.key < place] + found
        if len(found) >= limit:
            break
    return found[-limit:]
