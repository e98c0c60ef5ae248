"""A whole conversation, packed by the process that projected it: the writer of the index only numbers and stores it."""

from msgspec import Struct, structs

from chorus.find.index.rows import Put, Writing
from chorus.find.index.sqlite.packing import MAX_WHOLE, key_of, pack
from chorus.find.index.sqlite.words import searchable_text
from chorus.find.index.times import ms_of


class Leaf(Struct, array_like=True, gc=False):
    """Consecutive entries, packed."""

    first: str
    """The key of the first entry."""
    data: bytes
    documents: list[tuple[int, str]]
    """For each entry its time in milliseconds and its searchable text: "" when it is not searchable."""


class Packed(Writing, kw_only=True):
    """A writing; if it is whole, its entries are in `leaves` instead of in `put`."""

    leaves: list[Leaf]

    @property
    def chars(self) -> int:
        return super().chars + sum(len(text) for leaf in self.leaves for _, text in leaf.documents)


def packed(writing: Writing) -> Packed:
    """Returns the same writing, packed."""
    ready = Packed(**structs.asdict(writing), leaves=[])
    if writing.is_whole:
        put = sorted(writing.put, key=lambda each: each.entry.key)
        ready.leaves = [_leaf(put[n : n + MAX_WHOLE]) for n in range(0, len(put), MAX_WHOLE)]
        ready.put = []
    return ready


def _leaf(put: list[Put]) -> Leaf:
    entries = [each.entry for each in put]
    documents = [
        (ms_of(each.entry.dated), searchable_text(each.document)) if each.document else (0, "") for each in put
    ]
    return Leaf(key_of(*entries[0].key), pack(entries), documents)
