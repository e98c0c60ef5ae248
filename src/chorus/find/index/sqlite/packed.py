"""A whole conversation made ready by who projected it: who writes the index has but to number it and store it."""

from msgspec import Struct, structs

from chorus.find.index.rows import Put, Writing
from chorus.find.index.sqlite.packing import MAX_WHOLE, key_of, pack
from chorus.find.index.sqlite.words import said
from chorus.find.index.times import ms_of


class Leaf(Struct, array_like=True, gc=False):
    """Some entries in order."""

    first: str
    """The key of the first one."""
    data: bytes
    documents: list[tuple[int, str]]
    """Of each entry its time in milliseconds and all that is asked of it: "" when it cannot be searched for."""


class Packed(Writing, kw_only=True):
    """A writing whose entries are, if it is whole, in `leaves` instead of in `put`."""

    leaves: list[Leaf]

    @property
    def chars(self) -> int:
        return super().chars + sum(len(said) for leaf in self.leaves for _, said in leaf.documents)


def packed(writing: Writing) -> Packed:
    """The same writing, made ready."""
    ready = Packed(**structs.asdict(writing), leaves=[])
    if writing.is_whole:
        put = sorted(writing.put, key=lambda each: each.entry.key)
        ready.leaves = [_leaf(put[n : n + MAX_WHOLE]) for n in range(0, len(put), MAX_WHOLE)]
        ready.put = []
    return ready


def _leaf(put: list[Put]) -> Leaf:
    entries = [each.entry for each in put]
    documents = [(ms_of(each.entry.dated), said(each.document)) if each.document else (0, "") for each in put]
    return Leaf(key_of(*entries[0].key), pack(entries), documents)
