"""The checkpoint of the permission ledger: finds requests by id or number without reading the others.

It has no authority: a row is built from the lines of the ledger itself, and each line is compared with its digest when
it is read. If anything does not fit, the ledger is read from its beginning.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.keep.vault import checkpoint
from chorus.keep.vault.checkpoint import Table
from chorus.keep.vault.journal import Flaw, JournalEntry, Position
from chorus.steer.approvals.model import Answered, Effect, State

NAME = "approvals.checkpoint"
FOLDER = "cache"
_CRC_BYTES = 4
_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class LedgerPlace(Struct, frozen=True, array_like=True):
    """The place of a line in the ledger's file, and its digest."""

    line: int
    offset: int
    length: int
    digest: bytes

    @classmethod
    def of(cls, entry: JournalEntry) -> "LedgerPlace":
        return cls(entry.line, entry.offset, entry.length, bytes.fromhex(entry.digest))

    def entry(self) -> JournalEntry:
        return JournalEntry(self.line, self.offset, self.length, self.digest.hex(), "", follows=True, body=b"")


class SavedSummary(Struct, frozen=True, array_like=True):
    """The summary of one request, as the checkpoint stores it."""

    id: str
    state: State
    order: int
    places: list[LedgerPlace]
    effect: Effect | None = None
    answered: Answered | None = None


class LedgerHeader(Struct, frozen=True):
    """What a reader needs at once: the ids of pending and open requests, and the flaws."""

    pending: list[str]
    open: list[str]
    flaws: list[Flaw]


class Checkpoint:
    """The requests of the ledger up to the moment of the checkpoint."""

    def __init__(self, table: Table, header: LedgerHeader) -> None:
        self.table = table
        self.header = header

    @property
    def position(self) -> Position:
        return self.table.header.position

    @property
    def changes(self) -> int:
        """The number of events up to the checkpoint."""
        return self.table.header.sequence

    def __len__(self) -> int:
        return len(self.table)

    def get(self, request_id: str) -> tuple[int, SavedSummary] | None:
        """Returns the number and the summary of the request with this id; None if there is none."""
        key = _key(request_id)
        number = self.table.find(key) if key is not None else None
        saved = self.at(number) if number is not None else None
        return (number, saved) if number is not None and saved is not None and saved.id == request_id else None

    def at(self, number: int) -> SavedSummary | None:
        """Returns the summary of the request with this number; None if it is damaged."""
        data = self.table.item(number)
        body = data[_CRC_BYTES:]
        if zlib.crc32(body).to_bytes(_CRC_BYTES) != data[:_CRC_BYTES]:
            return None
        try:
            return _saved.decode(body)
        except _REFUSALS:
            return None

    def starting(self, prefix: str) -> Iterator[str]:
        """Yields the ids that begin with `prefix`."""
        first, last = _key(prefix.ljust(32, "0")), _key(prefix.ljust(32, "f"))
        for number in self.table.between(first, last) if first and last else ():
            if (saved := self.at(number)) is not None:
                yield saved.id

    def changed_since(self, start: int) -> Iterator[str]:
        """Yields the ids that events were about, starting at the event with the number `start`."""
        for number in self.table.sequence(start):
            if (saved := self.at(number)) is not None:
                yield saved.id


def load(state: Path) -> Checkpoint | None:
    """Returns the checkpoint of the ledger in a vault's `state/`; None if there is none that can be used."""
    table = checkpoint.open_table(state.parent / FOLDER / NAME)
    try:
        return Checkpoint(table, _header.decode(table.header.own)) if table is not None else None
    except _REFUSALS:
        return None


def save(
    state: Path,
    before: Checkpoint | None,
    *,
    position: Position,
    header: LedgerHeader,
    changed: Mapping[int, SavedSummary],
    added: Iterable[SavedSummary],
    numbers: list[int],
) -> None:
    """Writes a checkpoint: the one `before`, with the changed and added requests.

    Raises `OSError` if it cannot be written.
    """
    checkpoint.write_table(
        state.parent / FOLDER / NAME,
        before.table if before is not None else None,
        position=position,
        own=msgspec.json.encode(header),
        changed={number: _packed(saved) for number, saved in changed.items()},
        added=[(key, _packed(each)) for each in added if (key := _key(each.id)) is not None],
        sequence=numbers,
    )


def _packed(saved: SavedSummary) -> bytes:
    body = msgspec.msgpack.encode(saved)
    return zlib.crc32(body).to_bytes(_CRC_BYTES) + body


def _key(request_id: str) -> bytes | None:
    try:
        key = bytes.fromhex(request_id)
    except ValueError:
        return None
    return key if len(key) == checkpoint.KEY_BYTES else None


_saved = msgspec.msgpack.Decoder(SavedSummary)
_header = msgspec.json.Decoder(LedgerHeader)
