"""Documents in the index of words: numbered by time, so that the newest come first without sorting.

All that can be asked of a document is one text: marks, then what was said, then the parts of identifiers. One column
takes less room than three, whose numbers would be stored with each word.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Iterable

from chorus.core.query.words import SEPARATOR
from chorus.find.index.rows import Document
from chorus.find.index.sqlite.schema import has_deletes
from chorus.find.index.times import TICK_MS, number_at

_BULK_BYTES, _LIVE_BYTES = 8 << 20, 1 << 20
"""What is gathered in memory before it is written."""
_MAX_RUNS = 10_000
_RUN, _MAX_STEP = 64, 1 << 16
"""How many numbers are first asked for at once where a run of taken ones ends, and how many at most."""
_MAX_KNOWN = 100_000
"""Numbers held in memory while a new index is built; of more than these, the index is asked."""
_FEW = 16
"""So many times as much has to be merged as is not."""
MARK = "\x81"
"""Begins a mark, and no word: like `BETWEEN`, no text holds it once it is folded."""


def said(document: Document) -> str:
    """All that is asked of a document as one text."""
    marks = f" {MARK}".join(document.marks)
    parts = f" {SEPARATOR} {document.parts}" if document.parts else ""
    return f"{MARK}{marks} {document.text}{parts}"


class Numbers:
    """Gives numbers to entries. Knows runs of taken ones, so that many entries of one time do not cost more each.

    Where entries come faster than ticks, one run may hold all of them: it is known by its two ends.
    """

    def __init__(self, connection: sqlite3.Connection, *, is_empty: bool = False) -> None:
        """`is_empty`: the index has no entries yet, so that all there are were given here."""
        self._connection = connection
        self._knows_all = is_empty
        self._given: set[int] = set()
        """In the present transaction; as long as it knows all, ever."""
        self._starts: list[int] = []
        self._ends: list[int] = []
        """Runs of taken numbers, in order: the first of each, and the first after it."""
        self.slack = 0
        """How far a number was from that of its time."""

    def give(self, ms: int) -> int:
        """A number for an entry that none has or had: that of its time, or the next that is free."""
        first = number = number_at(ms)
        place = bisect_right(self._starts, first) - 1
        is_known = place >= 0 and first < self._ends[place]
        if is_known or self._is_taken(first):
            # What was free when the run was last looked at may be taken since, from the run before it.
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
        """Whether `settle` will forget what was given: what waits is to be stored first."""
        return not self._knows_all or len(self._given) > _MAX_KNOWN

    def settle(self) -> None:
        """What was given is stored, or was never needed."""
        if self.is_full:
            self._knows_all = False
            self._given.clear()
        if len(self._starts) > _MAX_RUNS:
            self._starts, self._ends = [], []

    def _free_from(self, number: int) -> int:
        """The first number from this one on that is free."""
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
        """The first number from this one on that no entry in the index has, or had."""
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
        """How many of the numbers from this one on the index has."""
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


class Waiting:
    """Documents on their way in. They go in sorted by their numbers: each step back would be a piece to merge later."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._documents: dict[int, tuple[int, int, int, str]] = {}
        """By their numbers, which come first in them as well."""
        self.chars = 0
        self._merged_chars = self._unmerged_chars = 0
        """Of the text that was put in before `merge`, and since."""

    def add(self, number: int, conversation: int, ms: int, said: str) -> None:
        self._documents[number] = (number, conversation, ms, said)
        self.chars += len(said)

    def remove(self, numbers: Iterable[int]) -> None:
        """Take documents out, also those that are stored already.

        Where SQLite cannot, the words of these stay and lead nowhere, until the index is made anew.
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
        """Put in what waits."""
        if not self._documents:
            return
        # No two have the same number: what follows it is never compared.
        documents = sorted(self._documents.values())
        self._unmerged_chars += self.chars
        self.drop()
        self._connection.executemany(
            "INSERT INTO entry VALUES (?, ?, ?)",
            [(number, conversation, ms - TICK_MS * number) for number, conversation, ms, _ in documents],
        )
        self._connection.executemany(
            "INSERT INTO words(rowid, said) VALUES (?, ?)", ((number, said) for number, _, _, said in documents)
        )

    def merge(self) -> None:
        """Make one piece of all that was put in: smaller, and faster to ask."""
        self._connection.execute("INSERT INTO words(words) VALUES ('optimize')")
        self._merged_chars += self._unmerged_chars
        self._unmerged_chars = 0

    @property
    def is_merged(self) -> bool:
        """Whether nearly all that was put in is one piece. The rest is merged with what comes, before all else."""
        return self._unmerged_chars <= self._merged_chars // _FEW

    def drop(self) -> None:
        """What waits is not wanted any more."""
        self._documents, self.chars = {}, 0


def gather(connection: sqlite3.Connection) -> None:
    """Prepare for many documents: much is gathered before it is written, and nothing merged unless one asks for it."""
    _set(connection, hashsize=_BULK_BYTES, automerge=0, crisismerge=1999)


def live(connection: sqlite3.Connection) -> None:
    """Prepare for few documents at a time: from then on there are few pieces."""
    _set(connection, hashsize=_LIVE_BYTES, automerge=4, crisismerge=16)


def _set(connection: sqlite3.Connection, **settings: int) -> None:
    for setting, value in settings.items():
        connection.execute("INSERT INTO words(words, rank) VALUES (?, ?)", (setting, value))
