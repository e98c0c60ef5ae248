"""Stores columns as differences from an expected column: values that equal the expected one are left out."""

from collections.abc import Iterable, Sequence
from operator import add, sub
from typing import Any

from msgspec import Struct

from chorus.core.conversation.items import Order
from chorus.core.records.place import Place

Difference = str | bool | None
"""A value with an expected value: None if they are equal, False if the value is None although another was expected."""


class Places(Struct, array_like=True, gc=False):
    """Places, stored as differences from the places in their orders."""

    streams: list[Difference]
    offsets: list[int]
    lengths: list[int]

    @classmethod
    def of(cls, places: Sequence[Place], orders: Sequence[Order]) -> "Places":
        return cls(
            differences([place.stream for place in places], [order[2] for order in orders]),
            [place.offset - order[3] for place, order in zip(places, orders, strict=True)],
            [place.length for place in places],
        )

    def values(self, some: slice, orders: Sequence[Order]) -> list[Place]:
        """Returns some of the places; `orders` are those of the same slice."""
        streams = restored(self.streams[some], [order[2] for order in orders])
        offsets = [offset + order[3] for offset, order in zip(self.offsets[some], orders, strict=True)]
        return list(map(Place, streams, offsets, self.lengths[some]))


class Orders(Struct, array_like=True, gc=False):
    """Orders, stored as differences from other orders. Ranks and indexes are stored as they are."""

    times: list[Difference]
    ranks: list[int]
    streams: list[Difference]
    offsets: list[int]
    indexes: list[int]

    @classmethod
    def of(cls, orders: Sequence[Order], others: Sequence[Order]) -> "Orders":
        times, ranks, streams, offsets, indexes = transposed(orders, 5)
        other_times, _, other_streams, other_offsets, _ = transposed(others, 5)
        return cls(
            differences(times, other_times),
            ranks,
            differences(streams, other_streams),
            list(map(sub, offsets, other_offsets)),
            indexes,
        )

    def values(self, some: slice, others: Sequence[Order]) -> list[Order]:
        """Returns some of the orders; `others` are the expected orders of the same slice."""
        other_times, _, other_streams, other_offsets, _ = transposed(others, 5)
        times, streams = restored(self.times[some], other_times), restored(self.streams[some], other_streams)
        offsets = map(add, self.offsets[some], other_offsets)
        return list(zip(times, self.ranks[some], streams, offsets, self.indexes[some], strict=True))


def transposed(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """Returns the columns of rows; `width` empty columns if there are no rows."""
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]


def differences(values: Iterable[str | None], expected: Iterable[str | None]) -> list[Difference]:
    """Returns the values, with None for each that is as expected."""
    return [
        None if value == other else False if value is None else value
        for value, other in zip(values, expected, strict=True)
    ]


def restored(differing: Iterable[Difference], expected: Iterable[str | None]) -> list[Any]:
    """Returns the values that `differences` received."""
    return [
        other if value is None else None if value is False else value
        for value, other in zip(differing, expected, strict=True)
    ]
