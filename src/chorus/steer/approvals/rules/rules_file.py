"""`rules.jsonl` in the vault's `state/`: the rules, stored as a journal of signed changes."""

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from chorus.errors import ChorusError
from chorus.keep.vault.journal import Entry, Journal
from chorus.steer.approvals.rules.signed_rules import (
    ListedRuleChange,
    RuleChange,
    SignedRules,
    fold_rules,
    rule_objection,
)
from chorus.steer.approvals.trust import Approvers, Rejected

NAME = "rules.jsonl"
REWRITTEN = "the file of the rules was rewritten; no rule that allows is applied until Chorus is started again"
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class RulesFile:
    """The file, with its last read content cached. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the vault's `state/`; nothing is created."""
        self._journal = Journal(folder / NAME)
        self._listed: list[ListedRuleChange] = []
        self._flaws: list[Rejected] = []
        self._generation = 0
        self._found: SignedRules | None = None
        self._approvers = Approvers()
        self._mutex = threading.RLock()

    @property
    def tampering(self) -> str | None:
        """What is wrong with the whole file: it was rewritten since this object first read it, or lines are missing."""
        if self._journal.generation:
            return REWRITTEN
        against = self._journal.objection
        return f"{against.reason}; `chorus doctor --accept {NAME}`" if against and against.is_loss else None

    def load(self, approvers: Approvers) -> SignedRules:
        """Returns the rules of the current file, judged by these approvers. Raises `SourceUnreadable`."""
        with self._mutex:
            if self._found is None or self._journal.has_changed():
                self._take(list(self._journal.news()))
            if self._found is None or approvers is not self._approvers:
                self._approvers = approvers
                flaws = [Rejected(flaw.line, flaw.reason) for flaw in self._journal.flaws]
                self._found = fold_rules(self._journal.lines, self._listed, approvers, [*flaws, *self._flaws])
            return self._found

    def head(self) -> str:
        """Returns the digest of the last line. A change must be signed over it."""
        with self._mutex:
            if self._journal.has_changed():
                self._take(list(self._journal.news()))
            return self._journal.head

    def append(self, approvers: Approvers, make: Callable[[SignedRules, str], RuleChange]) -> SignedRules:
        """Appends the change that `make` returns, and returns the new rules.

        `make` receives the current rules and the digest of the last line. It may ask a person, so it is called before
        the file is locked; if another change was written meanwhile, nothing is written. Raises `ChorusError` with the
        reason if the change is refused.
        """
        before, head = self.load(approvers), self.head()
        change = make(before, head)
        with self._mutex, self._journal.transaction() as held:
            self._take(list(held.news()))
            if self._journal.head != head:
                raise ChorusError(f"{self._journal.path}: another process changed it at the same time; try again")
            listed = ListedRuleChange(len(self._journal.lines) + 1, head, True, change)
            reason = rule_objection(listed, {each.rule.id: each for each in before.rules}, approvers)
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
        if self._journal.generation != self._generation:
            self._generation = self._journal.generation
            self._listed.clear()
            self._flaws.clear()
        for entry in entries:
            try:
                change = _decoder.decode(entry.body)
            except _REFUSALS:
                self._flaws.append(Rejected(entry.line, "is not an entry that this version knows"))
                continue
            self._listed.append(ListedRuleChange(entry.line, entry.prev, entry.follows, change))
        self._found = None


_decoder = msgspec.json.Decoder(RuleChange)
