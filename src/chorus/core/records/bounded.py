"""MessagePack encoding for values that may contain integers of any size.

A record may contain an integer of any length, and a sum may exceed the range of its summands. MessagePack and SQLite
store 64 bits. A larger integer is stored as the nearest one that fits: packed values are projections, and the record
keeps every digit.
"""

from typing import Any

import msgspec

MIN_INTEGER, MAX_INTEGER = -(1 << 63), (1 << 63) - 1
"""The range of integers in SQLite. MessagePack also allows larger positive integers; that range is not used."""
_encoder = msgspec.msgpack.Encoder()


def encoded(value: Any) -> bytes:
    """Returns the value as MessagePack. Values whose integers all fit are encoded in one pass."""
    try:
        return _encoder.encode(value)
    except OverflowError:
        return _encoder.encode(_with_bounded_integers(msgspec.to_builtins(value, builtin_types=(bytes,))))


def bounded(number: int) -> int:
    """Returns the number, or the nearest one that fits into 64 bits."""
    return max(MIN_INTEGER, min(MAX_INTEGER, number))


def _with_bounded_integers(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int():
            return bounded(value)
        case dict():
            return {_with_bounded_integers(key): _with_bounded_integers(each) for key, each in value.items()}
        case list() | tuple():
            return type(value)(map(_with_bounded_integers, value))
        case _:
            return value
