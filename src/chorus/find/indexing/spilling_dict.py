"""Dictionaries of which only what was used lately is held in memory.

The state of a conversation at work grows with it, and nearly all that is asked of it is about its last lines. What was
not asked for lately is packed and put aside; asked for again, it comes back. To know what is aside takes eight bytes
for each key: a number of 44 bits by which the key is known, and the piece that holds it.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

import msgspec

from chorus.core.records.bounded import encoded
from chorus.find.index.sqlite.packing import squeeze, unsqueeze
from chorus.keep.vault.spill_file import SpillFile

HOT = 128
"""So many of a dictionary's values are held in any case; twice as many at most."""
_PIECE_BITS = 20
_PIECE = (1 << _PIECE_BITS) - 1
_KEY = (1 << (64 - _PIECE_BITS)) - 1
_RUNS = 8
_MISSING: Any = object()
_Value = TypeVar("_Value")


class Packed(msgspec.Struct):
    """A dictionary as bytes."""

    pieces: list[bytes]
    """In the order they were put aside: of a key that is in several, the last one holds."""
    gone: list[str]
    """Keys of all pieces but the last that are there no more."""

    def whole(self, decoder: msgspec.msgpack.Decoder[Any]) -> dict[str, Any]:
        """The dictionary that was packed."""
        found = _unpacked(self.pieces[:-1], decoder)
        for key in self.gone:
            found.pop(key, None)
        return found | _unpacked(self.pieces[-1:], decoder)


class Spilling(dict[str, _Value], Generic[_Value]):
    """A dictionary that `spill` makes small. Values may be changed in place until then, and no longer."""

    def __init__(self, aside: SpillFile, values: dict[str, _Value], decoder: msgspec.msgpack.Decoder[Any]) -> None:
        """`decoder` reads a list of pairs of a key and a value."""
        super().__init__(values)
        self._aside = aside
        self._decoder = decoder
        self._pieces: list[int] = []
        """Numbers of the pieces that are aside, in the order they were put there."""
        self._runs: list[array[int]] = []
        """Which keys are aside and in which piece, sorted; those put aside last come last."""
        self._gone: set[str] = set()
        """Keys that are aside and were taken out."""
        self._count = len(values)
        self._recent: tuple[int, dict[str, _Value]] | None = None
        """The piece that was read last. What was brought back from it and changed is put aside in a later one."""

        self._missed: str | None = None
        """The key that was asked for last and is not there: who asks for a key often puts it next."""

    def spill(self) -> None:
        """Put aside what was not asked for lately, where there is much."""
        if dict.__len__(self) <= 2 * HOT or len(self._pieces) >= _PIECE:
            return
        old = list(islice(dict.items(self), dict.__len__(self) - HOT))
        number = self._aside.put(squeeze(encoded(old)))
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
        """All of it, as a dictionary of its own."""
        found = _unpacked(map(self._aside.get, self._pieces), self._decoder)
        for key in self._gone:
            found.pop(key, None)
        found.update(dict.items(self))
        return found

    def packed(self) -> "Packed":
        """All of it in little room: what is aside stays packed as it is."""
        pieces = [*map(self._aside.get, self._pieces), squeeze(encoded(list(dict.items(self))))]
        return Packed(pieces, sorted(self._gone))

    @property
    def held(self) -> int:
        """How many values are in memory."""
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
        """Bring a value back that is aside; `_MISSING` when there is none."""
        if key in self._gone:
            return _MISSING
        for piece in self._places(key):
            if self._recent is None or self._recent[0] != piece:
                data = unsqueeze(self._aside.get(self._pieces[piece]))
                self._recent = piece, dict(self._decoder.decode(data))
            found = self._recent[1].get(key, _MISSING)
            if found is not _MISSING:
                dict.__setitem__(self, key, found)
                return found
        return _MISSING

    def _places(self, key: str) -> Iterator[int]:
        """The pieces that may hold a key, the last first."""
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
        found.update(decoder.decode(unsqueeze(piece)))
    return found


def _known_by(key: str) -> int:
    # What is aside is gone with the process, and so is what its hashes are keyed with.
    return hash(key) & _KEY


def spill(owner: Any, aside: SpillFile, decoders: dict[str, msgspec.msgpack.Decoder[Any]]) -> None:
    """Make the dictionaries small that an object has under these names; at first, make them such that can be."""
    for name, decoder in decoders.items():
        held = getattr(owner, name)
        if not isinstance(held, Spilling):
            if len(held) <= 2 * HOT:
                continue
            held = Spilling(aside, held, decoder)
            setattr(owner, name, held)
        held.spill()


def values_held(owner: Any, names: Iterable[str]) -> int:
    """How many values of these dictionaries are in memory."""
    return sum(dict.__len__(getattr(owner, name)) for name in names)


def decoder_of(value: Any) -> msgspec.msgpack.Decoder[Any]:
    """Reads what was put aside of a dictionary with such values."""
    return msgspec.msgpack.Decoder(list[tuple[str, value]])
