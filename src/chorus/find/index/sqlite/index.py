"""The index in one SQLite file. The only package of Chorus that speaks SQL."""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from chorus.core.conversation.items import Order
from chorus.core.query.tree import Query
from chorus.core.spending.rows import Reported, Spent
from chorus.errors import IndexDamaged
from chorus.find.index.port import MAX_ENTRIES, IsLate, TextsOf
from chorus.find.index.rows import Answer, ConversationRow, Entry, Feed, FeedEvent, Key, Position, Writing
from chorus.find.index.sqlite import leaves, schema, words
from chorus.find.index.sqlite.numbered import Numbered
from chorus.find.index.sqlite.opening import (
    FILE,
    SEAL,
    connect,
    is_sealed_as,
    new_database,
    remove_database,
    write_seal,
)
from chorus.find.index.sqlite.packing import Unpackable, unsqueeze
from chorus.find.index.sqlite.searching import CostOf, Search
from chorus.find.index.sqlite.spending import spent
from chorus.find.index.sqlite.writing import Batch, conversation_number, row_of

_PACKED = f"{FILE}.packed"
_BULK_CHARS = 6 << 20
"""So much text waits at most to be put in sorted, while a new index is built."""
_positions = msgspec.msgpack.Decoder(dict[str, Position])
_order = msgspec.msgpack.Decoder(Order)


