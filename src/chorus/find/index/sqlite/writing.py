"""Stores writings: rows, leaves, words, costs and the feed, in one transaction."""

import sqlite3

import msgspec

from chorus.core.records.bounded import bounded, encoded
from chorus.find.index.rows import ConversationRow, Entry, Put, Writing
from chorus.find.index.sqlite import activities, leaves, money, words
from chorus.find.index.sqlite.leaves import Leaves
from chorus.find.index.sqlite.packed import Packed, packed
from chorus.find.index.sqlite.packing import compress, decompress
from chorus.find.index.times import ms_of

MAX_EVENTS = 1_000
"""If more entries of a conversation change at once, the feed gets one event: read the conversation again."""
FEED_LENGTH = 200_000


class Batch:
    """The writings of one transaction; words are inserted at the end, so that they go in sorted."""

    def __init__(self, connection: sqlite3.Connection, numbers: words.Numbers, pending: words.PendingDocuments) -> None:
        self._connection = connection
        self._numbers = numbers
        self._pending = pending
        self._events: list[tuple[str, str | None, bytes | None]] = []

    def drop(self, name: str) -> None:
        """Removes a conversation and everything known about it."""
        number = conversation_number(self._connection, name)
        if number is None:
            return
        self._empty(number, name)
        self._connection.execute("DELETE FROM conversation WHERE n = ?", (number,))
        self._events.append((name, None, None))

    def take(self, writing: Writing) -> None:
        row = writing.row
        number = conversation_number(self._connection, row.name)
        is_new = number is None
        if number is not None and writing.is_whole:
            self._empty(number, row.name)
        number = self._put_row(number, writing)
        if writing.is_whole:
            self._fill(number, writing if isinstance(writing, Packed) else packed(writing))
        elif writing.put or writing.removed:
            self._change(number, writing)
        money.put(self._connection, number, writing.usages, writing.usages_gone)
        activities.put(self._connection, number, writing.activities, writing.activities_gone)
        self._put_facts(number, writing)
        if is_new or writing.is_whole or len(writing.put) + len(writing.removed) > MAX_EVENTS:
            self._events.append((row.name, None, None))
        else:
            changed = [(put.entry.id, put.entry.order) for put in writing.put]
            changed += writing.removed
            self._events += [(row.name, item_id, encoded(order)) for item_id, order in changed]

    def close(self) -> int:
        """Writes the pending events; returns the new position of the feed."""
        self._connection.execute(
            "UPDATE meta SET value = max(CAST(value AS INTEGER), ?) WHERE name = 'slack'", (self._numbers.slack,)
        )
        start = self._connection.execute("SELECT coalesce(max(seq), 0) FROM feed").fetchone()[0]
        rows = [(start + n, *event) for n, event in enumerate(self._events, 1)]
        self._connection.executemany("INSERT INTO feed VALUES (?, ?, ?, ?)", rows)
        seq = start + len(rows)
        floor = seq - FEED_LENGTH
        if floor > 0 and self._connection.execute("DELETE FROM feed WHERE seq <= ?", (floor,)).rowcount:
            self._connection.execute("UPDATE meta SET value = ? WHERE name = 'floor'", (str(floor),))
        return seq

    def _put_row(self, number: int | None, writing: Writing) -> int:
        row = writing.row
        session = row.session
        tokens = row.tokens
        started_at = session.started_at or ""
        known = None
        if number is not None:
            known = self._connection.execute("SELECT started_at FROM conversation WHERE n = ?", (number,)).fetchone()
        withdrawn, happened = set[int](), set[int]()
        if number is not None and known and known[0] != started_at:
            # Messages and activities belong to the conversation that started first.
            withdrawn = money.withdraw(self._connection, number)
            happened = activities.withdraw(self._connection, row.name, leaves.read(self._connection, number))
        total = tokens.input + tokens.output + tokens.cache_creation + tokens.cache_read
        values = (
            row.workspace,
            row.agent,
            _bindable(session.git_branch or ""),
            _bindable(session.cwd or ""),
            _bindable(session.title or ""),
            _bindable(row.client_title),
            started_at,
            session.ended_at or "",
            bounded(total),
            bounded(session.messages),
            row.status,
            int(row.is_empty),
            compress(encoded(row)),
            encoded(writing.positions),
        )
        if number is None:
            number = self._connection.execute(
                "INSERT INTO conversation VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (row.name, *values),
            ).lastrowid
        else:
            self._connection.execute(
                "UPDATE conversation SET workspace = ?, agent = ?, branch = ?, cwd = ?, title = ?, client_title = ?,"
                " started_at = ?, ended_at = ?, tokens = ?, messages = ?, status = ?, is_empty = ?, row = ?,"
                " positions = ? WHERE n = ?",
                (*values, number),
            )
        money.enter(self._connection, withdrawn)
        activities.enter(self._connection, happened)
        return number or 0

    def _put_facts(self, number: int, writing: Writing) -> None:
        execute, many = self._connection.execute, self._connection.executemany
        execute("DELETE FROM reported WHERE conversation = ?", (number,))
        many(
            "INSERT INTO reported VALUES (?, ?, ?, ?)",
            [(number, each.quarter, each.usd, each.source) for each in writing.reported],
        )
        many(
            "INSERT INTO file VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET is_written = max(is_written, excluded.is_written)",
            [(number, _bindable(path), int(is_written)) for path, is_written in writing.files.items()],
        )
        many(
            "INSERT OR IGNORE INTO name VALUES (?, ?)",
            [(kind, _bindable(value)) for kind, value in sorted(writing.names)],
        )
        many(
            "INSERT OR REPLACE INTO agent_type VALUES (?, ?, ?)",
            [(number, _bindable(thread), _bindable(name)) for thread, name in writing.agent_types.items()],
        )
        execute("DELETE FROM account_limit WHERE conversation = ?", (number,))
        many(
            "INSERT INTO account_limit VALUES (?, ?, ?)",
            [(number, _bindable(limit.type), encoded(limit)) for limit in writing.row.session.limits],
        )
        if writing.state is not None:
            execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (number, compress(writing.state)))

    def _fill(self, number: int, writing: Packed) -> None:
        """Stores the entries of a conversation that has none."""
        stored = Leaves(self._connection, number)
        give, wait = self._numbers.give, self._pending.add
        for leaf in writing.leaves:
            numbers: list[int] = []
            for ms, text in leaf.documents:
                numbers.append(give(ms) if text else 0)
                if text:
                    wait(numbers[-1], number, ms, text)
            stored.insert(leaf.first, leaf.data, numbers)

    def _change(self, number: int, writing: Writing) -> None:
        stored = Leaves(self._connection, number)
        gone = [stored.take(item_id, order) for item_id, order in writing.removed]
        self._pending.remove([entry.number for entry in gone if entry and entry.number])
        for put in writing.put:
            before = stored.take(put.entry.id, put.was) if put.was else None
            self._document(number, put, before)
            stored.put(put.entry)
        stored.write()

    def _document(self, number: int, put: Put, before: Entry | None) -> None:
        """Assigns a number to the entry; its words are stored again only if they changed."""
        entry, document = put.entry, put.document
        if before and before.number:
            if document is not None and before.digest == entry.digest and before.dated == entry.dated:
                entry.number = before.number
                return
            self._pending.remove([before.number])
        if document is not None:
            ms = ms_of(entry.dated)
            entry.number = self._numbers.give(ms)
            self._pending.add(entry.number, number, ms, words.searchable_text(document))

    def _empty(self, number: int, name: str) -> None:
        """Removes everything known about a conversation except its row."""
        execute = self._connection.execute
        entries = list(leaves.read(self._connection, number))
        self._pending.remove([entry.number for entry in entries if entry.number])
        withdrawn = money.withdraw(self._connection, number)
        execute("DELETE FROM usage WHERE conversation = ?", (number,))
        money.enter(self._connection, withdrawn)
        happened = activities.withdraw(self._connection, name, entries)
        activities.remove(self._connection, number, happened)
        activities.enter(self._connection, happened)
        for table in ("leaf", "reported", "file", "state", "turn", "agent_type", "account_limit"):
            execute(f"DELETE FROM {table} WHERE conversation = ?", (number,))  # noqa: S608 - our own names


def conversation_number(connection: sqlite3.Connection, name: str) -> int | None:
    row = connection.execute("SELECT n FROM conversation WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None


def row_of(data: bytes) -> ConversationRow:
    return msgspec.msgpack.decode(decompress(data), type=ConversationRow)


def _bindable(text: str) -> str:
    """Returns the text with each lone surrogate replaced."""
    return text.encode("utf-8", "replace").decode()
