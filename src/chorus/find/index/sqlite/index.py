"""The index in one SQLite file. This package is the only part of Chorus that uses SQL."""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from chorus.core.conversation.items import Limit, Order
from chorus.core.query.tree import Query
from chorus.core.spending.rows import Reported, Spent
from chorus.errors import IndexDamaged
from chorus.find.index.activities import Done, Kind
from chorus.find.index.groups import Group, PeriodOf, Span
from chorus.find.index.port import MAX_ENTRIES, IsLate, TextsOf
from chorus.find.index.rows import Answer, ConversationRow, Entry, Feed, FeedEvent, Key, Position, Writing
from chorus.find.index.sqlite import groups, leaves, schema, words
from chorus.find.index.sqlite.numbered import EntryLookup
from chorus.find.index.sqlite.opening import (
    FILE,
    SEAL,
    connect,
    is_sealed_as,
    new_database,
    remove_database,
    write_seal,
)
from chorus.find.index.sqlite.packing import Unpackable, decompress
from chorus.find.index.sqlite.searching import CostOf, Search
from chorus.find.index.sqlite.spending import reported, spent
from chorus.find.index.sqlite.turns import turn_sums
from chorus.find.index.sqlite.writing import Batch, conversation_number, row_of

_PACKED = f"{FILE}.packed"
_BULK_CHARS = 6 << 20
"""The amount of text that is collected at most before it is inserted in sorted order, while a new index is built."""
_positions = msgspec.msgpack.Decoder(dict[str, Position])
_order = msgspec.msgpack.Decoder(Order)


