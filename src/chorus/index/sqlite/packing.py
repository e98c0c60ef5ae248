"""Entries as bytes: a leaf holds them without their numbers, so that who packs them need not be who gives numbers."""

import sys
from collections.abc import Iterable

import msgspec

from chorus.conversation.items import Order
from chorus.index.rows import Entry, Header, Part

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Unpackable = zstd.ZstdError
"""What damaged leaves raise."""
MOST = 160
"""Entries in a leaf; one that grows beyond is cut in two."""
_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 3, zstd.CompressionParameter.checksum_flag: 1}
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[tuple[Header, tuple[Part, ...], int, int]])
_numbers = msgspec.msgpack.Decoder(list[int])


def key_of(order: Order, item_id: str) -> str:
    """The place of an entry as text that sorts the same."""
    time, rank, stream, offset, index = order
    return f"{time}\x01{rank}\x01{stream}\x01{offset:015d}\x01{index:09d}\x01{item_id}"


def pack(entries: list[Entry]) -> bytes:
    """A leaf of entries, but for their numbers."""
    return squeeze(_encoder.encode([(entry.item, entry.parts, entry.at, entry.digest) for entry in entries]))


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """The numbers of a leaf's entries, each as the step from the one before; an entry that has none makes none."""
    steps: list[int] = []
    last = 0
    for number in numbers:
        steps.append(number and number - last)
        last = number or last
    return _encoder.encode(steps)


def unpack(data: bytes, numbers: bytes) -> list[Entry]:
    """The entries of a leaf; what cannot be one raises `Unpackable` or an error of msgspec."""
    stored, steps = _decoder.decode(unsqueeze(data)), _numbers.decode(numbers)
    if len(stored) != len(steps):
        raise Unpackable("a leaf without the numbers of its entries")
    entries: list[Entry] = []
    last = 0
    for (item, parts, at, digest), step in zip(stored, steps, strict=True):
        last += step
        entries.append(Entry(item, parts, at, last if step else 0, digest))
    return entries


def squeeze(data: bytes) -> bytes:
    """Anything packed as leaves are."""
    return zstd.compress(data, options=_OPTIONS)


def unsqueeze(data: bytes) -> bytes:
    return zstd.decompress(data)
