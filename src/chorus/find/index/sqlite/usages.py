"""Usages as they are stored: small, since there is one for each message.

What many have in common (model, tier, and what is known of them) is written once, as a kind that they name.
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
"""Model, tier, whether it is a lower bound, whether it is what a turn reports."""
_QUARTER = timedelta(minutes=15)
_START = datetime(1970, 1, 1, tzinfo=UTC)
_kinds = msgspec.msgpack.Decoder(_Kind)


class _Row(msgspec.Struct, array_like=True):
    kind: int
    quarter: int | str
    """Quarters of an hour since 1970, where these tell it; else as it is written."""
    thread: str
    tokens: tuple[int, ...]
    says: int = 0


_rows = msgspec.msgpack.Decoder(_Row)


class Usages:
    """Writes and reads the usages of one index; the kinds it knows are those of the present transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._kinds: dict[int, _Kind] = {n: _kinds.decode(data) for n, data in connection.execute("SELECT * FROM kind")}
        self._numbers = {kind: n for n, kind in self._kinds.items()}

    def stored(self, usage: Usage) -> bytes:
        """All of a usage but its message."""
        kind = (usage.model, usage.tier, usage.is_lower_bound, usage.is_per_turn)
        number = self._numbers.get(kind)
        if number is None:
            number = self._new(kind)
        row = _Row(number, _counted(quarter(usage.at)), usage.thread, structs.astuple(usage.tokens), usage.start_digest)
        return encoded(row)

    def usage(self, message: str, data: bytes) -> Usage:
        """What was stored; its time is the quarter of an hour that it was in."""
        row = _rows.decode(data)
        try:
            model, tier, is_lower_bound, is_per_turn = self._kinds[row.kind]
            at = (row.quarter if isinstance(row.quarter, str) else _written(row.quarter)) or None
        except (KeyError, OverflowError) as error:
            raise msgspec.ValidationError("a usage that was never stored") from error
        return Usage(message, row.thread, at, model, tier, Tokens(*row.tokens), is_lower_bound, is_per_turn, row.says)

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