class SqliteIndex:
    """An index in `folder`. It may have many readers, but only one writer at a time (see `indexing.lock`)."""

    def __init__(
        self, folder: Path, *, cost_of: CostOf | None = None, is_writer: bool = False, is_lasting: bool = False
    ) -> None:
        """Opens the existing index; raises `IndexDamaged` if there is none or it is unusable.

        A writer reads the whole file once and compares it with what the last writer left. `is_lasting`: this is one of
        several connections that stay open for hours, so it must use little memory.
        """
        self._path = folder / FILE
        self._seal = folder / SEAL
        self._cost_of: CostOf = cost_of or (lambda _spent: None)
        self._is_bulk = False
        self._is_writer = is_writer
        if not self._path.is_file():
            raise IndexDamaged(f"{self._path}: there is no index yet")
        if not is_sealed_as(self._path, self._seal, is_thorough=is_writer):
            raise IndexDamaged(f"{self._path}: the file does not match its checksum")
        with self._guarded():
            self._connection = connect(self._path, is_writer=is_writer, is_lasting=is_lasting)
            try:
                self._open_existing()
            except BaseException:
                self._connection.close()
                raise

    def _open_existing(self) -> None:
        if not schema.is_ours(self._connection):
            raise IndexDamaged(f"{self._path}: it was created by another version of Chorus")
        if self._is_writer:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            if not self._seal.exists():
                # The last writer was killed. SQLite recovers from that; damage that it cannot repair is found here.
                self._check()
        self._numbers, self._pending = words.Numbers(self._connection), words.PendingDocuments(self._connection)
        self.epoch = str(self._connection.execute("SELECT value FROM meta WHERE name = 'epoch'").fetchone()[0])

    @classmethod
    def build(cls, folder: Path, *, cost_of: CostOf | None = None) -> "SqliteIndex":
        """Returns a new, empty index that replaces the old one when `finish` is called."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        index = cls.__new__(cls)
        index._path = folder / f"{FILE}.new"
        index._seal = folder / SEAL
        index._cost_of = cost_of or (lambda _spent: None)
        index._is_bulk = index._is_writer = True
        new_database(index._path)
        index.epoch = os.urandom(8).hex()
        with index._guarded(), index._deleted_on_error():
            index._connection = connect(index._path, is_writer=True)
            # Nobody sees the file before it is complete, so it need not survive a crash.
            index._connection.execute("PRAGMA journal_mode = OFF")
            index._connection.execute("PRAGMA synchronous = OFF")
            index._connection.execute("PRAGMA cache_size = -8000")
            schema.create(index._connection, index.epoch)
            words.tune_for_bulk(index._connection)
            index._connection.execute("BEGIN")
        index._numbers, index._pending = (
            words.Numbers(index._connection, is_empty=True),
            words.PendingDocuments(index._connection),
        )
        return index

    def settle(self) -> None:
        """While building: inserts the pending words, and merges everything inserted so far."""
        if self._is_bulk:
            with self._guarded(), self._deleted_on_error():
                self._pending.settle()
                self._pending.merge()

    def finish(self) -> None:
        """Moves a built index to its final location and continues as its writer."""
        target = self._path.with_name(FILE)
        with self._guarded(), self._deleted_on_error():
            self._pending.settle()
            if not self._pending.is_merged:
                self._pending.merge()
            words.tune_for_updates(self._connection)
            self._connection.execute("COMMIT")
            packed = self._packed()
        fd = os.open(packed, os.O_RDWR)
        os.fsync(fd)
        os.close(fd)
        self._seal.unlink(missing_ok=True)
        for rest in (f"{FILE}-wal", f"{FILE}-shm"):
            target.with_name(rest).unlink(missing_ok=True)
        packed.replace(target)
        remove_database(self._path)
        write_seal(target, self._seal)
        self._path = target
        self._is_bulk = False
        self._connection = connect(target, is_writer=True)
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._numbers, self._pending = words.Numbers(self._connection), words.PendingDocuments(self._connection)

    def _packed(self) -> Path:
        """Writes the new index without free pages to another file: vacuuming in place would write everything twice."""
        packed = new_database(self._path.with_name(_PACKED))
        self._connection.execute("VACUUM INTO ?", (str(packed),))
        self._connection.close()
        with contextlib.closing(connect(packed, is_writer=True)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        return packed

    def close(self) -> None:
        """Closes the index; a writer stores a checksum of the file."""
        with contextlib.suppress(sqlite3.Error):
            if self._is_writer and not self._is_bulk and not self._seal.exists():
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._connection.close()
                write_seal(self._path, self._seal)
            self._connection.close()

    def write(self, writings: Iterable[Writing], *, gone: Iterable[str] = ()) -> int:
        with self._guarded(), self._deleted_on_error():
            self._unseal()
            try:
                self._begin()
                batch = Batch(self._connection, self._numbers, self._pending)
                for name in gone:
                    batch.drop(name)
                for writing in writings:
                    batch.take(writing)
                seq = batch.close()
                if not self._is_bulk or self._pending.chars > _BULK_CHARS or self._numbers.is_full:
                    self._pending.settle()
                self._commit()
                self._numbers.settle()
            except BaseException:
                self._numbers.settle()
                self._pending.drop()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        return seq

    def move(self, positions: dict[str, dict[str, Position]]) -> None:
        with self._guarded():
            self._unseal()
            self._begin()
            self._connection.executemany(
                "UPDATE conversation SET positions = ? WHERE name = ?",
                [(msgspec.msgpack.encode(each), name) for name, each in positions.items()],
            )
            self._commit()

    def positions(self) -> dict[str, dict[str, Position]]:
        with self._guarded():
            rows = self._connection.execute("SELECT name, positions FROM conversation").fetchall()
            return {name: _positions.decode(data) for name, data in rows}

    def state(self, name: str) -> bytes | None:
        with self._guarded():
            row = self._connection.execute(
                "SELECT data FROM state JOIN conversation ON n = conversation WHERE name = ?", (name,)
            ).fetchone()
            return decompress(row[0]) if row else None

    def conversation(self, name: str) -> ConversationRow | None:
        with self._guarded():
            row = self._connection.execute("SELECT row FROM conversation WHERE name = ?", (name,)).fetchone()
            return row_of(row[0]) if row else None

    def conversations(
        self,
        query: Query,
        *,
        limit: int,
        start: int = 0,
        texts_of: TextsOf | None = None,
        is_late: IsLate | None = None,
    ) -> tuple[list[ConversationRow], bool]:
        with self._guarded():
            numbers, has_more = self._search(texts_of, is_late).conversations(query, start=start, limit=limit)
            rows = [
                self._connection.execute("SELECT row FROM conversation WHERE n = ?", (number,)).fetchone()
                for number in numbers
            ]
            return [row_of(row[0]) for row in rows if row], has_more

    def statuses(self) -> list[tuple[str, str, str | None]]:
        with self._guarded():
            rows = self._connection.execute("SELECT name, status, ended_at FROM conversation WHERE NOT is_empty")
            return [(name, status, ended_at or None) for name, status, ended_at in rows]

    def client_titles(self) -> list[tuple[str, str, str | None]]:
        with self._guarded():
            rows = self._connection.execute(schema.TITLED)
            return [(name, title, ended_at or None) for name, title, ended_at in rows]

    def search(
        self,
        query: Query,
        *,
        limit: int,
        below: int | None = None,
        is_ranked: bool = False,
        texts_of: TextsOf | None = None,
        is_late: IsLate | None = None,
    ) -> Answer:
        with self._guarded():
            return self._search(texts_of, is_late).answer(query, limit=limit, below=below, is_ranked=is_ranked)

    def count(self, query: Query, *, since: int) -> int:
        with self._guarded():
            return self._search(None, None).count(query, since)

    def entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        with self._guarded():
            self._pending.settle()
            lookup = EntryLookup(self._connection)
            # Entries of the same time are in the same leaf.
            return lookup.entries(sorted(numbers))

    def page(
        self, name: str, *, after: Key | None = None, before: Key | None = None, limit: int = MAX_ENTRIES
    ) -> list[Entry]:
        limit = max(0, min(limit, MAX_ENTRIES))
        with self._guarded():
            number = conversation_number(self._connection, name)
            if number is None:
                return []
            if before is not None:
                return leaves.before(self._connection, number, before, limit)
            return leaves.after(self._connection, number, after, limit)

    def all_entries(self, name: str) -> Iterator[Entry]:
        with self._guarded():
            number = conversation_number(self._connection, name)
            if number is not None:
                yield from leaves.read(self._connection, number)

    def spent(self, names: Iterable[str] | None = None) -> tuple[list[Spent], list[Reported], frozenset[str]]:
        with self._guarded():
            return spent(self._connection, self._numbers_of(names))

    def reported(self, names: Iterable[str] | None = None) -> tuple[list[Reported], frozenset[str]]:
        with self._guarded():
            return reported(self._connection, self._numbers_of(names))

    def users(self, by: Group, key: str, *, span: Span | None = None, period_of: PeriodOf = str) -> frozenset[str]:
        with self._guarded():
            return groups.users(self._connection, by, key, span, period_of)

    def used(
        self,
        by: Group,
        *,
        names: Iterable[str] | None = None,
        span: Span | None = None,
        period_of: PeriodOf = str,
    ) -> dict[str, list[Spent]]:
        with self._guarded():
            return groups.used(self._connection, by, self._numbers_of(names), span, period_of)

    def turn_sums(self, name: str) -> dict[str, list[Spent]]:
        with self._guarded():
            number = conversation_number(self._connection, name)
            return {} if number is None else turn_sums(self._connection, number)

    def done(
        self,
        *,
        names: Iterable[str] | None = None,
        span: Span | None = None,
        label: tuple[Kind, str] | None = None,
        is_by_conversation: bool = False,
    ) -> list[Done]:
        with self._guarded():
            numbers = self._numbers_of(names)
            return groups.done(self._connection, numbers, span, label, is_by_conversation=is_by_conversation)

    def limits(self) -> list[Limit]:
        with self._guarded():
            return groups.limits(self._connection)

    def feed(self, epoch: str, seq: int, *, limit: int = 10_000) -> Feed:
        with self._guarded():
            floor = int(self._connection.execute("SELECT value FROM meta WHERE name = 'floor'").fetchone()[0])
            last = self._connection.execute("SELECT coalesce(max(seq), ?) FROM feed", (floor,)).fetchone()[0]
            if epoch != self.epoch or seq < floor or seq > last:
                return Feed(self.epoch, last, is_broken=True)
            rows = self._connection.execute(
                "SELECT seq, conversation, item, place FROM feed WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit)
            ).fetchall()
            return Feed(self.epoch, rows[-1][0] if rows else seq, [_event(*row) for row in rows])

    def files(self, name: str) -> dict[str, bool]:
        with self._guarded():
            rows = self._connection.execute(
                "SELECT path, is_written FROM file JOIN conversation ON n = conversation WHERE name = ? ORDER BY path",
                (name,),
            )
            return {path: bool(is_written) for path, is_written in rows}

    def names(self, kind: str) -> list[str]:
        with self._guarded():
            rows = self._connection.execute("SELECT value FROM name WHERE kind = ? ORDER BY value", (kind,))
            return [value for (value,) in rows]

    def _numbers_of(self, names: Iterable[str] | None) -> list[int] | None:
        if names is None:
            return None
        found = (conversation_number(self._connection, name) for name in names)
        return [number for number in found if number is not None]

    def _begin(self) -> None:
        """Begins a transaction per writing. A build is one transaction: each commit would create one more segment to
        merge.
        """
        if not self._is_bulk:
            self._connection.execute("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        if not self._is_bulk:
            self._connection.execute("COMMIT")

    def _unseal(self) -> None:
        if not self._is_bulk:
            self._seal.unlink(missing_ok=True)

    def _search(self, texts_of: TextsOf | None, is_late: IsLate | None) -> Search:
        self._pending.settle()
        return Search(self._connection, self._cost_of, texts_of, is_late or (lambda: False))

    def _check(self) -> None:
        found = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        self._connection.execute("INSERT INTO words(words) VALUES ('integrity-check')")
        if found != "ok":
            raise IndexDamaged(f"{self._path}: {found}")

    @contextlib.contextmanager
    def _deleted_on_error(self) -> Iterator[None]:
        """Deletes the files of an index whose build failed."""
        try:
            yield
        except sqlite3.Error:
            if self._is_bulk:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.close()
                remove_database(self._path)
                remove_database(self._path.with_name(_PACKED))
            raise

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Turns every error that a damaged file causes in SQLite or a decoder into `IndexDamaged`."""
        try:
            yield
        except (sqlite3.Error, msgspec.MsgspecError, Unpackable) as error:
            raise IndexDamaged(f"{self._path}: {error}") from error


def _event(seq: int, conversation: str, item: str | None, place: bytes | None) -> FeedEvent:
    return FeedEvent(seq, conversation, item, _order.decode(place) if place else None)
