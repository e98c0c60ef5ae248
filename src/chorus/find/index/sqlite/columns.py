"""Stores the entries of a leaf column by column, because similar values next to each other compress best.

All of this runs for every entry of a first pass. Therefore whole columns are built with operations that the interpreter
does in one call.
"""

from collections.abc import Sequence
from itertools import accumulate
from operator import add, sub

from msgspec import Raw, Struct

from chorus.core.conversation.items import Order
from chorus.find.index.rows import RESULT, Entry, Header, Part
from chorus.find.index.sqlite.fields import KINDS, columns_of, items_of
from chorus.find.index.sqlite.ids import Ids
from chorus.find.index.sqlite.likeness import Difference, Orders, Places, differences, restored, transposed

_KIND = {kind: n for n, kind in enumerate(KINDS)}


class Parts(Struct, array_like=True, gc=False):
    """The parts of all entries of a leaf, one after the other."""

    counts: list[int]
    """The number of parts of each entry."""
    ids: Ids
    orders: Orders
    places: Places
    leads: list[int]
    """For each part, its distance to its offset in the source (see `_leads`), minus that of its entry."""
    kinds: list[str]
    calls: list[Difference]

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
            Ids.of(differences([part.id for part in parts], _part_ids(owners, kinds, calls))),
            Orders.of(orders, others),
            Places.of([part.place for part in parts], orders),
            list(map(sub, _leads(parts, orders), _leads(owners, others))),
            kinds,
            differences(calls, _calls_of(owners)),
        )

    def give(self, entries: Sequence[Entry], start: int) -> None:
        """Assigns its parts to each entry; these are the entries from `start` on."""
        counts = self.counts[start : start + len(entries)]
        first = sum(self.counts[:start])
        some = slice(first, first + sum(counts))
        owners = _repeated(entries, counts)
        others = [owner.item.order for owner in owners]
        orders = self.orders.values(some, others)
        kinds = self.kinds[some]
        calls = restored(self.calls[some], _calls_of(owners))
        ids = restored(self.ids.column(some), _part_ids(owners, kinds, calls))
        leads = map(add, self.leads[some], _leads(owners, others))
        ats = [lead + order[3] for lead, order in zip(leads, orders, strict=True)]
        parts = list(map(Part, ids, orders, self.places.values(some, orders), ats, kinds, calls))
        end = 0
        for entry, count in zip(entries, counts, strict=True):
            if count:
                entry.parts = tuple(parts[end : end + count])
                end += count


class Columns(Struct, array_like=True, gc=False):
    """The entries of a leaf, without their numbers."""

    kinds: list[int]
    times: list[str]
    ranks: list[int]
    streams: list[str]
    """The distinct stream names."""
    stream: list[int]
    """The position of each entry's stream in `streams`; empty if there is only one."""
    offsets: list[int]
    """Each as the difference to the one before."""
    indexes: list[int]
    leads: list[int]
    """The difference between vault position and source offset of each entry, stored as steps: envelopes have similar
    lengths.
    """
    digests: list[int]
    items: list[Raw]
    """For each of `KINDS`, its fields except the order, as columns; None for columns that contain only defaults."""
    parts: Parts

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Columns":
        kinds = [_KIND[type(entry.item)] for entry in entries]
        orders = [entry.item.order for entry in entries]
        times, ranks, streams, offsets, indexes = transposed(orders, 5)
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
        """Returns the orders of all entries."""
        which = self.stream or [0] * len(self.kinds)
        streams = [self.streams[n] for n in which]
        return list(zip(self.times, self.ranks, streams, accumulate(self.offsets), self.indexes, strict=True))

    def entries(self, orders: list[Order], start: int, stop: int) -> list[Entry]:
        """Rebuilds the entries from `start` to `stop`; `orders` are those of all entries.

        Data that `of` cannot have produced raises an error of Python or of msgspec.
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
        """Rebuilds the items of one kind among those entries."""
        own = [order for order, kind in zip(orders, self.kinds, strict=True) if kind == n]
        first = self.kinds[:start].count(n)
        return items_of(KINDS[n], self.items[n], own, slice(first, first + self.kinds[start:stop].count(n)))


def _leads(some: Sequence[Entry | Part], orders: Sequence[Order]) -> list[int]:
    """Returns, for each, the difference between its position in the vault and its offset in the source."""
    return [one.at - order[3] for one, order in zip(some, orders, strict=True)]


def _part_ids(owners: list[Entry], kinds: list[str], calls: list[str | None]) -> list[str]:
    """Returns the expected ids of parts."""
    return [
        f"{RESULT}:{call}" if kind == RESULT else f"{getattr(owner.item, 'uuid', None)}:0"
        for owner, kind, call in zip(owners, kinds, calls, strict=True)
    ]


def _calls_of(owners: list[Entry]) -> list[str | None]:
    """Returns the expected calls of parts."""
    return [getattr(owner.item, "tool_use_id", None) for owner in owners]


def _repeated(entries: Sequence[Entry], counts: list[int]) -> list[Entry]:
    """Returns each entry as many times as it has parts."""
    return [entry for entry, count in zip(entries, counts, strict=True) for _ in range(count)]
