"""The read side of the permission ledger: rows, changes and flaws. Reading takes no lock.

The file has no authority by itself: a row is shown as approved only if an approver signed it.
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
from chorus.keep.vault.journal import Flaw, Journal, JournalEntry
from chorus.steer.approvals import asking_process, events, lifecycle
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.ledger_state import LedgerState, RequestSummary
from chorus.steer.approvals.model import TAMPERING, Decision, Row, State
from chorus.steer.approvals.rules.history import historical_objection
from chorus.steer.approvals.rules.rules_file import RulesFile
from chorus.steer.approvals.settled_requests import SavedSummary, load
from chorus.steer.approvals.trust import Approvers, Rejected, Trust, historical_trust

NAME = "approvals.jsonl"
POLL_S = 0.02
CHECKPOINT_LINES = 500
"""A checkpoint is written after this many new lines."""
AWAITED_S = 600
"""The longest time, in seconds, until the outcome of a decision is known: the command may have to run first."""
UNSIGNED = "the file says that it was approved, but no approver signed that"
_ALARMING = (State.INVALID, State.ANSWERED)
VANISHED = "it is no longer in the ledger's file"

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Check(Struct, frozen=True):
    """The result of a check of the files: the number of requests, and everything that is wrong."""

    rows: int
    pending: int
    flaws: tuple[Flaw, ...]
    unsigned: tuple[str, ...]
    """The ids of requests that the file calls approved although no approver signed."""
    rejected: tuple[Rejected, ...]
    """Entries of the list of approvers that are not valid."""
    tampered: tuple[tuple[str, str], ...] = ()
    """The ids of requests that were answered by something other than Chorus, each with what is known about it."""


class LedgerReader:
    """The permission ledger, read only. Safe to use from several threads. Raises only `SourceUnreadable`."""

    def __init__(
        self,
        folder: Path,
        clock: Clock = utc_now,
        *,
        trust: Trust | None = None,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        """`folder` is the vault's `state/`; nothing is created before the first request.

        `trust` is what an asker pinned: requests from now on are judged by it, or by the current list of approvers if
        it is None. Older requests are judged by everyone who was ever an approver.
        """
        self._folder = folder
        self._journal = Journal(folder / NAME)
        self._has_begun = False
        self._saved = 0
        """The number of lines that the last checkpoint covers."""
        self._approvers = ApproversFile(folder)
        self._rules = RulesFile(folder)
        self._clock = clock
        self._ticks = ticks
        self._trust = trust
        self._state = LedgerState()
        self._generation = 0
        self._began_at = wire_time(clock())
        self._mutex = threading.RLock()
        self._latest = datetime.min.replace(tzinfo=UTC)
        self._mine: dict[str, Row] = {}
        """Pending requests that were asked by this object: they end here even if they disappear from the file."""

    def pending(self) -> list[Row]:
        """Returns the requests that wait for an answer, oldest first."""
        with self._mutex:
            self._catch_up()
            return [each.row for each in self._state.pending.values() if each.row is not None]

    def open_ids(self) -> list[str]:
        """Returns the ids of the latest requests that ended without a known outcome, oldest first."""
        with self._mutex:
            self._catch_up()
            return list(self._state.open)

    def row(self, request_id: str) -> Row | None:
        """Returns the row of the request with that id; None if there is none."""
        with self._mutex:
            self._catch_up()
            return self._row(request_id)

    def rows(self, *, limit: int = 100, before: str | None = None, states: Collection[State] = ()) -> list[Row]:
        """Returns at most `limit` requests, newest first, that were asked before the request with the id `before`."""
        with self._mutex:
            self._catch_up()
            found: list[Row] = []
            is_on = before is None
            for summary in self._state.newest():
                if is_on and (not states or summary.state in states or summary.state is State.APPROVED):
                    row = self._read_row(summary)
                    if row is not None and (not states or row.state in states):
                        found.append(row)
                    if len(found) >= limit:
                        break
                is_on = is_on or summary.id == before
            return found

    def find(self, prefix: str) -> list[str]:
        """Returns the ids that begin with `prefix`: only those of pending requests if there are any."""
        with self._mutex:
            self._catch_up()
            waiting = [each for each in self._state.pending if each.startswith(prefix)]
            return waiting or self._state.starting(prefix)

    def is_asker_alive(self, row: Row) -> bool:
        """Returns whether the process that asked still waits."""
        return asking_process.is_alive(row.request.asker)

    def is_awaited(self, row: Row) -> bool:
        """Returns whether a decision was sent recently by a process that will record its outcome."""
        if row.effect != "sent" or row.state is State.ANSWERED or not self.is_asker_alive(row):
            return False
        since_ms = lifecycle.between_ms(row.settled_at or "", wire_time(self._clock()))
        return since_ms is not None and since_ms < AWAITED_S * 1000

    def changes_since(self, mark: str = "") -> tuple[list[Row], str]:
        """Returns the rows that changed since `mark`, each once in its current form, and the mark for the next call.

        A mark is valid in any process for the file that it was made from; after the file was replaced, all rows count
        as changed.
        """
        with self._mutex:
            self._catch_up()
            start = self._place(mark)
            ids = dict.fromkeys(self._state.changed_since(start))
            found = [row for each in ids if (row := self._row(each)) is not None]
            first = self._journal.first[:16]
            return found, f"{first}:{self._state.change_count}" if first else ""

    def wait(self, ids: Iterable[str], timeout_s: float) -> list[Row]:
        """Waits until some of these requests are no longer pending and returns them.

        Returns an empty list after the timeout. Polls every 20 ms.
        """
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
        """Returns the lines of the file that are ignored: damaged, or written by hand."""
        with self._mutex:
            self._catch_up()
            return self._flaws()

    def check(self) -> Check:
        """Checks every line and every signature, without using a checkpoint."""
        with self._mutex:
            self._begin()
            if self._state.checkpoint is not None:
                self._journal, self._state, self._generation = Journal(self._journal.path), LedgerState(), 0
            self._catch_up()
            approved = [each for each in self._state.summaries.values() if each.state is State.APPROVED]
            unsigned = tuple(
                each.id for each in approved if (row := self._read_row(each)) and row.state is State.INVALID
            )
            alarming = [
                each for each in self._state.summaries.values() if each.state in _ALARMING or each.effect == "failed"
            ]
            odd = [self._read_row(each) for each in alarming]
            notes = [(row.id, row.note.removeprefix(TAMPERING)) for row in odd if row and _is_alarm(row) and row.note]
            flaws = self._flaws()
            rejected = self._approvers.load().rejected
            if self._approvers.loss:
                rejected = (Rejected(0, self._approvers.loss), *rejected)
            counts = len(self._state), len(self._state.pending)
            return Check(*counts, tuple(flaws), unsigned, rejected, tuple(notes))

    def _flaws(self) -> list[Flaw]:
        against = self._journal.objection
        lost = [Flaw(0, against.reason)] if against and against.is_loss else []
        return sorted([*lost, *self._journal.flaws, *self._state.flaws], key=lambda flaw: flaw.line)

    def _catch_up(self) -> None:
        self._begin()
        if self._journal.has_changed():
            self._take(self._journal.news())
            # Not inside a transaction, so that no other process waits for it.
            self._save()

    def _begin(self) -> None:
        """Resumes from a checkpoint, once; if it does not fit the file, the file is read from its beginning."""
        if self._has_begun:
            return
        self._has_begun = True
        checkpoint = load(self._folder)
        if checkpoint is None or not self._journal.resume(checkpoint.position):
            return
        rows = [
            self._folded(found[1]) for each in checkpoint.header.pending if (found := checkpoint.get(each)) is not None
        ]
        waiting = [row for row in rows if row is not None and row.is_pending]
        if len(waiting) < len(checkpoint.header.pending):
            # Every pending request must be readable; otherwise read the whole file.
            self._journal = Journal(self._journal.path)
            return
        self._saved = checkpoint.position.count
        self._state.resume(checkpoint, waiting)

    def _folded(self, kept: SavedSummary) -> Row | None:
        row: Row | None = None
        for place in kept.places:
            body = self._journal.read(place.entry())
            event = events.decode(body) if body is not None else None
            step = lifecycle.apply(row, event) if event is not None else None
            if not isinstance(step, Row):
                return None
            row = step
        return row

    def _save(self) -> None:
        """Writes a checkpoint, so that the next reader of the file reads only a small part of it."""
        if self._journal.count - self._saved < CHECKPOINT_LINES or self._journal.generation:
            return
        self._saved = self._journal.count
        position = self._journal.position()
        if position is not None:
            # A checkpoint only saves time, so a failure to write it is ignored.
            with contextlib.suppress(OSError):
                self._state.save(self._folder, position)

    def _take(self, entries: Iterable[JournalEntry]) -> None:
        for entry in entries:
            self._restart_if_rewritten()
            self._state.feed(entry, events.decode(entry.body))
        self._restart_if_rewritten()

    def _restart_if_rewritten(self) -> None:
        if self._journal.generation != self._generation:
            self._generation = self._journal.generation
            self._state.restart()

    def _row(self, request_id: str) -> Row | None:
        summary = self._state.get(request_id)
        row = self._read_row(summary) if summary is not None else None
        if row is not None:
            return row
        mine = self._mine.get(request_id)
        ended = lifecycle.invalidated(mine, why=VANISHED, at=self._now()) if mine else None
        return ended if isinstance(ended, Row) else None

    def _read_row(self, summary: RequestSummary) -> Row | None:
        """Returns the row of a summary. A settled row is read again from the file."""
        if summary.row is not None:
            return summary.row
        row: Row | None = None
        for place in summary.places:
            body = self._journal.read(place)
            event = events.decode(body) if body is not None else None
            step = lifecycle.apply(row, event) if event else None
            if not isinstance(step, Row):
                return None if row is None else structs.replace(row, state=State.INVALID, note=VANISHED)
            row = step
        if row is None or row.state is not summary.state:
            return row and structs.replace(row, state=summary.state, note=self._state.note(summary))
        return self._judged(row)

    def _judged(self, row: Row) -> Row:
        """Returns the row as it is if its decision is valid, else with the decision corrected or the state INVALID."""
        if row.decision is None:
            return row
        if row.decision.rules:
            return self._judged_rules(row, row.decision)
        is_ours = self._trust is not None and row.request.created_at >= self._began_at
        trust = self._trust if is_ours and self._trust is not None else self._historical_trust()
        if trust.objection(row.id, row.digest, row.decision) is None:
            return row
        if row.state is State.ANSWERED:
            # The decision came too late, and no approver is proved to have made it.
            return structs.replace(row, decision=None)
        if row.state is State.DENIED:
            # Anybody may deny; only the claimed approver is removed.
            return structs.replace(row, decision=structs.replace(row.decision, approver=None, signature=None))
        return structs.replace(row, state=State.INVALID, note=UNSIGNED)

    def _judged_rules(self, row: Row, decision: Decision) -> Row:
        """Returns the row as it is if the rules that it names can have decided it."""
        try:
            reason = historical_objection(self._rules.load(self._approvers.load()), row.request, decision)
        except SourceUnreadable:
            reason = "the rules cannot be read"
        if reason is None:
            return row
        if row.state is State.ANSWERED:
            return structs.replace(row, decision=None)
        if row.state is State.DENIED:
            return structs.replace(row, decision=structs.replace(decision, rules=[]))
        return structs.replace(row, state=State.INVALID, note=reason)

    def _historical_trust(self) -> Trust:
        try:
            return historical_trust(self._approvers.load())
        except SourceUnreadable:
            return TRUST_IN_NOBODY

    def _place(self, mark: str) -> int:
        first, _, number = mark.partition(":")
        if not self._journal.first or first != self._journal.first[:16] or not number.isascii():
            return 0
        return min(int(number), self._state.change_count) if number.isdigit() and len(number) < 18 else 0

    def _now(self, now: datetime | None = None) -> str:
        """Returns the current time, but never an earlier one than before.

        So a clock that is set back revives no request.
        """
        self._latest = max(self._latest, self._clock())
        return wire_time(max(self._latest, now or self._latest))


def _is_alarm(row: Row) -> bool:
    return row.note is not None and row.note.startswith(TAMPERING)


TRUST_IN_NOBODY = Trust(Approvers())
