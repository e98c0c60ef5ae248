"""Entries read from the index: those that lie together in one go."""

from collections.abc import Iterable, Iterator

from chorus.core.conversation.items import Order
from chorus.find.index.port import MAX_ENTRIES, Index
from chorus.find.index.rows import Entry, Key
from chorus.show.transcripts import merged_walk
from chorus.show.transcripts.keys import mode_order_in_index, order_of
from chorus.show.transcripts.sketch import MODE, Sketch, key_of_sketch
from chorus.show.transcripts.sketch_list import Shelf

_NEAR = 4
"""To find one entry by its order, so many are read: those of one record share theirs."""


def key_in_index(shelf: Shelf, sketch: Sketch) -> Key:
    """The key of an entry in the index."""
    order = order_of(sketch.place, shelf.prefix)
    return mode_order_in_index(order) if sketch.kind == MODE else order, sketch.id


def runs(shelf: Shelf, sketches: Iterable[Sketch], begins_at: Order | None = None) -> list[tuple[Key | None, int]]:
    """Where sketches lie together: what comes before them, and how many entries there are up to the last.

    `begins_at`: the first entry of the shelf, where the conversation has others before it.
    """
    wanted = sorted(sketches, key=key_of_sketch)
    found: list[tuple[Key | None, int]] = []
    at = 0
    while at < len(wanted):
        first = merged_walk.position(shelf.all, wanted[at].key)
        window = shelf.all[min(first + MAX_ENTRIES, len(shelf.all)) - 1].key
        end = at + 1
        while end < len(wanted) and wanted[end].key <= window:
            end += 1
        last = merged_walk.position(shelf.all, wanted[end - 1].key)
        before: Key | None = key_in_index(shelf, shelf.all[first - 1]) if first else None
        if before is None and begins_at is not None:
            before = begins_at, ""
        found.append((before, last - first + 1))
        at = end
    return found


def entries_at(index: Index, name: str, orders: set[Order]) -> Iterator[Entry]:
    """The entries of a conversation that have one of these orders."""
    waiting = sorted(orders, reverse=True)
    after: Key | None = None
    while waiting:
        start: Key = (waiting[-1], "")
        after = start if after is None or after < start else after
        limit = min(MAX_ENTRIES, _NEAR * len(waiting))
        page = index.page(name, after=after, limit=limit)
        yield from (entry for entry in page if entry.order in orders)
        if len(page) < limit:
            return
        after = page[-1].key
        # Those that have the order which the page ends with may go on after it.
        while waiting and waiting[-1] < after[0]:
            waiting.pop()
