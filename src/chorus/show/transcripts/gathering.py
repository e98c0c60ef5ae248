"""Reads entries from the index, with one read for neighbouring entries."""

from collections.abc import Iterable, Iterator

from chorus.core.conversation.items import Order
from chorus.find.index.port import MAX_ENTRIES, Index
from chorus.find.index.rows import Entry, Key
from chorus.show.transcripts import merged_walk
from chorus.show.transcripts.keys import mode_order_in_index, order_of
from chorus.show.transcripts.sketch import MODE, Sketch, key_of_sketch
from chorus.show.transcripts.sketch_list import SketchList

_NEAR = 4
"""How many entries are read to find one by its order key: entries of one record share the key."""


def key_in_index(loaded: SketchList, sketch: Sketch) -> Key:
    """Returns the key of an entry in the index."""
    order = order_of(sketch.place, loaded.prefix)
    return mode_order_in_index(order) if sketch.kind == MODE else order, sketch.id


def read_ranges(
    loaded: SketchList, sketches: Iterable[Sketch], begins_at: Order | None = None
) -> list[tuple[Key | None, int]]:
    """Groups neighbouring sketches: returns for each group the key before it, and the number of entries to read.

    `begins_at` is the order key of the first loaded entry, if the conversation has earlier entries.
    """
    wanted = sorted(sketches, key=key_of_sketch)
    found: list[tuple[Key | None, int]] = []
    at = 0
    while at < len(wanted):
        first = merged_walk.position(loaded.all, wanted[at].key)
        window = loaded.all[min(first + MAX_ENTRIES, len(loaded.all)) - 1].key
        end = at + 1
        while end < len(wanted) and wanted[end].key <= window:
            end += 1
        last = merged_walk.position(loaded.all, wanted[end - 1].key)
        before: Key | None = key_in_index(loaded, loaded.all[first - 1]) if first else None
        if before is None and begins_at is not None:
            before = begins_at, ""
        found.append((before, last - first + 1))
        at = end
    return found


def entries_at(index: Index, name: str, orders: set[Order]) -> Iterator[Entry]:
    """Yields the entries of a conversation that have one of these order keys."""
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
        # More entries with the last order key of the page may follow after it.
        while waiting and waiting[-1] < after[0]:
            waiting.pop()
