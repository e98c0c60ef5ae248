"""Documents in the word index, numbered by time, so that the newest come first without sorting.

All that is searchable in a document is one text: marks, then the text, then the parts of identifiers. One column takes
less space than three, because a column number would be stored with each word.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Iterable

from chorus.core.query.words import SEPARATOR
from chorus.find.index.rows import Document
from chorus.find.index.sqlite.schema import has_deletes
from chorus.find.index.times import TICK_MS, number_at

_BULK_BYTES, _LIVE_BYTES = 8 << 20, 1 << 20
"""The amount that FTS5 collects in memory before it writes."""
_MAX_RUNS = 10_000
_RUN, _MAX_STEP = 64, 1 << 16
"""How many numbers are checked at once at the end of a run of used numbers: at first, and at most."""
_MAX_KNOWN = 100_000
"""Numbers in memory while a new index is built; beyond this, the index is queried."""
_FEW = 16
"""The merged part must be at least this many times as large as the rest."""
MARK = "\x81"
"""The first character of a mark and of no word: like `BETWEEN`, it is in no folded text."""


def searchable_text(document: Document) -> str:
    """Returns everything that is searchable in a document as one text."""
    marks = f" {MARK}".join(document.marks)
    parts = f" {SEPARATOR} {document.parts}" if document.parts else ""
    return f"{MARK}{marks} {document.text}{parts}"


class Numbers:
    """Assigns numbers to entries. It knows runs of used numbers, so that many entries of one time do not cost more
    each.

    Where entries come faster than ticks, one run may contain all of them; only its two ends are stored.
    """

    def __init__(self, connection: sqlite3.Connection, *, is_empty: bool = False) -> None:
        """`is_empty`: the index has no entries yet, so that all used numbers were assigned here."""
        self._connection = connection
        self._knows_all = is_empty
        self._given: set[int] = set()
        """Assigned in the current transaction; while `_knows_all` is true, since the start."""
        self._starts: list[int] = []
        self._ends: list[int] = []
        """Runs of used numbers, in order: the first of each, and the first after it."""
        self.slack = 0
        """The largest distance of a number from the number of its time."""

    def give(self, ms: int) -> int:
        """Returns a number that no entry has or had: that of the entry's time, or the next free one."""
        first = number = number_at(ms)
        place = bisect_right(self._starts, first) - 1
        is_known = place >= 0 and first < self._ends[place]
        if is_known or self._is_taken(first):
            # A number that was free when the run was last extended may have been used since, from the run before it.
            number = self._free_from(self._ends[place] if is_known else first)
            if not is_known:
                place += 1
                self._starts.insert(place, first)
                self._ends.insert(place, number)
            self._ends[place] = number + 1
            while place + 1 < len(self._starts) and self._starts[place + 1] <= number + 1:
                self._ends[place] = max(self._ends[place], self._ends.pop(place + 1))
                del self._starts[place + 1]
        self._given.add(number)
        self.slack = max(self.slack, number - first)
        return number

    @property
    def is_full(self) -> bool:
        """Whether `settle` will forget the assigned numbers: pending documents must be stored first."""
        return not self._knows_all or len(self._given) > _MAX_KNOWN

    def settle(self) -> None:
        """Call this when the assigned numbers are stored or were discarded."""
        if self.is_full:
            self._knows_all = False
            self._given.clear()
        if len(self._starts) > _MAX_RUNS:
            self._starts, self._ends = [], []

    def _free_from(self, number: int) -> int:
        """Returns the first free number from this one on."""
        while True:
            while number in self._given:
                number += 1
            place = bisect_right(self._starts, number) - 1
            if place >= 0 and number < self._ends[place]:
                number = self._ends[place]
                continue
            after = number if self._knows_all else self._stored_until(number)
            if after == number:
                return number
            number = after

    def _stored_until(self, number: int) -> int:
        """Returns the first number from this one on that no entry in the index has, or had."""
        step = 1
        while self._stored(number, step) == step:
            number += step
            step = min(max(_RUN, 2 * step), _MAX_STEP)
        while step > 1:
            half = step // 2
            if self._stored(number, half) == half:
                number += half
                step -= half
            else:
                step = half
        return number

    def _stored(self, number: int, count: int) -> int:
        """Returns how many of the `count` numbers from this one on the index has."""
        between = (number, number + count - 1) * 2
        asks = (
            "SELECT (SELECT count(*) FROM entry WHERE n BETWEEN ? AND ?)"
            " + (SELECT count(*) FROM dead WHERE n BETWEEN ? AND ?)"
        )
        return int(self._connection.execute(asks, between).fetchone()[0])

    def _is_taken(self, number: int) -> bool:
        if number in self._given or self._knows_all:
            return number in self._given
        asks = "SELECT 1 FROM entry WHERE n = ? UNION ALL SELECT 1 FROM dead WHERE n = ?"
        return self._connection.execute(asks, (number, number)).fetchone() is not None


