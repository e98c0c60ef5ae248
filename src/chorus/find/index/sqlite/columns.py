"""The entries of a leaf by columns: what is alike lies together, which packs best.

Every line of this runs for every entry of a first pass: whole columns are made by what the interpreter does in one go.
"""

from collections.abc import Sequence
from itertools import accumulate
from operator import add, sub

from msgspec import Raw, Struct

from chorus.core.conversation.items import Order
from chorus.find.index.rows import RESULT, Entry, Header, Part
from chorus.find.index.sqlite.fields import KINDS, columns_of, items_of
from chorus.find.index.sqlite.ids import Ids
from chorus.find.index.sqlite.likeness import Orders, Places, Told, like, turned, unlike

_KIND = {kind: n for n, kind in enumerate(KINDS)}


class Parts(Struct, array_like=True, gc=False):
    """The parts of all entries of a leaf, one after the other."""

    counts: list[int]
    """How many each entry has."""
    ids: Ids
    orders: Orders
    places: Places
    leads: list[int]
    """How much further ahead of its offset each is kept than its entry is."""
    kinds: list[str]
    calls: list[Told]

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Parts":
        counts = [len(entry.parts) for entry in entries]
        parts = [part for entry in entries for part in entry.parts]
        owners = _repeated(entries, counts)
        orders, others = [part.order for part in parts], [owner.item.order for owner in owners]
        kinds = [part.kind for part in parts]
        calls = [part.call for part in parts]
        return cls(
            counts,
            Ids.of(unlike([part.id for part in parts], _part_ids(owners, kinds, calls))),
            Orders.of(orders, others),
            Places.of([part.place for part in parts], orders),
            list(map(sub, _leads(parts, orders), _leads(owners, others))),
            kinds,
            unlike(calls, _calls_of(owners)),
        )

    def give(self, entries: Sequence[Entry], start: int) -> None:
        """Give each entry its own; these are the entries from `start` on."""
        counts = self.counts[start : start + len(entries)]
        first = sum(self.counts[:start])
        some = slice(first, first + sum(counts))
        owners = _repeated(entries, counts)
        others = [owner.item.order for owner in owners]
        orders = self.orders.values(some, others)
        kinds = self.kinds[some]
        calls = like(self.calls[some], _calls_of(owners))
        ids = like(self.ids.column(some), _part_ids(owners, kinds, calls))
        leads = map(add, self.leads[some], _leads(owners, others))
        ats = [lead + order[3] for lead, order in zip(leads, orders, strict=True)]
        parts = list(map(Part, ids, orders, self.places.values(some, orders), ats, kinds, calls))
        end = 0
        for entry, count in zip(entries, counts, strict=True):
            if count:
                entry.parts = tuple(parts[end : end + count])
                end += count


class Columns(Struct, array_like=True, gc=False):
    """The entries of a leaf, but for their numbers."""

    kinds: list[int]
    times: list[str]
    ranks: list[int]
    streams: list[str]
    """Those there are."""
    stream: list[int]
    """Which of them it is; empty where there is but one."""
    offsets: list[int]
    """Each as the step from the one before."""
    indexes: list[int]
    leads: list[int]
    """How far ahead of its offset each is kept, as steps: envelopes are nearly as long as each other."""
    digests: list[int]
    items: list[Raw]
    """For each of `KINDS`, its fields but for the order as columns; None for those of which nothing is said."""
    parts: Parts

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Columns":
        kinds = [_KIND[type(entry.item)] for entry in entries]
        orders = [entry.item.order for entry in entries]
        times, ranks, streams, offsets, indexes = turned(orders, 5)
        names = {name: n for n, name in enumerate(dict.fromkeys(streams))}
        leads = _leads(entries, orders)
        of_kind: list[list[Header]] = [[] for _ in KINDS]
        for kind, entry in zip(kinds, entries, strict=True):
            of_kind[kind].append(entry.item)
        return cls(
            kinds,
            times,
            ranks,
            list(names),
            [names[stream] for stream in streams] if len(names) > 1 else [],
            list(map(sub, offsets, [0, *offsets])),
            indexes,
            list(map(sub, leads, [0, *leads])),
            [entry.digest for entry in entries],
            list(map(columns_of, KINDS, of_kind)),
            Parts.of(entries),
        )

    def orders(self) -> list[Order]:
        """Of all entries."""
        which = self.stream or [0] * len(self.kinds)
        streams = [self.streams[n] for n in which]
        return list(zip(self.times, self.ranks, streams, accumulate(self.offsets), self.indexes, strict=True))

    def entries(self, orders: list[Order], start: int, stop: int) -> list[Entry]:
        """Some of what `of` was given, with the orders of all.

        What it cannot have been given raises an error of Python's own, or one of msgspec.
        """
        kinds = self.kinds[start:stop]
        waiting = {n: iter(self._items_of(n, orders, start, stop)) for n in set(kinds)}
        ats = [lead + order[3] for lead, order in zip(accumulate(self.leads), orders, strict=True)][start:stop]
        found = [
            Entry(next(waiting[kind]), (), at, 0, digest)
            for kind, at, digest in zip(kinds, ats, self.digests[start:stop], strict=True)
        ]
        self.parts.give(found, start)
        return found

    def _items_of(self, n: int, orders: list[Order], start: int, stop: int) -> list[Header]:
        """The items of one kind among those entries."""
        own = [order for order, kind in zip(orders, self.kinds, strict=True) if kind == n]
        first = self.kinds[:start].count(n)
        return items_of(KINDS[n], self.items[n], own, slice(first, first + self.kinds[start:stop].count(n)))


def _leads(some: Sequence[Entry | Part], orders: Sequence[Order]) -> list[int]:
    """How far ahead of its offset in the source each is kept in the vault."""
    return [one.at - order[3] for one, order in zip(some, orders, strict=True)]


def _part_ids(owners: list[Entry], kinds: list[str], calls: list[str | None]) -> list[str]:
    """What the ids of parts are expected to be."""
    return [
        f"{RESULT}:{call}" if kind == RESULT else f"{getattr(owner.item, 'uuid', None)}:0"
        for owner, kind, call in zip(owners, kinds, calls, strict=True)
    ]


def _calls_of(owners: list[Entry]) -> list[str | None]:
    """What the calls of parts are expected to be."""
    return [getattr(owner.item, "tool_use_id", None) for owner in owners]


def _repeated(entries: Sequence[Entry], counts: list[int]) -> list[Entry]:
    """Each entry as many times as it has parts."""
    return [entry for entry, count in zip(entries, counts, strict=True) for _ in range(count)]
