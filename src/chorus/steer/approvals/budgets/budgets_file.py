"""`budgets.jsonl` in the vault's `state/`: the budgets, stored as a journal of signed changes."""

from collections.abc import Callable
from pathlib import Path

from chorus.steer.approvals.budgets.signed_budgets import BudgetChange, SignedBudgets, budget_objection, fold_budgets
from chorus.steer.approvals.entries_file import EntriesFile
from chorus.steer.approvals.trust import Approvers, Listed

NAME = "budgets.jsonl"
REWRITTEN = "the file of the budgets was rewritten; the budgets from before stay in force until Chorus is started again"


class BudgetsFile:
    """The file, with its last read content cached. Safe to use from several threads.

    If the file is rewritten or loses lines while this object lives, the budgets that were read before stay in force.
    """

    def __init__(self, folder: Path) -> None:
        """`folder` is the vault's `state/`; nothing is created."""
        self._entries = EntriesFile(folder / NAME, BudgetChange, keeps_what_it_read=True)

    @property
    def tampering(self) -> str | None:
        """What is wrong with the whole file: it was rewritten since this object first read it, or lines are missing."""
        return self._entries.tampering(REWRITTEN)

    def load(self, approvers: Approvers) -> SignedBudgets:
        """Returns the budgets, judged by these approvers. Raises `SourceUnreadable`."""
        entries = self._entries
        with entries.lock:
            entries.refresh()
            return fold_budgets(entries.listed, approvers, entries.flaws)

    def head(self) -> str:
        """Returns the digest of the last line. A change must be signed over it."""
        with self._entries.lock:
            self._entries.refresh()
            return self._entries.head

    def append(self, approvers: Approvers, make: Callable[[str], BudgetChange]) -> SignedBudgets:
        """Appends the change that `make` returns, and returns the new budgets.

        `make` receives the digest of the last line. It may ask a person, so it is called before the file is locked; if
        another change was written meanwhile, nothing is written. Raises `ChorusError` with the reason if the change is
        refused.
        """
        known, head = {each.budget.id: each for each in self.load(approvers).budgets}, self.head()

        def objection(listed: Listed[BudgetChange]) -> str | None:
            change = listed.change
            reason = budget_objection(listed, known, approvers)
            if reason is None and change.by not in approvers.valid:
                reason = "approving needs an approver"
            return None if reason is None else f"{change.text or change.id}: {reason}"

        self._entries.append(make(head), objection, after=head)
        return self.load(approvers)
