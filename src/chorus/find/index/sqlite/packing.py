"""Entries as bytes: a leaf holds them without their numbers, so that who packs them need not be who gives numbers."""

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
"""What damaged leaves raise."""
MOST = 160
"""Entries in a leaf; one that grows beyond is cut in two."""
MAX_LAST = MOST // 2 + 16
"""Entries in the last leaf, which is packed again with every line of a conversation at work."""
MAX_WHOLE = 320
"""Entries in a leaf that is made with its whole conversation: what does not grow packs better in large leaves."""
_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 3, zstd.CompressionParameter.checksum_flag: 1}
_decoder = msgspec.msgpack.Decoder(Columns)
_numbers = msgspec.msgpack.Decoder(list[int])
_MIXED_UP = (ValueError, LookupError, TypeError)


def key_of(order: Order, item_id: str) -> str:
    """The place of an entry as text that sorts the same."""
    time, rank, stream, offset, index = order
    return f"{time}\x01{rank}\x01{stream}\x01{offset:015d}\x01{index:09d}\x01{item_id}"


def pack(entries: list[Entry]) -> bytes:
    """A leaf of entries, but for their numbers."""
    return squeeze(encoded(Columns.of(entries)))


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """The numbers of a leaf's entries, each as the step from the one before; an entry that has none makes none."""
    steps: list[int] = []
    last = 0
    for number in numbers:
        steps.append(number and number - last)
        last = number or last
    return encoded(steps)


def unpack(data: bytes, numbers: bytes) -> list[Entry]:
    """The entries of a leaf; what cannot be one raises `Unpackable` or an error of msgspec."""
    return Unpacked(data, numbers).entries()


def unpack_numbers(numbers: bytes) -> list[int]:
    """What `pack_numbers` was given."""
    found: list[int] = []
    last = 0
    for step in _numbers.decode(numbers):
        last += step
        found.append(last if step else 0)
    return found


class Unpacked:
    """A leaf of which only those entries are made that are asked for."""

    def __init__(self, data: bytes, numbers: bytes) -> None:
        self._columns = _decoder.decode(unsqueeze(data))
        self._numbers = unpack_numbers(numbers)
        if len(self._columns.kinds) != len(self._numbers):
            raise Unpackable("a leaf without the numbers of its entries")
        try:
            self.orders = self._columns.orders()
        except _MIXED_UP as error:
            raise Unpackable(f"a leaf whose columns do not belong together: {error}") from error

    def entries(self, start: int = 0, stop: int | None = None) -> list[Entry]:
        """Those from `start` until `stop`, or the end."""
        stop = len(self.orders) if stop is None else min(stop, len(self.orders))
        start = max(0, start)
        try:
            found = self._columns.entries(self.orders, start, stop)
        except _MIXED_UP as error:
            raise Unpackable(f"a leaf whose columns do not belong together: {error}") from error
        for entry, number in zip(found, self._numbers[start:stop], strict=True):
            entry.number = number
        return found


def squeeze(data: bytes) -> bytes:
    """Anything packed as leaves are."""
    return zstd.compress(data, options=_OPTIONS)


def unsqueeze(data: bytes) -> bytes:
    return zstd.decompress(data)
