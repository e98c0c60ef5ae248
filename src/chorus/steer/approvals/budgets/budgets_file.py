"""`budgets.jsonl` in the vault's `state/`: the budgets, stored as a journal of signed changes."""

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from chorus.errors import ChorusError
from chorus.keep.vault.journal import Entry, Journal
from chorus.steer.approvals.budgets.signed_budgets import (
    BudgetChange,
    ListedBudgetChange,
    SignedBudgets,
    budget_objection,
    fold_budgets,
)
from chorus.steer.approvals.trust import Approvers, Rejected

NAME = "budgets.jsonl"
REWRITTEN = "the file of the budgets was rewritten; the budgets from before stay in force until Chorus is started again"
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class BudgetsFile:
    """The file, with its last read content cached. Safe to use from several threads.

    If the file is rewritten or loses lines while this object lives, the budgets that were read before stay in force.
    """

    def __init__(self, folder: Path) -> None:
        """`folder` is the vault's `state/`; nothing is created."""
        self._journal = Journal(folder / NAME)
        self._listed: list[ListedBudgetChange] = []
        self._flaws: list[Rejected] = []
        self._is_read = False
        self._mutex = threading.RLock()

    @property
    def tampering(self) -> str | None:
        """What is wrong with the whole file: it was rewritten since this object first read it, or lines are missing."""
        if self._journal.generation:
            return REWRITTEN
        against = self._journal.objection
        return f"{against.reason}; `chorus doctor --accept {NAME}`" if against and against.is_loss else None

    def load(self, approvers: Approvers) -> SignedBudgets:
        """Returns the budgets, judged by these approvers. Raises `SourceUnreadable`."""
        with self._mutex:
            if not self._is_read or self._journal.has_changed():
                self._is_read = True
                self._take(list(self._journal.news()))
            flaws = [Rejected(flaw.line, flaw.reason) for flaw in self._journal.flaws]
            return fold_budgets(self._listed, approvers, [*flaws, *self._flaws])

    def head(self) -> str:
        """Returns the digest of the last line. A change must be signed over it."""
        with self._mutex:
            if self._journal.has_changed():
                self._take(list(self._journal.news()))
            return self._journal.head

    def append(self, approvers: Approvers, make: Callable[[str], BudgetChange]) -> SignedBudgets:
        """Appends the change that `make` returns, and returns the new budgets.

        `make` receives the digest of the last line. It may ask a person, so it is called before the file is locked; if
        another change was written meanwhile, nothing is written. Raises `ChorusError` with the reason if the change is
        refused.
        """
        before = self.load(approvers)
        head = self._journal.head
        change = make(head)
        with self._mutex, self._journal.transaction() as held:
            self._take(list(held.news()))
            if self._journal.head != head:
                raise ChorusError(f"{self._journal.path}: another process changed it at the same time; try again")
            listed = ListedBudgetChange(len(self._journal.lines) + 1, head, True, change)
            reason = budget_objection(listed, {each.budget.id: each for each in before.budgets}, approvers)
            if reason is None and change.by not in approvers.valid:
                reason = "approving needs an approver"
            if reason is not None:
                raise ChorusError(f"{change.text or change.id}: {reason}")
            body = msgspec.json.encode(change)
            news = held.append(body)
            self._take(news)
            held.check(body, news)
        return self.load(approvers)

    def _take(self, entries: list[Entry]) -> None:
        if self._journal.generation:
            return  # A rewritten file says nothing about what approvers want now.
        for entry in entries:
            try:
                change = _decoder.decode(entry.body)
            except _REFUSALS:
                self._flaws.append(Rejected(entry.line, "is not an entry that this version knows"))
                continue
            self._listed.append(ListedBudgetChange(entry.line, entry.prev, entry.follows, change))


_decoder = msgspec.json.Decoder(BudgetChange)
