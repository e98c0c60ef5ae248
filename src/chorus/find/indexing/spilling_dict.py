"""Dictionaries that keep only recently used values in memory.

The state of an active conversation grows with it, and nearly all lookups concern its last lines. Values that were not
used lately are compressed and written to a file; a lookup loads them again. Each spilled key takes eight bytes of
memory: a hash of 44 bits and the number of the piece that contains it.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

import msgspec

from chorus.core.records.bounded import encoded
from chorus.find.index.sqlite.packing import compress, decompress
from chorus.keep.vault.spill_file import SpillFile

HOT = 128
"""The number of values that a dictionary keeps in memory at least; it keeps at most twice as many."""
_PIECE_BITS = 20
_PIECE = (1 << _PIECE_BITS) - 1
_KEY = (1 << (64 - _PIECE_BITS)) - 1
_RUNS = 8
_MISSING: Any = object()
_Value = TypeVar("_Value")


class Packed(msgspec.Struct):
    """A dictionary as bytes."""

    pieces: list[bytes]
    """In the order they were spilled: if a key is in several pieces, the last one is valid."""
    gone: list[str]
    """Keys that are in a piece before the last and were removed."""

    def whole(self, decoder: msgspec.msgpack.Decoder[Any]) -> dict[str, Any]:
        """Returns the dictionary that was packed."""
        found = _unpacked(self.pieces[:-1], decoder)
        for key in self.gone:
            found.pop(key, None)
        return found | _unpacked(self.pieces[-1:], decoder)


class SpillingDict(dict[str, _Value], Generic[_Value]):
    """A dictionary that `spill` makes smaller. Values must not be changed in place after it."""

    def __init__(self, aside: SpillFile, values: dict[str, _Value], decoder: msgspec.msgpack.Decoder[Any]) -> None:
        """`decoder` decodes a list of (key, value) pairs."""
        super().__init__(values)
        self._aside = aside
        self._decoder = decoder
        self._pieces: list[int] = []
        """Numbers of the spilled pieces, in the order they were spilled."""
        self._runs: list[array[int]] = []
        """Which keys are spilled and in which piece, sorted; the last run was spilled last."""
        self._gone: set[str] = set()
        """Keys that are spilled and were removed."""
        self._count = len(values)
        self._recent: tuple[int, dict[str, _Value]] | None = None
        """The piece that was read last. A value that was loaded from it and changed is spilled in a later piece."""

        self._missed: str | None = None
        """The last key that was not found: often the caller sets it next."""

    def spill(self) -> None:
        """Spills what was not used lately, if there is much."""
        if dict.__len__(self) <= 2 * HOT or len(self._pieces) >= _PIECE:
            return
        old = list(islice(dict.items(self), dict.__len__(self) - HOT))
        number = self._aside.put(compress(encoded(old)))
        if number is None:
            return
        piece = len(self._pieces)
        self._pieces.append(number)
        self._runs.append(array("Q", sorted(_known_by(key) << _PIECE_BITS | piece for key, _ in old)))
        while len(self._runs) > 1 and (len(self._runs) > _RUNS or len(self._runs[-2]) <= 2 * len(self._runs[-1])):
            last = self._runs.pop()
            self._runs[-1] = array("Q", sorted([*self._runs[-1], *last]))
        for key, _ in old:
            dict.__delitem__(self, key)

    def whole(self) -> dict[str, _Value]:
        """Returns everything as a new dictionary."""
        found = _unpacked(map(self._aside.get, self._pieces), self._decoder)
        for key in self._gone:
            found.pop(key, None)
        found.update(dict.items(self))
        return found

    def packed(self) -> "Packed":
        """Returns everything in compressed form: spilled pieces stay as they are."""
        pieces = [*map(self._aside.get, self._pieces), compress(encoded(list(dict.items(self))))]
        return Packed(pieces, sorted(self._gone))

    @property
    def values_in_memory(self) -> int:
        """The number of values in memory."""
        return dict.__len__(self)

    def get(self, key: str, default: Any = None) -> Any:
        found = dict.get(self, key, _MISSING)
        if found is _MISSING and self._runs and key != self._missed:
            found = self._fetch(key)
            if found is _MISSING:
                self._missed = key
        return default if found is _MISSING else found

    def __getitem__(self, key: str) -> _Value:
        found = self.get(key, _MISSING)
        if found is _MISSING:
            raise KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self, key) or (isinstance(key, str) and self.get(key, _MISSING) is not _MISSING)

    def __setitem__(self, key: str, value: _Value) -> None:
        if key not in self:
            self._count += 1
            self._gone.discard(key)
        self._missed = None
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def pop(self, key: str, default: Any = _MISSING) -> Any:
        found = self.get(key, _MISSING)
        if found is _MISSING:
            if default is _MISSING:
                raise KeyError(key)
            return default
        dict.pop(self, key)
        self._count -= 1
        if next(self._places(key), None) is not None:
            self._gone.add(key)
        return found

    def setdefault(self, key: str, default: Any = None) -> Any:
        found = self.get(key, _MISSING)
        if found is _MISSING:
            self[key] = found = default
        return found

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return self._count > 0

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole())

    def keys(self) -> Any:
        return self.whole().keys()

    def values(self) -> Any:
        return self.whole().values()

    def items(self) -> Any:
        return self.whole().items()

    def _fetch(self, key: str) -> Any:
        """Loads a spilled value; returns `_MISSING` if there is none."""
        if key in self._gone:
            return _MISSING
        for piece in self._places(key):
            if self._recent is None or self._recent[0] != piece:
                data = decompress(self._aside.get(self._pieces[piece]))
                self._recent = piece, dict(self._decoder.decode(data))
            found = self._recent[1].get(key, _MISSING)
            if found is not _MISSING:
                dict.__setitem__(self, key, found)
                return found
        return _MISSING

    def _places(self, key: str) -> Iterator[int]:
        """Yields the pieces that may contain a key, the last first."""
        first = _known_by(key) << _PIECE_BITS
        for run in reversed(self._runs):
            at = bisect_left(run, first)
            found: list[int] = []
            while at < len(run) and run[at] <= first | _PIECE:
                found.append(run[at] & _PIECE)
                at += 1
            yield from reversed(found)


def _unpacked(pieces: Iterable[bytes], decoder: msgspec.msgpack.Decoder[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for piece in pieces:
        found.update(decoder.decode(decompress(piece)))
    return found


def _known_by(key: str) -> int:
    # Spilled data does not outlive the process, and neither does the key of its hashes.
    return hash(key) & _KEY


def spill(owner: Any, aside: SpillFile, decoders: dict[str, msgspec.msgpack.Decoder[Any]]) -> None:
    """Spills the dictionaries that an object has under these names; converts them to SpillingDict first, if they are
    large.
    """
    for name, decoder in decoders.items():
        values = getattr(owner, name)
        if not isinstance(values, SpillingDict):
            if len(values) <= 2 * HOT:
                continue
            values = SpillingDict(aside, values, decoder)
            setattr(owner, name, values)
        values.spill()


def count_in_memory(owner: Any, names: Iterable[str]) -> int:
    """Returns the number of values of these dictionaries in memory."""
    return sum(dict.__len__(getattr(owner, name)) for name in names)


def decoder_of(value: Any) -> msgspec.msgpack.Decoder[Any]:
    """Returns a decoder for the spilled pieces of a dictionary with such values."""
    return msgspec.msgpack.Decoder(list[tuple[str, value]])