class SqliteIndex:
    """An index in `folder`. Readers may be many; who writes must be the only one (see `indexing.lock`)."""

    def __init__(
        self, folder: Path, *, cost_of: CostOf | None = None, is_writer: bool = False, is_lasting: bool = False
    ) -> None:
        """Open what is there; `IndexDamaged` when there is none, or it cannot be used.

        A writer reads the whole file once and compares it with what its last writer left. `is_lasting`: one of several
        that are held for hours, and take little memory.
        """
        self._path = folder / FILE
        self._seal = folder / SEAL
        self._cost_of: CostOf = cost_of or (lambda _spent: None)
        self._is_bulk = False
        self._is_writer = is_writer
        if not self._path.is_file():
            raise IndexDamaged(f"{self._path}: there is no index yet")
        if not is_sealed_as(self._path, self._seal, is_thorough=is_writer):
            raise IndexDamaged(f"{self._path}: it is not what was written")
        with self._guarded():
            self._connection = connect(self._path, is_writer=is_writer, is_lasting=is_lasting)
            try:
                self._begin_with_what_is_there()
            except BaseException:
                self._connection.close()
                raise

    def _begin_with_what_is_there(self) -> None:
        if not schema.is_ours(self._connection):
            raise IndexDamaged(f"{self._path}: another version of Chorus made it")
        if self._is_writer:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            if not self._seal.exists():
                # Its last writer was killed. SQLite mends that; what it cannot mend is found here.
                self._check()
        self._numbers, self._waiting = words.Numbers(self._connection), words.Waiting(self._connection)
        self.epoch = str(self._connection.execute("SELECT value FROM meta WHERE name = 'epoch'").fetchone()[0])

    @classmethod
    def build(cls, folder: Path, *, cost_of: CostOf | None = None) -> "SqliteIndex":
        """A new, empty index that takes the place of the old one when `finish` is called."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = cls.__new__(cls)
        made._path = folder / f"{FILE}.new"
        made._seal = folder / SEAL
        made._cost_of = cost_of or (lambda _spent: None)
        made._is_bulk = made._is_writer = True
        new_database(made._path)
        made.epoch = os.urandom(8).hex()
        with made._guarded(), made._given_up():
            made._connection = connect(made._path, is_writer=True)
            # Nobody sees it before it is whole, so it may be lost by a crash.
            made._connection.execute("PRAGMA journal_mode = OFF")
            made._connection.execute("PRAGMA synchronous = OFF")
            made._connection.execute("PRAGMA cache_size = -8000")
            schema.create(made._connection, made.epoch)
            words.gather(made._connection)
            made._connection.execute("BEGIN")
        made._numbers, made._waiting = words.Numbers(made._connection, is_empty=True), words.Waiting(made._connection)
        return made

    def settle(self) -> None:
        """Of a new index: put in the words that wait for more to be sorted with, and merge all there are by now."""
        if self._is_bulk:
            with self._guarded(), self._given_up():
                self._waiting.settle()
                self._waiting.merge()

    def finish(self) -> None:
        """Put a built index in its place, and go on with it as its writer."""
        target = self._path.with_name(FILE)
        with self._guarded(), self._given_up():
            self._waiting.settle()
            if not self._waiting.is_merged:
                self._waiting.merge()
            words.live(self._connection)
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
        self._numbers, self._waiting = words.Numbers(self._connection), words.Waiting(self._connection)

    def _packed(self) -> Path:
        """The new index without what was empty in it, in a file of its own: in place, all would be written twice."""
        packed = new_database(self._path.with_name(_PACKED))
        self._connection.execute("VACUUM INTO ?", (str(packed),))
        self._connection.close()
        with contextlib.closing(connect(packed, is_writer=True)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        return packed

    def close(self) -> None:
        """Let go; a writer leaves a note of how it left the file."""
        with contextlib.suppress(sqlite3.Error):
            if self._is_writer and not self._is_bulk and not self._seal.exists():
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._connection.close()
                write_seal(self._path, self._seal)
            self._connection.close()

    def write(self, writings: Iterable[Writing], *, gone: Iterable[str] = ()) -> int:
        with self._guarded(), self._given_up():
            self._unseal()
            try:
                self._begin()
                batch = Batch(self._connection, self._numbers, self._waiting)
                for name in gone:
                    batch.drop(name)
                for writing in writings:
                    batch.take(writing)
                seq = batch.close()
                if not self._is_bulk or self._waiting.chars > _BULK_CHARS or self._numbers.is_full:
                    self._waiting.settle()
                self._commit()
                self._numbers.settle()
            except BaseException:
                self._numbers.settle()
                self._waiting.drop()
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
            return unsqueeze(row[0]) if row else None

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

    def standings(self) -> list[tuple[str, str, str | None]]:
        with self._guarded():
            rows = self._connection.execute("SELECT name, status, ended_at FROM conversation WHERE NOT is_empty")
            return [(name, status, ended_at or None) for name, status, ended_at in rows]

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
            self._waiting.settle()
            numbered = Numbered(self._connection)
            # Entries of one time are in one leaf.
            return numbered.entries(sorted(numbers))

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
            numbers = None
            if names is not None:
                found = (conversation_number(self._connection, name) for name in names)
                numbers = [number for number in found if number is not None]
            return spent(self._connection, numbers)

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

    def _begin(self) -> None:
        """A transaction for each writing; all of a new index is one, since every commit would be a piece to merge."""
        if not self._is_bulk:
            self._connection.execute("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        if not self._is_bulk:
            self._connection.execute("COMMIT")

    def _unseal(self) -> None:
        if not self._is_bulk:
            self._seal.unlink(missing_ok=True)

    def _search(self, texts_of: TextsOf | None, is_late: IsLate | None) -> Search:
        self._waiting.settle()
        return Search(self._connection, self._cost_of, texts_of, is_late or (lambda: False))

    def _check(self) -> None:
        found = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        self._connection.execute("INSERT INTO words(words) VALUES ('integrity-check')")
        if found != "ok":
            raise IndexDamaged(f"{self._path}: {found}")

    @contextlib.contextmanager
    def _given_up(self) -> Iterator[None]:
        """An index that cannot be built takes no room."""
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
        """Whatever a damaged file makes SQLite or a decoder say, it is told as that."""
        try:
            yield
        except (sqlite3.Error, msgspec.MsgspecError, Unpackable) as error:
            raise IndexDamaged(f"{self._path}: {error}") from error


def _event(seq: int, conversation: str, item: str | None, place: bytes | None) -> FeedEvent:
    return FeedEvent(seq, conversation, item, _order.decode(place) if place else None)
