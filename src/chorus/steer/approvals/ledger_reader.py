"""The ledger as it is read: rows, what changed, what is odd. Reading takes no lock.

What the file says has no authority by itself: a row is shown as approved only if an approver signed that.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct, structs

from chorus.core.records.times import wire_time
from chorus.errors import SourceUnreadable
from chorus.keep.vault.journal import Entry, Flaw, Journal
from chorus.steer.approvals import asking_process, events, lifecycle
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.ledger_state import Book, Standing
from chorus.steer.approvals.model import TAMPERING, Row, State
from chorus.steer.approvals.settled_requests import Kept, load
from chorus.steer.approvals.trust import Approvers, Rejected, Trust, witness

NAME = "approvals.jsonl"
POLL_S = 0.02
CHECKPOINT_LINES = 500
"""After so many lines a checkpoint is made."""
AWAITED_S = 600
"""How long it may take at most until it is known whether a decision took effect: a command runs first."""
UNSIGNED = "somebody wrote into the file that it was approved, but no approver signed that"
_ALARMING = (State.INVALID, State.ANSWERED)
VANISHED = "it is no longer in the ledger's file"

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Check(Struct, frozen=True):
    """What is odd about the files, and how much there is in them."""

    rows: int
    pending: int
    flaws: tuple[Flaw, ...]
    unsigned: tuple[str, ...]
    """The ids of requests that are said to be approved, and by nobody."""
    rejected: tuple[Rejected, ...]
    """Entries of the list of approvers that count for nothing."""
    tampered: tuple[tuple[str, str], ...] = ()
    """The ids of requests that somebody else than Chorus answered, each with what is known of it."""


class Reading:
    """May be used from several threads. `SourceUnreadable` is all it raises."""

    def __init__(
        self,
        folder: Path,
        clock: Clock = utc_now,
        *,
        trust: Trust | None = None,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        """`folder` is the vault's `state/`; nothing is made until something is asked.

        `trust` is what an asker pinned: what is asked from now on is judged by it, else by the list of approvers as it
        is. The past is judged by whoever ever was an approver.
        """
        self._folder = folder
        self._journal = Journal(folder / NAME)
        self._has_begun = False
        self._saved = 0
        """How many lines the last checkpoint is about."""
        self._approvers = ApproversFile(folder)
        self._clock = clock
        self._ticks = ticks
        self._trust = trust
        self._book = Book()
        self._generation = 0
        self._began_at = wire_time(clock())
        self._mutex = threading.RLock()
        self._latest = datetime.min.replace(tzinfo=UTC)
        self._mine: dict[str, Row] = {}
        """Pending requests that were asked here: they end here even if the file forgets them."""

    def pending(self) -> list[Row]:
        """The requests that wait for an answer, oldest first."""
        with self._mutex:
            self._catch_up()
            return [each.row for each in self._book.pending.values() if each.row is not None]

    def open_ids(self) -> list[str]:
        """The latest requests that are over here and not known what really became of them, oldest first."""
        with self._mutex:
            self._catch_up()
            return list(self._book.open)

    def row(self, request_id: str) -> Row | None:
        """The request of that id; None when there is none."""
        with self._mutex:
            self._catch_up()
            return self._row(request_id)

    def rows(self, *, limit: int = 100, before: str | None = None, states: Collection[State] = ()) -> list[Row]:
        """Requests, newest first: at most `limit`, those asked before the one of the id `before`."""
        with self._mutex:
            self._catch_up()
            found: list[Row] = []
            is_on = before is None
            for standing in self._book.newest():
                if is_on and (not states or standing.state in states or standing.state is State.APPROVED):
                    row = self._told(standing)
                    if row is not None and (not states or row.state in states):
                        found.append(row)
                    if len(found) >= limit:
                        break
                is_on = is_on or standing.id == before
            return found

    def find(self, prefix: str) -> list[str]:
        """The ids that begin with `prefix`: those of pending requests if there are any, else of all."""
        with self._mutex:
            self._catch_up()
            waiting = [each for each in self._book.pending if each.startswith(prefix)]
            return waiting or self._book.starting(prefix)

    def is_there(self, row: Row) -> bool:
        """Whether the process that asked still waits."""
        return asking_process.is_alive(row.request.asker)

    def is_awaited(self, row: Row) -> bool:
        """Whether a decision was sent a short while ago by somebody who will say what came of it."""
        if row.effect != "sent" or row.state is State.ANSWERED or not self.is_there(row):
            return False
        since_ms = lifecycle.between_ms(row.settled_at or "", wire_time(self._clock()))
        return since_ms is not None and since_ms < AWAITED_S * 1000

    def changes_since(self, mark: str = "") -> tuple[list[Row], str]:
        """The rows that changed since `mark` was given, each once as it is now, and the mark for the next time.

        A mark is good for the file that it was made of, in any process; after that was replaced, all rows have changed.
        """
        with self._mutex:
            self._catch_up()
            start = self._place(mark)
            ids = dict.fromkeys(self._book.changed_since(start))
            found = [row for each in ids if (row := self._row(each)) is not None]
            first = self._journal.first[:16]
            return found, f"{first}:{self._book.change_count}" if first else ""

    def wait(self, ids: Iterable[str], timeout_s: float) -> list[Row]:
        """The first of these requests that are no longer pending; nothing when time runs out. Looks every 20 ms."""
        wanted = list(ids)
        until = time.monotonic() + timeout_s
        while True:
            with self._mutex:
                self._catch_up()
                found = [row for each in wanted if (row := self._row(each)) is not None and not row.is_pending]
            left = until - time.monotonic()
            if found or left <= 0:
                return found
            time.sleep(min(POLL_S, left))

    def flaws(self) -> list[Flaw]:
        """The lines of the file that count for nothing: damaged, or written by hand."""
        with self._mutex:
            self._catch_up()
            return self._flaws()

    def check(self) -> Check:
        """Look at every line and every signature; no checkpoint is believed."""
        with self._mutex:
            self._begin()
            if self._book.past is not None:
                self._journal, self._book, self._generation = Journal(self._journal.path), Book(), 0
            self._catch_up()
            approved = [each for each in self._book.standings.values() if each.state is State.APPROVED]
            unsigned = tuple(each.id for each in approved if (row := self._told(each)) and row.state is State.INVALID)
            odd = [self._told(each) for each in self._book.standings.values() if each.state in _ALARMING]
            notes = [(row.id, row.note.removeprefix(TAMPERING)) for row in odd if row and _is_alarm(row) and row.note]
            flaws = self._flaws()
            rejected = self._approvers.load().rejected
            if self._approvers.loss:
                rejected = (Rejected(0, self._approvers.loss), *rejected)
            counts = len(self._book), len(self._book.pending)
            return Check(*counts, tuple(flaws), unsigned, rejected, tuple(notes))

    def _flaws(self) -> list[Flaw]:
        against = self._journal.objection
        lost = [Flaw(0, against.reason)] if against and against.is_loss else []
        return sorted([*lost, *self._journal.flaws, *self._book.flaws], key=lambda flaw: flaw.line)

    def _catch_up(self) -> None:
        self._begin()
        if self._journal.has_changed():
            self._take(self._journal.news())
            # Not within a transaction: nobody waits for it.
            self._save()

    def _begin(self) -> None:
        """Go on from a checkpoint, once; where it does not fit the file, the file is read from its beginning."""
        if self._has_begun:
            return
        self._has_begun = True
        past = load(self._folder)
        if past is None or not self._journal.resume(past.position):
            return
        rows = [self._folded(found[1]) for each in past.own.pending if (found := past.get(each)) is not None]
        waiting = [row for row in rows if row is not None and row.is_pending]
        if len(waiting) < len(past.own.pending):
            # What waits must be whole: then the file speaks for itself.
            self._journal = Journal(self._journal.path)
            return
        self._saved = past.position.count
        self._book.go_on(past, waiting)

    def _folded(self, kept: Kept) -> Row | None:
        row: Row | None = None
        for place in kept.places:
            body = self._journal.read(place.entry())
            event = events.decode(body) if body is not None else None
            step = lifecycle.after(row, event) if event is not None else None
            if not isinstance(step, Row):
                return None
            row = step
        return row

    def _save(self) -> None:
        """Make a checkpoint, so that who opens the file next reads little of it."""
        if self._journal.count - self._saved < CHECKPOINT_LINES or self._journal.generation:
            return
        self._saved = self._journal.count
        position = self._journal.position()
        if position is not None:
            # It only saves time: where it cannot be written there is none.
            with contextlib.suppress(OSError):
                self._book.save(self._folder, position)

    def _take(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._begin_again_if_rewritten()
            self._book.feed(entry, events.decode(entry.body))
        self._begin_again_if_rewritten()

    def _begin_again_if_rewritten(self) -> None:
        if self._journal.generation != self._generation:
            self._generation = self._journal.generation
            self._book.begin_again()

    def _row(self, request_id: str) -> Row | None:
        standing = self._book.get(request_id)
        told = self._told(standing) if standing is not None else None
        if told is not None:
            return told
        mine = self._mine.get(request_id)
        ended = lifecycle.invalidated(mine, why=VANISHED, at=self._now()) if mine else None
        return ended if isinstance(ended, Row) else None

    def _told(self, standing: Standing) -> Row | None:
        """What a row says; read again from the file once it is settled."""
        if standing.row is not None:
            return standing.row
        row: Row | None = None
        for place in standing.places:
            body = self._journal.read(place)
            event = events.decode(body) if body is not None else None
            step = lifecycle.after(row, event) if event else None
            if not isinstance(step, Row):
                return None if row is None else structs.replace(row, state=State.INVALID, note=VANISHED)
            row = step
        if row is None or row.state is not standing.state:
            return row and structs.replace(row, state=standing.state, note=self._book.note(standing))
        return self._judged(row)

    def _judged(self, row: Row) -> Row:
        """A row whose decision is an approver's, or says that it is not."""
        if row.decision is None:
            return row
        is_ours = self._trust is not None and row.request.created_at >= self._began_at
        trust = self._trust if is_ours and self._trust is not None else self._witness()
        if trust.objection(row.id, row.digest, row.decision) is None:
            return row
        if row.state is State.ANSWERED:
            # It came too late, and nobody is proved to have made it.
            return structs.replace(row, decision=None)
        if row.state is State.DENIED:
            # Anybody may deny; only the name is not theirs.
            return structs.replace(row, decision=structs.replace(row.decision, approver=None, signature=None))
        return structs.replace(row, state=State.INVALID, note=UNSIGNED)

    def _witness(self) -> Trust:
        try:
            return witness(self._approvers.load())
        except SourceUnreadable:
            return NOBODY_TRUSTED

    def _place(self, mark: str) -> int:
        first, _, number = mark.partition(":")
        if not self._journal.first or first != self._journal.first[:16] or not number.isascii():
            return 0
        return min(int(number), self._book.change_count) if number.isdigit() and len(number) < 18 else 0

    def _now(self, now: datetime | None = None) -> str:
        """The time; never before one that was given already, so that a clock set back revives nothing."""
        self._latest = max(self._latest, self._clock())
        return wire_time(max(self._latest, now or self._latest))


def _is_alarm(row: Row) -> bool:
    return row.note is not None and row.note.startswith(TAMPERING)


NOBODY_TRUSTED = Trust(Approvers())
