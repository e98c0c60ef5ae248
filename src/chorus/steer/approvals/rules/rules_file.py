"""`rules.jsonl` in the vault's `state/`: the rules, stored as a journal of signed changes."""

from collections.abc import Callable
from pathlib import Path

from chorus.steer.approvals.entries_file import EntriesFile
from chorus.steer.approvals.rules.signed_rules import RuleChange, SignedRules, fold_rules, rule_objection
from chorus.steer.approvals.trust import Approvers, Listed

NAME = "rules.jsonl"
REWRITTEN = "the file of the rules was rewritten; no rule that allows is applied until Chorus is started again"


class RulesFile:
    """The file, with its last read content cached. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the vault's `state/`; nothing is created."""
        self._entries = EntriesFile(folder / NAME, RuleChange, keeps_what_it_read=False)
        self._version = 0
        self._approvers = Approvers()
        self._found = SignedRules()

    @property
    def tampering(self) -> str | None:
        """What is wrong with the whole file: it was rewritten since this object first read it, or lines are missing."""
        return self._entries.tampering(REWRITTEN)

    def load(self, approvers: Approvers) -> SignedRules:
        """Returns the rules of the current file, judged by these approvers. Raises `SourceUnreadable`."""
        entries = self._entries
        with entries.lock:
            version = entries.refresh()
            if version != self._version or approvers is not self._approvers:
                self._version, self._approvers = version, approvers
                self._found = fold_rules(entries.lines, entries.listed, approvers, entries.flaws)
            return self._found

    def head(self) -> str:
        """Returns the digest of the last line. A change must be signed over it."""
        with self._entries.lock:
            self._entries.refresh()
            return self._entries.head

    def append(self, approvers: Approvers, make: Callable[[str], RuleChange]) -> SignedRules:
        """Appends the change that `make` returns, and returns the new rules.

        `make` receives the digest of the last line. It may ask a person, so it is called before the file is locked; if
        another change was written meanwhile, nothing is written. Raises `ChorusError` with the reason if the change is
        refused.
        """
        before, head = self.load(approvers), self.head()
        rules = {each.rule.id: each for each in before.rules}

        def objection(listed: Listed[RuleChange]) -> str | None:
            change = listed.change
            reason = rule_objection(listed, rules, approvers)
            if reason is None and change.by not in approvers.valid:
                reason = "approving needs an approver"
            return None if reason is None else f"{change.text or change.id}: {reason}"

        self._entries.append(make(head), objection, after=head)
        return self.load(approvers)
