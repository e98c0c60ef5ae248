"""Stores the fields of entries' items as columns, one kind of item after the other."""

from collections.abc import Sequence
from functools import cache
from itertools import islice
from types import GenericAlias
from typing import Any, get_type_hints

import msgspec
from msgspec import Raw, structs
from msgspec.structs import astuple

from chorus.core.conversation import items
from chorus.core.conversation.items import Order
from chorus.core.records.bounded import encoded
from chorus.find.index.rows import Header, Note
from chorus.find.index.sqlite.ids import Ids
from chorus.find.index.sqlite.likeness import Difference, Places, differences, restored

KINDS: tuple[type[Header], ...] = (
    items.Message,
    items.Call,
    Note,
    items.Turn,
    items.Compaction,
    items.Queued,
    items.Permission,
    items.Agent,
    items.ModeChange,
)
_TIME, _BEFORE = "time of the order", "id of the one before"
_EXPECTED: dict[type, dict[str, tuple[str, str]]] = {
    items.Message: {
        "uuid": ("", "id"),
        "message_id": ("", "id"),
        "parent": ("", _BEFORE),
        "started_at": ("", _TIME),
        "ended_at": ("", "started_at"),
    },
    items.Call: {"id": ("call:", "tool_use_id"), "started_at": ("", _TIME)},
    Note: {"time": ("", _TIME)},
}
"""Field → a prefix, and the field whose value follows it. A field may refer only to fields that are listed before it,
or that are not listed.
"""
_IDS = ("id", "uuid", "block")
_NONE = Raw(encoded(None))


def columns_of(kind: type[Header], some: list[Header]) -> Raw:
    """Encodes the fields of items of one kind."""
    if not some:
        return _NONE
    columns = dict(zip(kind.__struct_fields__, zip(*map(astuple, some), strict=True), strict=True))
    orders = columns.pop("order")
    stored: dict[str, Any] = {
        name: None if column.count(_defaults(kind)[name]) == len(some) else column for name, column in columns.items()
    }
    for name, expected in _EXPECTED.get(kind, {}).items():
        stored[name] = differences(columns[name], _expected(expected, columns, orders))
    for name in _IDS:
        if stored.get(name):
            stored[name] = Ids.of(stored[name])
    if "place" in columns:
        stored["place"] = Places.of(columns["place"], orders)
    return Raw(encoded(list(stored.values())))


def items_of(kind: type[Header], raw: Raw, orders: list[Order], some: slice) -> list[Header]:
    """Rebuilds some of the items that `columns_of` encoded; `orders` are those of all items."""
    # One more item than wanted is rebuilt: the first wanted one may refer to the one before it.
    before = min(1, some.start)
    some = slice(some.start - before, some.stop)
    orders = orders[some]
    stored = zip(_defaults(kind), _decoder(kind).decode(raw), strict=True)
    columns = {name: _some_of(column, some, orders) for name, column in stored if column is not None}
    for name, expected in _EXPECTED.get(kind, {}).items():
        columns[name] = restored(columns[name], _expected(expected, columns, orders))
    columns["order"] = orders
    names = tuple(columns)
    rows = islice(zip(*columns.values(), strict=True), before, None)
    return [kind(**dict(zip(names, row, strict=True))) for row in rows]


def _some_of(column: Ids | Places | list[Any], some: slice, orders: list[Order]) -> list[Any]:
    match column:
        case Ids():
            return column.column(some)
        case Places():
            return column.values(some, orders)
        case _:
            return column[some]


def _expected(how: tuple[str, str], columns: dict[str, Any], orders: Sequence[Order]) -> Sequence[str | None]:
    head, name = how
    if name == _TIME:
        return [order[0] for order in orders]
    if name == _BEFORE:
        return [None, *columns["id"][:-1]]
    values: Sequence[str] = columns[name]
    return [head + value for value in values] if head else values


@cache
def _defaults(kind: type[Header]) -> dict[str, Any]:
    """Returns each field except the order, with its default."""
    return {field.name: field.default for field in structs.fields(kind) if field.name != "order"}


@cache
def _decoder(kind: type[Header]) -> "msgspec.msgpack.Decoder[Any]":
    """Returns a decoder for the columns of a kind of item."""
    types = get_type_hints(kind) | dict.fromkeys(_EXPECTED.get(kind, {}), Difference)
    own = {"place": Places} | dict.fromkeys(_IDS, Ids | None)
    columns: list[Any] = [own.get(name, list[types[name]] | None) for name in _defaults(kind)]
    return msgspec.msgpack.Decoder(GenericAlias(tuple, tuple(columns)))
