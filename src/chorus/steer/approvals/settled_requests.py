"""The settled requests of a ledger as a checkpoint keeps them: found by id or by number without reading the others.

It has no authority: a row is made of the lines of the ledger itself, each of which is compared with its digest when it
is read. What does not fit makes the ledger be read from its beginning.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.keep.vault import checkpoint
from chorus.keep.vault.checkpoint import Table
from chorus.keep.vault.journal import Entry, Flaw, Position
from chorus.steer.approvals.model import Answered, Effect, State

NAME = "approvals.checkpoint"
FOLDER = "cache"
_CRC_BYTES = 4
_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Place(Struct, frozen=True, array_like=True):
    """Where a line is, and what it is."""

    line: int
    offset: int
    length: int
    digest: bytes

    @classmethod
    def of(cls, entry: Entry) -> "Place":
        return cls(entry.line, entry.offset, entry.length, bytes.fromhex(entry.digest))

    def entry(self) -> Entry:
        return Entry(self.line, self.offset, self.length, self.digest.hex(), "", follows=True, body=b"")


class Kept(Struct, frozen=True, array_like=True):
    """One request."""

    id: str
    state: State
    order: int
    places: list[Place]
    effect: Effect | None = None
    answered: Answered | None = None


class Own(Struct, frozen=True):
    """What is at hand at once."""

    pending: list[str]
    open: list[str]
    flaws: list[Flaw]


class Past:
    """What was settled before the checkpoint was made."""

    def __init__(self, table: Table, own: Own) -> None:
        self.table = table
        self.own = own

    @property
    def position(self) -> Position:
        return self.table.header.position

    @property
    def changes(self) -> int:
        """How many events there were."""
        return self.table.header.sequence

    def __len__(self) -> int:
        return len(self.table)

    def get(self, request_id: str) -> tuple[int, Kept] | None:
        """A request and its number, by its id."""
        key = _key(request_id)
        number = self.table.find(key) if key is not None else None
        kept = self.at(number) if number is not None else None
        return (number, kept) if number is not None and kept is not None and kept.id == request_id else None

    def at(self, number: int) -> Kept | None:
        """A request by its number; None when it is damaged."""
        data = self.table.item(number)
        body = data[_CRC_BYTES:]
        if zlib.crc32(body).to_bytes(_CRC_BYTES) != data[:_CRC_BYTES]:
            return None
        try:
            return _kept.decode(body)
        except _REFUSALS:
            return None

    def starting(self, prefix: str) -> Iterator[str]:
        """The ids that begin so."""
        first, last = _key(prefix.ljust(32, "0")), _key(prefix.ljust(32, "f"))
        for number in self.table.between(first, last) if first and last else ():
            if (kept := self.at(number)) is not None:
                yield kept.id

    def changed_since(self, start: int) -> Iterator[str]:
        """The ids that events were about, from the one of this number on."""
        for number in self.table.sequence(start):
            if (kept := self.at(number)) is not None:
                yield kept.id


def load(state: Path) -> Past | None:
    """The checkpoint of the ledger in a vault's `state/`; None when there is none that can be used."""
    table = checkpoint.open_table(state.parent / FOLDER / NAME)
    try:
        return Past(table, _own.decode(table.header.own)) if table is not None else None
    except _REFUSALS:
        return None


def save(
    state: Path,
    before: Past | None,
    *,
    position: Position,
    own: Own,
    changed: Mapping[int, Kept],
    added: Iterable[Kept],
    numbers: list[int],
) -> None:
    """Make a checkpoint: that of before with what changed and came since; `OSError` when it cannot be written."""
    checkpoint.write_table(
        state.parent / FOLDER / NAME,
        before.table if before is not None else None,
        position=position,
        own=msgspec.json.encode(own),
        changed={number: _packed(kept) for number, kept in changed.items()},
        added=[(key, _packed(each)) for each in added if (key := _key(each.id)) is not None],
        sequence=numbers,
    )


def _packed(kept: Kept) -> bytes:
    body = msgspec.msgpack.encode(kept)
    return zlib.crc32(body).to_bytes(_CRC_BYTES) + body


def _key(request_id: str) -> bytes | None:
    try:
        key = bytes.fromhex(request_id)
    except ValueError:
        return None
    return key if len(key) == checkpoint.KEY_BYTES else None


_kept = msgspec.msgpack.Decoder(Kept)
_own = msgspec.json.Decoder(Own)
