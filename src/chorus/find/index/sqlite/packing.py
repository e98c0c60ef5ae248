"""Packs entries into bytes. A leaf does not contain their numbers, so that any process can pack it."""

import sys
from collections.abc import Iterable

import msgspec

from chorus.core.conversation.items import Order
from chorus.core.records.bounded import encoded
from chorus.find.index.rows import Entry
from chorus.find.index.sqlite.columns import Columns

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Unpackable = zstd.ZstdError
"""The error that damaged leaves raise."""
MAX_LEAF = 160
"""The maximum number of entries in a leaf; a larger one is split in two."""
MAX_LAST = MAX_LEAF // 2 + 16
"""The maximum for the last leaf, which is packed again with every new line of an active conversation."""
MAX_WHOLE = 320
"""The maximum for a leaf that is packed with its whole conversation: large leaves compress better and do not grow."""
_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 3, zstd.CompressionParameter.checksum_flag: 1}
_decoder = msgspec.msgpack.Decoder(Columns)
_numbers = msgspec.msgpack.Decoder(list[int])
_MIXED_UP = (ValueError, LookupError, TypeError)


def key_of(order: Order, item_id: str) -> str:
    """Returns the position of an entry as a text that sorts the same way."""
    time, rank, stream, offset, index = order
    return f"{time}\x01{rank}\x01{stream}\x01{offset:015d}\x01{index:09d}\x01{item_id}"


def pack(entries: list[Entry]) -> bytes:
    """Packs a leaf of entries, without their numbers."""
    return compress(encoded(Columns.of(entries)))


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Packs the numbers of a leaf's entries, each as the difference to the one before; an entry without a number
    becomes 0.
    """
    steps: list[int] = []
    last = 0
    for number in numbers:
        steps.append(number and number - last)
        last = number or last
    return encoded(steps)


def unpack(data: bytes, numbers: bytes) -> list[Entry]:
    """Returns the entries of a leaf; invalid data raises `Unpackable` or an error of msgspec."""
    return Unpacked(data, numbers).entries()


def unpack_numbers(numbers: bytes) -> list[int]:
    """Returns the numbers that `pack_numbers` received."""
    found: list[int] = []
    last = 0
    for step in _numbers.decode(numbers):
        last += step
        found.append(last if step else 0)
    return found


class Unpacked:
    """A leaf that rebuilds only the requested entries."""

    def __init__(self, data: bytes, numbers: bytes) -> None:
        self._columns = _decoder.decode(decompress(data))
        self._numbers = unpack_numbers(numbers)
        if len(self._columns.kinds) != len(self._numbers):
            raise Unpackable("a leaf with a different number of entries than numbers")
        try:
            self.orders = self._columns.orders()
        except _MIXED_UP as error:
            raise Unpackable(f"the columns of a leaf do not fit together: {error}") from error

    def entries(self, start: int = 0, stop: int | None = None) -> list[Entry]:
        """Returns the entries from `start` to `stop`, or to the end."""
        stop = len(self.orders) if stop is None else min(stop, len(self.orders))
        start = max(0, start)
        try:
            found = self._columns.entries(self.orders, start, stop)
        except _MIXED_UP as error:
            raise Unpackable(f"the columns of a leaf do not fit together: {error}") from error
        for entry, number in zip(found, self._numbers[start:stop], strict=True):
            entry.number = number
        return found


def compress(data: bytes) -> bytes:
    """Compresses data the way leaves are compressed."""
    return zstd.compress(data, options=_OPTIONS)


def decompress(data: bytes) -> bytes:
    return zstd.decompress(data)