class PendingDocuments:
    """Documents that are not yet inserted. They are inserted sorted by number: each step back would be a segment to
    merge.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._documents: dict[int, tuple[int, int, int, str]] = {}
        """By number, which is also the first value of each."""
        self.chars = 0
        self._merged_chars = self._unmerged_chars = 0
        """Characters of the text that was inserted before `merge`, and since."""

    def add(self, number: int, conversation: int, ms: int, text: str) -> None:
        self._documents[number] = (number, conversation, ms, text)
        self.chars += len(text)

    def remove(self, numbers: Iterable[int]) -> None:
        """Removes documents, including those that are already stored.

        Where SQLite cannot delete them, their words remain until the index is rebuilt, and lead to no entry.
        """
        rows: list[tuple[int]] = []
        for number in numbers:
            waited = self._documents.pop(number, None)
            if waited is None:
                rows.append((number,))
            else:
                self.chars -= len(waited[-1])
        self._connection.executemany("DELETE FROM entry WHERE n = ?", rows)
        if has_deletes():
            self._connection.executemany("DELETE FROM words WHERE rowid = ?", rows)
        else:
            self._connection.executemany("INSERT OR IGNORE INTO dead VALUES (?)", rows)

    def settle(self) -> None:
        """Inserts the pending documents."""
        if not self._documents:
            return
        # Numbers are unique: the values after them are never compared.
        documents = sorted(self._documents.values())
        self._unmerged_chars += self.chars
        self.drop()
        self._connection.executemany(
            "INSERT INTO entry VALUES (?, ?, ?)",
            [(number, conversation, ms - TICK_MS * number) for number, conversation, ms, _ in documents],
        )
        self._connection.executemany(
            "INSERT INTO words(rowid, said) VALUES (?, ?)", ((number, text) for number, _, _, text in documents)
        )

    def merge(self) -> None:
        """Merges everything inserted so far into one segment, which is smaller and faster to query."""
        self._connection.execute("INSERT INTO words(words) VALUES ('optimize')")
        self._merged_chars += self._unmerged_chars
        self._unmerged_chars = 0

    @property
    def is_merged(self) -> bool:
        """Whether nearly everything inserted is one segment. The rest is merged with what comes later."""
        return self._unmerged_chars <= self._merged_chars // _FEW

    def drop(self) -> None:
        """Discards the pending documents."""
        self._documents, self.chars = {}, 0


def tune_for_bulk(connection: sqlite3.Connection) -> None:
    """Configures FTS5 for many documents: it collects more before it writes, and merges only on request."""
    _set(connection, hashsize=_BULK_BYTES, automerge=0, crisismerge=1999)


def tune_for_updates(connection: sqlite3.Connection) -> None:
    """Configures FTS5 for few documents at a time: from then on there are few segments."""
    _set(connection, hashsize=_LIVE_BYTES, automerge=4, crisismerge=16)


def _set(connection: sqlite3.Connection, **settings: int) -> None:
    for setting, value in settings.items():
        connection.execute("INSERT INTO words(words, rank) VALUES (?, ?)", (setting, value))
