"""Values as MessagePack, whatever integers are in them.

A record may hold an integer of any length, and sums may grow beyond what they are made of. MessagePack and SQLite
store 64 bits. A larger integer is stored as the nearest one that fits: what is packed is a projection, and the record
keeps every digit.
"""

from typing import Any

import msgspec

LEAST, MOST = -(1 << 63), (1 << 63) - 1
"""What SQLite can store. MessagePack stores as much again on the positive side, which is not used."""
_encoder = msgspec.msgpack.Encoder()


def encoded(value: Any) -> bytes:
    """The value as MessagePack; costs nothing extra as long as every integer fits."""
    try:
        return _encoder.encode(value)
    except OverflowError:
        return _encoder.encode(_fitting(msgspec.to_builtins(value, builtin_types=(bytes,))))


def bounded(number: int) -> int:
    """The number, or the nearest one that fits."""
    return max(LEAST, min(MOST, number))


def _fitting(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int():
            return bounded(value)
        case dict():
            return {_fitting(key): _fitting(each) for key, each in value.items()}
        case list() | tuple():
            return type(value)(map(_fitting, value))
        case _:
            return value
