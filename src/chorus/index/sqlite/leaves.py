"""The leaves of a conversation: its entries in order, some dozens in each. Small on disk, and few make a page."""

import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from chorus.conversation.items import Order
from chorus.index.rows import Entry, Key
from chorus.index.sqlite.packing import MOST, Unpacked, key_of, pack, pack_numbers, unpack


class Leaves:
    """The leaves of one conversation, changed in memory and written together."""

    def __init__(self, connection: sqlite3.Connection, conversation: int) -> None:
        self._connection = connection
        self._conversation = conversation
        self._loaded: dict[str, tuple[list[str], list[Entry]]] = {}
        """First key of a leaf as it is stored → the keys and entries it has now."""
        self._firsts: list[str] = [
            first
            for (first,) in connection.execute(
                "SELECT first FROM leaf WHERE conversation = ? ORDER BY first", (conversation,)
            )
        ]

    def take(self, item_id: str, order: Order) -> Entry | None:
        """Take the entry out that is stored under this order."""
        if not self._firsts:
            return None
        key = key_of(order, item_id)
        keys, entries = self._leaf(key)
        place = bisect_left(keys, key)
        if place == len(keys) or keys[place] != key:
            return None
        del keys[place]
        return entries.pop(place)

    def put(self, entry: Entry) -> None:
        """Put an entry in its place."""
        key = key_of(*entry.key)
        if not self._firsts:
            self._firsts, self._loaded[key] = [key], ([key], [entry])
            return
        keys, entries = self._leaf(key)
        place = bisect_left(keys, key)
        keys.insert(place, key)
        entries.insert(place, entry)

    def write(self) -> None:
        """Store what changed."""
        for first, (_, entries) in self._loaded.items():
            self._connection.execute(
                "DELETE FROM leaf WHERE conversation = ? AND first = ?", (self._conversation, first)
            )
            size = MOST if len(entries) <= MOST else MOST // 2 + 1
            for n in range(0, len(entries), size):
                some = entries[n : n + size]
                self.insert(key_of(*some[0].key), pack(some), [entry.number for entry in some])
        self._loaded = {}

    def insert(self, first: str, data: bytes, numbers: Iterable[int]) -> None:
        """Store a leaf that is packed already."""
        row = (self._conversation, first, pack_numbers(numbers), data)
        self._connection.execute("INSERT INTO leaf VALUES (?, ?, ?, ?)", row)

    def _leaf(self, key: str) -> tuple[list[str], list[Entry]]:
        first = self._firsts[max(0, bisect_right(self._firsts, key) - 1)]
        found = self._loaded.get(first)
        if found is None:
            row = self._connection.execute(
                "SELECT data, numbers FROM leaf WHERE conversation = ? AND first = ?", (self._conversation, first)
            ).fetchone()
            entries = unpack(*row)
            found = self._loaded[first] = [key_of(*entry.key) for entry in entries], entries
        return found


def read(connection: sqlite3.Connection, conversation: int) -> Iterator[Entry]:
    """All entries of a conversation in order."""
    rows = connection.execute("SELECT data, numbers FROM leaf WHERE conversation = ? ORDER BY first", (conversation,))
    for leaf in rows:
        yield from unpack(*leaf)


def after(connection: sqlite3.Connection, conversation: int, place: Key | None, limit: int) -> list[Entry]:
    """The first entries after a place, or of all."""
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
    """The last entries before a place."""
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
