"""The permission ledger: `approvals.jsonl` in the vault's `state/`. It is a file, not a service: every process that
takes part (asker, server, command) does its own transactions, and every other process reads what it wrote.

A transaction locks the file, reads new lines, asks `lifecycle` what is allowed, appends, makes the line durable and
unlocks. So the first answer wins, exactly once, and survives a crash before any process can act on it.

The file has no authority by itself. A row is shown as approved only if an approver signed it, and the asker acts only
on the `verdict` of the row, by the approvers that it pinned before the agent started.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from chorus.errors import VaultUnwritable
from chorus.keep.vault.journal import Transaction
from chorus.keep.vault.journal_line import fits
from chorus.steer.approvals import asking_process, events, lifecycle
from chorus.steer.approvals.events import Event
from chorus.steer.approvals.ledger_reader import TRUST_IN_NOBODY, Clock, LedgerReader
from chorus.steer.approvals.ledger_reader import Check as Check
from chorus.steer.approvals.ledger_reader import utc_now as utc_now
from chorus.steer.approvals.ledger_state import RequestSummary
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Answered, Decision, Request, Row
from chorus.steer.approvals.trust import Trust

GRACE_S = 5.0
"""How long a request outlives its asker. After that, no process will come back for the answer."""
RESTART_S = 2.0
"""How long a command waits for a server that may be restarting."""
SUPERSEDED = "it was asked again, by another process"
NOBODY = "who asked is gone"
_MAX_MINE = 256


class Ledger(LedgerReader):
    """The permission ledger with write access. Safe to use from several threads.

    If a method raises `SourceUnreadable` or `VaultUnwritable`, nothing was changed.
    """

    def __init__(
        self,
        folder: Path,
        clock: Clock = utc_now,
        *,
        trust: Trust | None = None,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(folder, clock, trust=trust, ticks=ticks)
        self._due: dict[str, float] = {}
        """When a pending request with a deadline expires, in monotonic time, which does not jump."""
        self._gone: dict[str, float] = {}
        """When the asker of a pending request was first found to be gone, in monotonic time."""

    def ask(self, request: Request, decide: Callable[[Request], Decision | None] | None = None) -> Row:
        """Adds a request and returns its row: PENDING, or INVALID if the request cannot be stored or shown.

        `decide` returns the decision of rules, or None. Then request and decision are written together, so that nobody
        is asked, and the row is settled.

        The same process may ask again with the same id, and so may another process that knows the id after a restart:
        both confirm the row. The same request under another id is another row, because an answer is bound to its id;
        the old row ends if no process waits for it any more.
        """
        row = lifecycle.asked(request)
        if not row.is_pending:
            return row
        event = events.Asked(at=request.created_at, request=request, digest=row.digest)
        if not fits(events.encode(event)):
            refused = lifecycle.invalidated(row, why="it is too long to be judged by a person", at=request.created_at)
            return refused if isinstance(refused, Row) else row
        decision = decide(request) if decide is not None else None
        with self._transaction() as held:
            known = self._state.get(request.id)
            if known is not None:
                return self._asked_again(held, known, row)
            for same in list(self._state.same(request.key, row.digest)):
                if not asking_process.is_alive(same.asker):
                    self._append(held, events.Invalidated(at=self._now(), id=same.id, why=SUPERSEDED))
            self._append(held, event)
            self._remember(row)
            return self._decided_by_rules(held, row, decision) if decision is not None else row

    def _decided_by_rules(self, held: Transaction, row: Row, decision: Decision) -> Row:
        at = self._now()
        answered = lifecycle.decided(row, digest=row.digest, decision=decision, at=at, objection=None, is_awaited=True)
        if isinstance(answered, Refused):
            return row
        # If this fails, a person is asked.
        with contextlib.suppress(VaultUnwritable):
            event = events.Decided(at=at, id=row.id, digest=row.digest, decision=decision, is_awaited=True)
            self._append(held, event)
            return answered
        return row

    def decide(self, request_id: str, digest: str, decision: Decision, trust: Trust | None) -> Row | Refused:
        """Records a decision. Returns the durable row, or why the decision was refused.

        `digest` is the digest of what the person saw. An approval needs the signature of an approver in `trust`, and an
        asker that still waits.
        """
        with self._transaction() as held:
            row = self._row(request_id)
            if row is None:
                return _unknown(request_id)
            if row.is_pending and self._is_due(row):
                row = self._end(held, row, events.Expired(at=self._now(), id=row.id))
            reason = (trust or TRUST_IN_NOBODY).objection(request_id, digest, decision)
            at = self._now()
            answered = lifecycle.decided(
                row, digest=digest, decision=decision, at=at, objection=reason, is_awaited=True
            )
            if isinstance(answered, Refused):
                return answered
            if decision.behaviour == "allow" and not asking_process.is_alive(row.request.asker):
                return Refused("gone", f"{NOBODY}: nothing would come of it", row)
            self._append(held, events.Decided(at=at, id=row.id, digest=digest, decision=decision, is_awaited=True))
            return answered

    def withdraw(self, request_id: str, why: str) -> Row | Refused:
        """Ends a request because it was answered elsewhere or is no longer asked."""
        with self._transaction() as held:
            row = self._row(request_id)
            if row is None:
                return _unknown(request_id)
            at = self._now()
            updated = lifecycle.withdrawn(row, why=why, at=at)
            if isinstance(updated, Row):
                self._append(held, events.Withdrawn(at=at, id=row.id, why=why))
            return updated

    def took_effect(self, request_id: str) -> Row | Refused:
        """Records that the client acted on the decision.

        Called by the process that sent it, or that saw it in the client's own files.
        """
        return self._record_outcome(events.Effected(at=self._now(), id=request_id))

    def failed(self, request_id: str, why: str) -> Row | Refused:
        """Records that the decision could not be given to the client, or that the client did not act on it."""
        return self._record_outcome(events.Failed(at=self._now(), id=request_id, why=why))

    def answered(self, request_id: str, answer: Answered) -> Row | Refused:
        """Records that the client acted on an answer from elsewhere.

        Called by the asker, or by a process that saw it in the client's own files.
        """
        return self._record_outcome(events.AnsweredElsewhere(at=self._now(), id=request_id, answer=answer))

    def _record_outcome(self, event: events.OutcomeEvent) -> Row | Refused:
        with self._transaction() as held:
            row = self._row(event.id)
            if row is None:
                return _unknown(event.id)
            updated = lifecycle.with_outcome(row, event)
            if isinstance(updated, Row):
                self._append(held, event)
            return updated

    def invalidate(self, request_id: str, why: str) -> Row | Refused:
        """Ends a request because its outcome cannot be trusted."""
        with self._transaction() as held:
            row = self._row(request_id)
            if row is None:
                return _unknown(request_id)
            at = self._now()
            updated = lifecycle.invalidated(row, why=why, at=at)
            if isinstance(updated, Row):
                self._append(held, events.Invalidated(at=at, id=row.id, why=why))
            return updated

    def expire_due(self, now: datetime | None = None) -> list[Row]:
        """Ends the requests whose deadline has passed, by the clock or by monotonic time, and returns them."""
        return self._sweep(lambda row: events.Expired(at=self._now(now), id=row.id) if self._is_due(row, now) else None)

    def invalidate_gone(self) -> list[Row]:
        """Ends the requests whose asker has been gone for `GRACE_S` without asking again, and returns them.

        Call it regularly from a process that stays: the time counts from when that process first found the asker gone.
        """
        return self._sweep(
            lambda row: events.Invalidated(at=self._now(), id=row.id, why=NOBODY) if self._is_deserted(row) else None
        )

    def end_deserted(self, pause: Callable[[float], None] = time.sleep) -> list[Row]:
        """Ends at once the requests that no process waits for, and returns them.

        For a command that looks once and exits. The holder of a run does not come back. A hook may ask again after its
        server has restarted, so this waits a moment.
        """
        self.expire_due()
        gone = [row for row in self.pending() if not asking_process.is_alive(row.request.asker)]
        if any(row.request.source != "control" for row in gone):
            pause(RESTART_S)
        known = {row.id for row in gone}
        return self._sweep(
            lambda row: (
                events.Invalidated(at=self._now(), id=row.id, why=NOBODY)
                if row.id in known and not asking_process.is_alive(row.request.asker)
                else None
            )
        )

    def _sweep(self, ending: Callable[[Row], Event | None]) -> list[Row]:
        with self._mutex:
            self._catch_up()
            for times in (self._due, self._gone):
                for each in times.keys() - self._state.pending.keys():
                    del times[each]
            # Usually there is nothing to do, and then the file is not locked.
            if not any(ending(row) for each in self._state.pending.values() if (row := each.row)):
                return []
            with self._transaction() as held:
                due = [
                    (row, event)
                    for each in self._state.pending.values()
                    if (row := each.row) and (event := ending(row))
                ]
                return [self._end(held, row, event) for row, event in due]

    def _asked_again(self, held: Transaction, known: RequestSummary, row: Row) -> Row:
        before = self._read_row(known)
        if before is None or before.digest != row.digest or before.request.key != row.request.key:
            again = lifecycle.invalidated(row, why="its id is another request's", at=self._now())
        elif not before.is_pending:
            return before
        else:
            again = lifecycle.confirmed(before, asker=row.request.asker)
            if known.asker != row.request.asker:
                self._append(held, events.Confirmed(at=self._now(), id=row.id, asker=row.request.asker))
            self._remember(row)
        assert isinstance(again, Row)
        return again

    def _remember(self, row: Row) -> None:
        if len(self._mine) >= _MAX_MINE:
            self._mine = {each: asked for each, asked in self._mine.items() if each in self._state.pending}
        self._mine[row.id] = row

    def _end(self, held: Transaction, row: Row, event: Event) -> Row:
        self._append(held, event)
        return self._row(row.id) or row

    @contextmanager
    def _transaction(self) -> Iterator[Transaction]:
        with self._mutex, self._journal.transaction() as held:
            self._begin()
            self._take(held.news())
            yield held

    def _append(self, held: Transaction, event: Event) -> None:
        body = events.encode(event)
        news = held.append(body)
        self._take(news)
        held.check(body, news)

    def _is_due(self, row: Row, now: datetime | None = None) -> bool:
        if row.request.deadline_at is None:
            return False
        at = self._now(now)
        left_s = lifecycle.left_s(row, at)
        ticks = self._ticks()
        due = self._due.setdefault(row.id, ticks + left_s)
        return left_s <= 0 or ticks >= due

    def _is_deserted(self, row: Row) -> bool:
        if asking_process.is_alive(row.request.asker):
            self._gone.pop(row.id, None)
            return False
        return self._ticks() - self._gone.setdefault(row.id, self._ticks()) >= GRACE_S


def _unknown(request_id: str) -> Refused:
    return Refused("unknown", f"there is no request {request_id[:40]}")
