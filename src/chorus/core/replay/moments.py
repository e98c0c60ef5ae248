"""The order in which a conversation is replayed, and the ids of its moments.

Records are replayed in the order of their order keys: by the highest time so far in their stream, then by rank, stream
and offset. The id of a moment is this key as a text. Texts sort as the keys do, so that rows and moments can be
compared without a table.
"""

import heapq
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from msgspec import Struct

from chorus.core.conversation.fold_context import rank_of
from chorus.core.conversation.items import Order
from chorus.core.records.record import Record
from chorus.core.records.times import canonical_time

SEPARATOR = "!"
"""Sorts before every character of the name of a stream, so that a name sorts before its continuations."""
_OFFSET_DIGITS = 12
_NO_NAME = re.compile(r"[^A-Za-z0-9._#-]")
_ID = re.compile(r"(.*)!(\d)!([A-Za-z0-9._#-]*)!(\d{12,})", re.DOTALL)
Key = tuple[str, int, str, int]


class PlacedRecord(Struct, gc=False):
    """A record with its place in the order of the replay."""

    key: Key
    record: Record

    @property
    def id(self) -> str:
        """The id of the moment at which the record came."""
        return id_of(self.key)


def id_of(key: Key) -> str:
    """Returns the id of the moment with this key."""
    time, rank, stream, offset = key
    return f"{time}!{rank}!{stream}!{offset:0{_OFFSET_DIGITS}d}"


def moment_of(order: Order) -> str:
    """Returns the id of the moment at which the record with this order key came."""
    return id_of((order[0], order[1], label_of(order[2]), order[3]))


def key_in(moment: str) -> Key | None:
    """Returns the key in the id of a moment; None if it is no such id."""
    found = _ID.fullmatch(moment)
    return (found[1], int(found[2]), found[3], int(found[4])) if found else None


def label_of(stream: str) -> str:
    """Returns the name of a stream within its conversation, with characters that sort after the separator."""
    return _NO_NAME.sub("_", stream.replace("\\", "/").rpartition("/")[2])


def time_ms(time: str | None) -> int | None:
    """Returns a time of the client's format in milliseconds since 1970; None if it is no time."""
    if not time:
        return None
    try:
        return round(datetime.fromisoformat(time).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def merged(streams: Iterable[Iterable[Record]], latest_of: Callable[[str], str]) -> Iterator[PlacedRecord]:
    """Yields the records of several streams in the order of the replay. The order within a stream is kept.

    `latest_of` returns the highest time that the fold knows for a stream. It is asked for a record of the stream after
    the record before it was yielded, so the caller must feed each record before it takes the next one.
    """
    heap: list[tuple[Key, int, Record, Iterator[Record], str]] = []
    ranks: dict[str, int] = {}

    def push(number: int, left: Iterator[Record], reached: str) -> None:
        record = next(left, None)
        if record is None:
            return
        rank = ranks.setdefault(record.stream, rank_of(record.dialect))
        own = canonical_time(record.value.timestamp) or record.seen_at or ""
        # A revision of a source has times of its own. It comes after what it follows all the same.
        time = max(own, latest_of(record.stream), reached)
        heapq.heappush(heap, ((time, rank, label_of(record.stream), record.offset), number, record, left, time))

    for number, stream in enumerate(streams):
        push(number, iter(stream), "")
    while heap:
        key, number, record, left, reached = heapq.heappop(heap)
        yield PlacedRecord(key, record)
        push(number, left, reached)
