"""Encodes usages in few bytes, because there is one for each message.

What many usages share (model, tier and two flags) is stored once, as a kind that they refer to.
"""

import sqlite3
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import msgspec
from msgspec import structs

from chorus.core.conversation.items import Tokens
from chorus.core.records.bounded import encoded
from chorus.core.spending.periods import quarter
from chorus.core.spending.rows import Usage

_Kind = tuple[str | None, str | None, bool, bool]
"""Model, tier, whether it is a lower bound, whether a turn reports it."""
_QUARTER = timedelta(minutes=15)
_START = datetime(1970, 1, 1, tzinfo=UTC)
_kinds = msgspec.msgpack.Decoder(_Kind)


class _Row(msgspec.Struct, array_like=True):
    kind: int
    quarter: int | str
    """Quarters of an hour since 1970, if that represents it exactly; else the original text."""
    thread: str
    tokens: tuple[int, ...]
    says: int = 0
    turn: int = 0
    """The number of its turn in this index; see `turns`."""


_rows = msgspec.msgpack.Decoder(_Row)


class Usages:
    """Writes and reads the usages of one index; the known kinds are those of the current transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._kinds: dict[int, _Kind] = {n: _kinds.decode(data) for n, data in connection.execute("SELECT * FROM kind")}
        self._numbers = {kind: n for n, kind in self._kinds.items()}

    def stored(self, usage: Usage) -> bytes:
        """Encodes a usage without its message; its turn is a number, as text."""
        kind = (usage.model, usage.tier, usage.is_lower_bound, usage.is_per_turn)
        number = self._numbers.get(kind)
        if number is None:
            number = self._new(kind)
        row = _Row(number, _counted(quarter(usage.at)), usage.thread, structs.astuple(usage.tokens))
        row.says, row.turn = usage.start_digest, int(usage.turn or 0)
        return encoded(row)

    def usage(self, message: str, data: bytes) -> Usage:
        """Decodes a usage; its time is the quarter of an hour it was in."""
        row = _rows.decode(data)
        try:
            model, tier, is_lower_bound, is_per_turn = self._kinds[row.kind]
            at = (row.quarter if isinstance(row.quarter, str) else _written(row.quarter)) or None
        except (KeyError, OverflowError) as error:
            raise msgspec.ValidationError("a usage of an unknown kind or time") from error
        tokens, turn = Tokens(*row.tokens), str(row.turn or "")
        return Usage(message, row.thread, at, model, tier, tokens, is_lower_bound, is_per_turn, row.says, turn)

    def _new(self, kind: _Kind) -> int:
        number = self._connection.execute("INSERT INTO kind VALUES (NULL, ?)", (encoded(kind),)).lastrowid or 0
        self._kinds[number], self._numbers[kind] = kind, number
        return number


@lru_cache(1 << 10)
def _counted(text: str) -> int | str:
    try:
        number = (datetime.fromisoformat(text).replace(tzinfo=UTC) - _START) // _QUARTER
    except ValueError:
        return text
    return number if _written(number) == text else text


@lru_cache(1 << 10)
def _written(number: int) -> str:
    return f"{_START + number * _QUARTER:%Y-%m-%dT%H:%M}"
