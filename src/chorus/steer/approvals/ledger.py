"""The ledger: `approvals.jsonl` in the vault's `state/`. A file, not a service: every process that has a part in it, be
it asker, server or command, does its own transactions, and what one wrote all others read.

A transaction is: hold the file, read what is new, ask the machine, append, make durable, let go. So the first answer
wins, exactly once, and survives a crash before anybody can act on it.

What the file says has no authority by itself. A row is shown as approved only if an approver signed it, and who asked
acts only on what `verdict` makes of the row, by the approvers it pinned before the agent started.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from chorus.keep.vault.journal import Transaction
from chorus.keep.vault.journal_line import fits
from chorus.steer.approvals import asking_process, events, lifecycle
from chorus.steer.approvals.events import Event
from chorus.steer.approvals.ledger_reader import NOBODY_TRUSTED, Clock, Reading
from chorus.steer.approvals.ledger_reader import Check as Check
from chorus.steer.approvals.ledger_reader import utc_now as utc_now
from chorus.steer.approvals.ledger_state import Standing
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Answered, Decision, Request, Row
from chorus.steer.approvals.trust import Trust

GRACE_S = 5.0
"""How long a question outlives who asked it: then nobody will come back for the answer."""
RESTART_S = 2.0
"""How long a command waits for a server that may just be starting again."""
SUPERSEDED = "it was asked again, by another process"
NOBODY = "who asked is gone"
_MAX_MINE = 256


class Ledger(Reading):
    """May be used from several threads. `SourceUnreadable`, `VaultUnwritable`: then nothing happened."""

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
        """When a pending request with a deadline ends, in ticks: those do not step."""
        self._gone: dict[str, float] = {}
        """When the asker of a pending request was first seen to be gone, in ticks."""

    def ask(self, request: Request) -> Row:
        """Put a question; the row is PENDING, or INVALID when it cannot be kept or shown.

        The same process may ask again with the same id, and so may another one that knows it, after a restart: that
        confirms the row. The same question under another id is another row, because an answer is bound to its id; the
        old one ends if nobody waits for it any more.
        """
        row = lifecycle.asked(request)
        if not row.is_pending:
            return row
        event = events.Asked(at=request.created_at, request=request, digest=row.digest)
        if not fits(events.encode(event)):
            refused = lifecycle.invalidated(row, why="it is too long to be judged by a person", at=request.created_at)
            return refused if isinstance(refused, Row) else row
        with self._transaction() as held:
            known = self._book.get(request.id)
            if known is not None:
                return self._asked_again(held, known, row)
            for same in list(self._book.same(request.key, row.digest)):
                if not asking_process.is_alive(same.asker):
                    self._append(held, events.Invalidated(at=self._now(), id=same.id, why=SUPERSEDED))
            self._append(held, event)
            self._remember(row)
            return row

    def decide(self, request_id: str, digest: str, decision: Decision, trust: Trust | None) -> Row | Refused:
        """Answer a request: the row, durable, or why not.

        `digest` is that of what the person saw. An approval needs the signature of an approver in `trust`, and somebody
        who waits for it.
        """
        with self._transaction() as held:
            row = self._row(request_id)
            if row is None:
                return _unknown(request_id)
            if row.is_pending and self._is_due(row):
                row = self._end(held, row, events.Expired(at=self._now(), id=row.id))
            reason = (trust or NOBODY_TRUSTED).objection(request_id, digest, decision)
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
        """End a request because it was answered elsewhere or is no longer asked."""
        with self._transaction() as held:
            row = self._row(request_id)
            if row is None:
                return _unknown(request_id)
            at = self._now()
            ended = lifecycle.withdrawn(row, why=why, at=at)
            if isinstance(ended, Row):
                self._append(held, events.Withdrawn(at=at, id=row.id, why=why))
            return ended

    def took_effect(self, request_id: str) -> Row | Refused:
        """The client acted on the decision: for who told it, or saw it in the client's own files."""
        return self._tell(events.Effected(at=self._now(), id=request_id))

    def answered(self, request_id: str, answer: Answered) -> Row | Refused:
        """The client acted on somebody else's answer: for who asked, or saw it in the client's own files."""
        return self._tell(events.AnsweredElsewhere(at=self._now(), id=request_id, answer=answer))

    def _tell(self, event: events.Late) -> Row | Refused:
        with self._transaction() as held:
            row = self._row(event.id)
            if row is None:
                return _unknown(event.id)
            told = lifecycle.ended(row, event)
            if isinstance(told, Row):
                self._append(held, event)
            return told

    def invalidate(self, request_id: str, why: str) -> Row | Refused:
        """End a request because what became of it cannot be trusted."""
        with self._transaction() as held:
            row = self._row(request_id)
            if row is None:
                return _unknown(request_id)
            at = self._now()
            ended = lifecycle.invalidated(row, why=why, at=at)
            if isinstance(ended, Row):
                self._append(held, events.Invalidated(at=at, id=row.id, why=why))
            return ended

    def expire_due(self, now: datetime | None = None) -> list[Row]:
        """End the requests whose time is over, by the clock or by the ticks since they were seen; gives those."""
        return self._sweep(lambda row: events.Expired(at=self._now(now), id=row.id) if self._is_due(row, now) else None)

    def invalidate_gone(self) -> list[Row]:
        """End the requests whose asker has been gone for `GRACE_S` without asking again; gives those.

        To be called now and then by a process that stays: the time runs from when it first saw the asker gone.
        """
        return self._sweep(
            lambda row: events.Invalidated(at=self._now(), id=row.id, why=NOBODY) if self._is_deserted(row) else None
        )

    def end_deserted(self, pause: Callable[[float], None] = time.sleep) -> list[Row]:
        """End the requests that nobody waits for any more, now: for a command that looks once and does not stay.

        Who holds a run does not come back. A hook may ask again when its server was started again, which is waited for
        a moment.
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
                for each in times.keys() - self._book.pending.keys():
                    del times[each]
            # Most of the time there is nothing to do, and then nothing is locked.
            if not any(ending(row) for each in self._book.pending.values() if (row := each.row)):
                return []
            with self._transaction() as held:
                due = [
                    (row, event) for each in self._book.pending.values() if (row := each.row) and (event := ending(row))
                ]
                return [self._end(held, row, event) for row, event in due]

    def _asked_again(self, held: Transaction, known: Standing, row: Row) -> Row:
        before = self._told(known)
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
            self._mine = {each: asked for each, asked in self._mine.items() if each in self._book.pending}
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
