"""The entries of a conversation in order, packed in leaves of some dozens: small on disk, and few make a page."""

import sqlite3
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

import msgspec

from chorus.conversation.items import Order
from chorus.index.rows import Entry, Key

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Unpackable = zstd.ZstdError
"""What damaged leaves raise."""
MOST = 160
"""Entries in a leaf; one that grows beyond is cut in two."""
_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 3, zstd.CompressionParameter.checksum_flag: 1}
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[Entry])


def key_of(order: Order, item_id: str) -> str:
    """The place of an entry as text that sorts the same."""
    time, rank, stream, offset, index = order
    return f"{time}\x01{rank}\x01{stream}\x01{offset:015d}\x01{index:09d}\x01{item_id}"


def pack(entries: list[Entry]) -> bytes:
    return zstd.compress(_encoder.encode(entries), options=_OPTIONS)


def unpack(data: bytes) -> list[Entry]:
    return _decoder.decode(zstd.decompress(data))


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

    def fill(self, entries: Iterable[Entry]) -> None:
        """Store the entries of a conversation that has none."""
        ordered = sorted(entries, key=lambda entry: entry.key)
        self._insert(ordered)

    def write(self) -> None:
        """Store what changed."""
        for first, (_, entries) in self._loaded.items():
            self._connection.execute(
                "DELETE FROM leaf WHERE conversation = ? AND first = ?", (self._conversation, first)
            )
            self._insert(entries)
        self._loaded = {}

    def _insert(self, entries: list[Entry]) -> None:
        size = MOST if len(entries) <= MOST else MOST // 2 + 1
        rows = [
            (self._conversation, key_of(*entries[n].key), pack(entries[n : n + size]))
            for n in range(0, len(entries), size)
        ]
        self._connection.executemany("INSERT INTO leaf VALUES (?, ?, ?)", rows)

    def _leaf(self, key: str) -> tuple[list[str], list[Entry]]:
        first = self._firsts[max(0, bisect_right(self._firsts, key) - 1)]
        found = self._loaded.get(first)
        if found is None:
            row = self._connection.execute(
                "SELECT data FROM leaf WHERE conversation = ? AND first = ?", (self._conversation, first)
            ).fetchone()
            entries = unpack(row[0])
            found = self._loaded[first] = [key_of(*entry.key) for entry in entries], entries
        return found


def read(connection: sqlite3.Connection, conversation: int) -> Iterator[Entry]:
    """All entries of a conversation in order."""
    rows = connection.execute("SELECT data FROM leaf WHERE conversation = ? ORDER BY first", (conversation,))
    for (data,) in rows:
        yield from unpack(data)


def after(connection: sqlite3.Connection, conversation: int, place: Key | None, limit: int) -> list[Entry]:
    """The first entries after a place, or of all."""
    key = key_of(*place) if place else ""
    rows = connection.execute(
        "SELECT data FROM leaf WHERE conversation = ?1 AND first >= coalesce((SELECT max(first) FROM leaf"
        " WHERE conversation = ?1 AND first <= ?2), '') ORDER BY first",
        (conversation, key),
    )
    found: list[Entry] = []
    for (data,) in rows:
        found += [entry for entry in unpack(data) if place is None or entry.key > place]
        if len(found) >= limit:
            break
    return found[:limit]


def before(connection: sqlite3.Connection, conversation: int, place: Key, limit: int) -> list[Entry]:
    """The last entries before a place."""
    rows = connection.execute(
        "SELECT data FROM leaf WHERE conversation = ? AND first < ? ORDER BY first DESC",
        (conversation, key_of(*place)),
    )
    found: list[Entry] = []
    for (data,) in rows:
        found = [entry for entry in unpack(data) if entry.key < place] + found
        if len(found) >= limit:
            break
    return found[-limit:]


def squeeze(data: bytes) -> bytes:
    """Anything packed as leaves are."""
    return zstd.compress(data, options=_OPTIONS)


def unsqueeze(data: bytes) -> bytes:
    return zstd.decompress(data)
