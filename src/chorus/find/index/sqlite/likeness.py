"""Columns that are expected to be like others: what another column tells already is left out."""

from collections.abc import Iterable, Sequence
from operator import add, sub
from typing import Any

from msgspec import Struct

from chorus.core.conversation.items import Order
from chorus.core.records.place import Place

Told = str | bool | None
"""A value that is expected to be another's: None where it is, False where there is none although one was expected."""


class Places(Struct, array_like=True, gc=False):
    """Places that are expected to be those of orders."""

    streams: list[Told]
    offsets: list[int]
    lengths: list[int]

    @classmethod
    def of(cls, places: Sequence[Place], orders: Sequence[Order]) -> "Places":
        return cls(
            unlike([place.stream for place in places], [order[2] for order in orders]),
            [place.offset - order[3] for place, order in zip(places, orders, strict=True)],
            [place.length for place in places],
        )

    def values(self, some: slice, orders: Sequence[Order]) -> list[Place]:
        """Some of them, by their orders."""
        streams = like(self.streams[some], [order[2] for order in orders])
        offsets = [offset + order[3] for offset, order in zip(self.offsets[some], orders, strict=True)]
        return list(map(Place, streams, offsets, self.lengths[some]))


class Orders(Struct, array_like=True, gc=False):
    """Orders that are expected to be like others, but for their last number."""

    times: list[Told]
    ranks: list[int]
    streams: list[Told]
    offsets: list[int]
    indexes: list[int]

    @classmethod
    def of(cls, orders: Sequence[Order], others: Sequence[Order]) -> "Orders":
        times, ranks, streams, offsets, indexes = turned(orders, 5)
        other_times, _, other_streams, other_offsets, _ = turned(others, 5)
        return cls(
            unlike(times, other_times),
            ranks,
            unlike(streams, other_streams),
            list(map(sub, offsets, other_offsets)),
            indexes,
        )

    def values(self, some: slice, others: Sequence[Order]) -> list[Order]:
        """Some of them, by those that they are like."""
        other_times, _, other_streams, other_offsets, _ = turned(others, 5)
        times, streams = like(self.times[some], other_times), like(self.streams[some], other_streams)
        offsets = map(add, self.offsets[some], other_offsets)
        return list(zip(times, self.ranks[some], streams, offsets, self.indexes[some], strict=True))


def turned(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """The columns of rows, also of none."""
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]


def unlike(values: Iterable[str | None], expected: Iterable[str | None]) -> list[Told]:
    """The values, but for those that are as expected."""
    return [
        None if value == other else False if value is None else value
        for value, other in zip(values, expected, strict=True)
    ]


def like(told: Iterable[Told], expected: Iterable[str | None]) -> list[Any]:
    """What `unlike` was given."""
    return [
        other if value is None else None if value is False else value
        for value, other in zip(told, expected, strict=True)
    ]
